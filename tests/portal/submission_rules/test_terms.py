"""What rules of several groups and a pool mean together."""

from uuid import UUID

from portal.submission_rules.terms import RuleScope, RulesInForce, RuleSource, RuleTerms

POOL, ROOT, LEAF = (
    RuleSource(scope, UUID(int=number), name, name.title(), name)
    for number, (scope, name) in enumerate(
        [(RuleScope.POOL, "training"), (RuleScope.GROUP, "lab"), (RuleScope.GROUP, "vision")]
    )
)
DEVICES = [{"gpus", "slices"}]


def in_force(pool: RuleTerms, root: RuleTerms, leaf: RuleTerms) -> RulesInForce:
    return RulesInForce(((POOL, pool), (ROOT, root), (LEAF, leaf)))


NOTHING = RuleTerms()


def test_ranges_and_choices_are_cut_with_each_other() -> None:
    rules = in_force(
        RuleTerms(ranges={"gpus": {"max": 4}}, choices={"launcher": ["plain", "torchrun", "mpi"]}),
        RuleTerms(ranges={"gpus": {"min": 2}}),
        RuleTerms(ranges={"gpus": {"min": 1, "max": 8}}, choices={"launcher": ["mpi", "plain"]}),
    )

    gpus, launcher = rules.fields["gpus"], rules.fields["launcher"]
    assert (gpus.min, gpus.max, gpus.sources) == (2, 4, (POOL, ROOT, LEAF))
    assert (launcher.choices, launcher.sources) == (("plain", "mpi"), (POOL, LEAF))


def test_the_nearest_default_counts_as_far_as_the_rules_allow_it() -> None:
    rules = in_force(
        RuleTerms(defaults={"launcher": "plain"}, ranges={"gpus": {"max": 2}}),
        RuleTerms(defaults={"gpus": 1}, choices={"launcher": ["plain"]}),
        RuleTerms(defaults={"gpus": 8, "launcher": "mpi"}),
    )

    assert rules.complete({}, DEVICES) == {"gpus": 2, "launcher": "plain"}


def test_null_leaves_a_default_out_but_not_a_locked_one() -> None:
    rules = in_force(
        NOTHING, RuleTerms(defaults={"gpus": 1, "priority": "low"}, locked=["gpus"]), NOTHING
    )

    assert rules.complete({"gpus": None, "priority": None}, DEVICES) == {"gpus": None}
    assert rules.complete({"slices": 1}, DEVICES) == {"slices": 1, "gpus": 1, "priority": "low"}


def test_one_of_the_ways_to_request_gpus_replaces_the_default_of_another() -> None:
    rules = in_force(NOTHING, NOTHING, RuleTerms(defaults={"gpus": 1}))

    assert rules.complete({"slices": 2}, DEVICES) == {"slices": 2}


def test_a_range_of_gpus_says_nothing_about_work_that_requests_slices() -> None:
    rules = in_force(RuleTerms(ranges={"gpus": {"min": 1}}), NOTHING, NOTHING)

    assert not tuple(rules.find_faults({"gpus": 0, "slices": 2}))


def test_each_field_is_refused_once_by_the_first_that_refuses_it() -> None:
    strict = RuleTerms(ranges={"cpu_milli": {"max": 1000}})
    rules = in_force(NOTHING, strict, RuleTerms(ranges={"cpu_milli": {"max": 500}}))

    (fault,) = rules.find_faults({"cpu_milli": 2000})
    assert (fault.pointer, fault.code) == ("/cpu_milli", "rule_too_large")
    assert fault.params == {"max": 1000, "scope": "group", "owner": "lab"}


def test_the_first_that_locks_decides() -> None:
    rules = in_force(
        NOTHING,
        RuleTerms(defaults={"home": True}, locked=["home"]),
        RuleTerms(defaults={"home": False}, locked=["home"]),
    )

    assert rules.fields["home"].default is True
    (fault,) = rules.find_faults({"home": False})
    assert fault.params == {"value": "true", "scope": "group", "owner": "lab"}


def test_time_limits_keep_to_the_rules() -> None:
    rules = in_force(
        RuleTerms(ranges={"time_limit_s": {"min": 60, "max": 7200}}),
        RuleTerms(ranges={"time_limit_s": {"max": 3600}}),
        NOTHING,
    )

    assert (rules.shortest_run_s(), rules.longest_run_s(86_400)) == (60, 3600)
    assert (RulesInForce().shortest_run_s(), RulesInForce().longest_run_s(9)) == (0, 9)
