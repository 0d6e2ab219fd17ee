"""Plans: what is given by hand stays, what a directory gives follows its rules, and a second run changes nothing."""

from dataclasses import replace
from uuid import UUID, uuid5

from hypothesis import given
from hypothesis import strategies as st

from portal.directory.mapping import EVERYBODY, Rule, map_groups
from portal.directory.plans import (
    BY_HAND,
    Change,
    ChangeKind,
    DirectoryPerson,
    DirectoryPlan,
    HeldRole,
    make_plan,
)

OURS, OTHER = "entra", "okta"
GROUPS = ("vision", "speech", "gone")
KNOWN = {"vision", "speech"}
ROLES = ("viewer", "developer", "group_admin")
PLATFORM_ROLES = ("", "auditor", "operator")
EXTERNAL = ("red", "green", "blue")
ADA = UUID(int=1)

_rules = st.lists(
    st.builds(
        Rule,
        external_group=st.sampled_from((*EXTERNAL, EVERYBODY)),
        group=st.sampled_from(GROUPS),
        role=st.sampled_from(ROLES),
    )
    | st.builds(
        Rule,
        external_group=st.sampled_from((*EXTERNAL, EVERYBODY)),
        platform_role=st.sampled_from(PLATFORM_ROLES[1:]),
    ),
    max_size=6,
)
_held = st.dictionaries(
    st.sampled_from(("vision", "speech", "robots")),
    st.builds(
        HeldRole,
        role=st.sampled_from(ROLES),
        directory=st.sampled_from((BY_HAND, OURS, OTHER)),
    ),
)


@st.composite
def _people(draw: st.DrawFn) -> tuple[DirectoryPerson, ...]:
    names = draw(st.lists(st.sampled_from(("ada", "bo", "chen")), unique=True))
    given_role = draw(st.sampled_from(PLATFORM_ROLES))
    return tuple(
        DirectoryPerson(
            user_id=uuid5(ADA, name),
            username=name,
            external_groups=draw(st.frozensets(st.sampled_from(EXTERNAL))),
            is_present=draw(st.booleans()),
            is_wanted=draw(st.booleans()),
            is_active=draw(st.booleans()),
            is_shut_out=draw(st.booleans()),
            platform_role=draw(st.sampled_from(PLATFORM_ROLES)),
            given_platform_role=given_role,
            held=draw(_held),
        )
        for name in names
    )


def a_person(**values: object) -> DirectoryPerson:
    """Return a person of the directory who has nothing yet."""
    plain = DirectoryPerson(
        user_id=ADA,
        username="ada",
        external_groups=frozenset(),
        is_present=True,
        is_wanted=True,
        is_active=True,
        is_shut_out=False,
        platform_role="",
        given_platform_role="",
        held={},
    )
    return replace(plain, **values)  # type: ignore[arg-type]


def carry_out(plan: DirectoryPlan, person: DirectoryPerson) -> DirectoryPerson:
    """Return a person after the changes of a plan."""
    for change in plan.changes:
        if change.user_id == person.user_id:
            person = _after(person, change)
    return person


def _after(person: DirectoryPerson, change: Change) -> DirectoryPerson:
    if change.kind is ChangeKind.PLATFORM_ROLE:
        return replace(person, platform_role=change.after, given_platform_role=change.after)
    if change.kind in (ChangeKind.ACTIVATE, ChangeKind.DEACTIVATE):
        is_active = change.kind is ChangeKind.ACTIVATE
        return replace(person, is_active=is_active, is_shut_out=not is_active)
    held = {name: role for name, role in person.held.items() if name != change.group}
    if change.after:
        held[change.group] = HeldRole(change.after, OURS)
    return replace(person, held=held)


@given(_rules, _people())
def test_a_plan_that_was_carried_out_has_nothing_left(
    rules: list[Rule], people: tuple[DirectoryPerson, ...]
) -> None:
    plan = make_plan(OURS, rules, people, KNOWN)

    after = [carry_out(plan, person) for person in people]

    again = make_plan(OURS, rules, after, KNOWN)
    assert again.changes == ()
    assert again.kept == plan.kept


@given(_rules, _people())
def test_what_others_gave_is_never_touched(
    rules: list[Rule], people: tuple[DirectoryPerson, ...]
) -> None:
    plan = make_plan(OURS, rules, people, KNOWN)

    for person in people:
        after = carry_out(plan, person)
        foreign = {name: held for name, held in person.held.items() if held.directory != OURS}
        assert foreign == {name: after.held[name] for name in foreign}
        if person.platform_role not in ("", person.given_platform_role):
            assert after.platform_role == person.platform_role


@given(_rules, _people())
def test_what_the_directory_gave_is_what_its_rules_say(
    rules: list[Rule], people: tuple[DirectoryPerson, ...]
) -> None:
    plan = make_plan(OURS, rules, people, KNOWN)

    for person in people:
        ours = {
            name: held.role
            for name, held in carry_out(plan, person).held.items()
            if held.directory == OURS
        }
        known = [rule for rule in rules if not rule.group or rule.group in KNOWN]
        wanted = map_groups(known if person.is_present else (), person.external_groups).roles
        foreign = {name for name, held in person.held.items() if held.directory != OURS}
        assert ours == {name: role for name, role in wanted.items() if name not in foreign}


def test_of_several_rules_the_strongest_role_counts() -> None:
    rules = [
        Rule("red", group="vision", role="developer"),
        Rule(EVERYBODY, group="vision", role="viewer"),
        Rule("id-of-blue", group="vision", role="group_admin"),
        Rule("red", platform_role="auditor"),
        Rule("blue", platform_role="operator"),
    ]

    assert map_groups(rules, {"red"}).roles == {"vision": "developer"}
    assert map_groups(rules, {"red"}).platform_role == "auditor"
    both = map_groups(rules, {"red", "blue", "id-of-blue"})
    assert (both.roles, both.platform_role) == ({"vision": "group_admin"}, "operator")
    assert map_groups(rules, ()).roles == {"vision": "viewer"}


def test_whom_an_administrator_deactivated_the_directory_does_not_activate() -> None:
    by_hand = a_person(is_active=False)
    by_directory = a_person(is_active=False, is_shut_out=True)

    plan = make_plan(OURS, (), [by_hand], ())
    assert plan.changes == ()
    assert [change.kind for change in plan.kept] == [ChangeKind.ACTIVATE]
    assert [each.kind for each in make_plan(OURS, (), [by_directory], ()).changes] == [
        ChangeKind.ACTIVATE
    ]


def test_a_rule_for_a_group_that_is_gone_is_named() -> None:
    rules = [Rule(EVERYBODY, group="gone", role="viewer")]

    plan = make_plan(OURS, rules, [a_person()], KNOWN)

    assert (plan.changes, plan.unknown_groups) == ((), ("gone",))


def test_who_left_the_directory_has_nothing_by_it() -> None:
    rules = [Rule(EVERYBODY, group="vision", role="viewer")]
    gone = a_person(
        is_present=False,
        is_wanted=False,
        held={"vision": HeldRole("viewer", OURS), "speech": HeldRole("developer")},
        platform_role="auditor",
        given_platform_role="auditor",
    )

    after = carry_out(make_plan(OURS, rules, [gone], KNOWN), gone)

    assert (after.held, after.platform_role) == ({"speech": HeldRole("developer")}, "")
    assert not after.is_active
