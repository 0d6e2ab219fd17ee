"""What other quotas would change at once, and where they promise more than there is."""

from dataclasses import replace

from hypothesis import given

from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import GroupId, PoolId, QuotaView, UserId
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.quota_change import QuotaChangeEffect, evaluate_quota_change, with_quotas
from scheduler.core.quotas.overcommit import find_overcommits
from tests.scheduler.clusters import snapshots
from tests.scheduler.scenario import snapshot_of

TRAINING = PoolId("training")
SITE = {
    "nodes": ["n1: 4 cards"],
    "groups": ["lab", "a: in lab", "b: in lab"],
}


def changed(site: Snapshot, *rows: str) -> QuotaChangeEffect:
    """Return the effect of having these quotas instead."""
    return evaluate_quota_change(site, snapshot_of({**SITE, "quotas": list(rows)}).quotas)


def test_a_higher_ceiling_starts_what_waits_for_it_and_a_lower_one_holds_back() -> None:
    site = snapshot_of(
        {
            **SITE,
            "quotas": ["a: 1 cards", "b: 4 cards"],
            "running": ["r: 1 cards on n1 of a"],
            "waiting": ["w: 2 cards of a", "x: 1 cards of b"],
        }
    )

    more = changed(site, "a: 3 cards", "b: 4 cards")
    less = changed(site, "a: 1 cards", "b: 0 cards")

    assert (more.starts, more.held_back, more.waiting) == (("w",), (), 0)
    assert more.possible == ("w",)
    assert (less.starts, less.held_back) == ((), ("x",))
    (never,) = less.impossible
    assert never.workload == "x"
    assert [reason.code.value for reason in never.reasons] == ["quota_ceiling"]


def test_deserved_exposes_others_and_evicts_for_what_waits() -> None:
    site = snapshot_of(
        {
            **SITE,
            "quotas": ["b: deserved 4 cards in training"],
            "running": [
                f"r{number}: 1 cards on n1 of b, preemptible, began 90000 s ago"
                for number in range(4)
            ],
            "waiting": ["w: 1 cards of a"],
        }
    )

    effect = changed(site, "a: deserved 2 cards in training", "b: deserved 2 cards in training")

    (exposure,) = effect.exposures
    assert (exposure.group, exposure.pool) == ("b", "training")
    assert (exposure.before, exposure.after) == (0, 2000)
    (eviction,) = effect.evictions
    assert (eviction.cause.value, eviction.beneficiary) == ("reclaimed", "w")


def test_a_ceiling_below_the_use_is_named_once_it_is_new() -> None:
    site = snapshot_of({**SITE, "quotas": ["a: 3 cards"], "running": ["r: 2 cards on n1 of a"]})

    below = changed(replace(site, quotas=_with_use(site, 2000)), "a: 1 cards")

    assert below.exceeded == ()  # rows as given count nothing: the use comes with the row
    rows = [replace(row, used=2000, ceiling=1000) for row in site.quotas]
    (found,) = evaluate_quota_change(site, rows).exceeded
    assert (found.group, found.user, found.used, found.ceiling) == ("a", None, 2000, 1000)


def test_members_above_a_new_ceiling_of_theirs_are_named() -> None:
    site = snapshot_of(
        {
            **SITE,
            "quotas": ["a: 4 cards"],
            "running": ["r: 2 cards on n1 by ann of a", "s: 1 cards on n1 by bob of a"],
        }
    )
    (row,) = site.quotas

    each = evaluate_quota_change(site, [replace(row, user_ceiling=1000)])
    own = replace(row, own_ceilings=((UserId("ann"), 3000), (UserId("bob"), 0)))
    single = evaluate_quota_change(site, [own])
    again = evaluate_quota_change(with_quotas(site, [own]), [own])

    assert [(found.user, found.used, found.ceiling) for found in each.exceeded] == [
        ("ann", 2000, 1000)
    ]
    assert [(found.user, found.used, found.ceiling) for found in single.exceeded] == [
        ("bob", 1000, 0)
    ]
    assert again.exceeded == ()  # it is not new


def _with_use(site: Snapshot, used: int) -> tuple[QuotaView, ...]:
    return tuple(replace(row, used=used) for row in site.quotas)


def test_a_new_quota_counts_what_runs_also_of_each_member() -> None:
    site = snapshot_of({**SITE, "running": ["r: 2 cards on n1 by li of a"]})
    new = QuotaView(GroupId("lab"), None, Resource.GPU, ceiling=None, user_ceiling=2000)

    after = with_quotas(replace(site, user_use=()), [new])

    assert [row.used for row in after.quotas] == [2000]
    assert [(use.user, use.used) for use in after.user_use] == [("li", 2000)]


def test_promises_are_summed_against_the_group_above_and_what_there_is() -> None:
    site = snapshot_of(
        {
            **SITE,
            "quotas": [
                "lab: deserved 3 cards, 4 cards in training",
                "a: guarantee 2 cards, deserved 3 cards in training",
                "b: deserved 2 cards in training",
            ],
        }
    )

    found = [
        (each.kind.value, each.group, each.promised, each.available, each.is_ceiling)
        for each in find_overcommits(site)
    ]

    assert found == [
        ("deserved", None, 5000, 4000, False),
        ("deserved", "lab", 5000, 4000, True),
    ]


@given(snapshots())
def test_the_same_quotas_change_nothing(site: Snapshot) -> None:
    effect = evaluate_quota_change(site, site.quotas)

    plan = run_cycle(site, site.taken_at)
    assert effect == QuotaChangeEffect(waiting=len(site.pending) - len(plan.starts))
