"""Ways out of a wait and the holders of limits: one row for each kind, in the phrases of scenarios."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from scheduler.core.dry_run import DryRunOutcome, Outlook, evaluate_submission, with_waiting
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload, PoolId, WorkloadId
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.ways_out import AllowedChanges, WayOut, find_ways_out
from tests.scheduler.scenario import snapshot_of


@dataclass(frozen=True)
class Row:
    """A site whose work `x` is asked about, and the ways out that must be found."""

    site: dict[str, Any]
    ways: list[str]
    pools: tuple[str, ...] = ()
    interruptible: bool = False
    nodes: list[str] = field(default_factory=lambda: ["n1: 8 cards"])


TABLE: dict[str, Row] = {
    "fewer GPUs fit beside what runs": Row(
        {"running": ["a: 3 cards on n1 by wang"], "waiting": ["x: 8 cards"]}, ["fewer_gpus gpus=5"]
    ),
    "fewer ranks fit, and each keeps its GPUs": Row(
        {"running": ["a: 4 cards on n1 by wang"], "waiting": ["x: 2 cards, 4 ranks"]},
        ["fewer_gpus replicas=2"],
    ),
    "under a ceiling the rest of it is what could start": Row(
        {
            "quotas": ["lab: 6 cards"],
            "running": ["a: 4 cards on n1 by wang"],
            "waiting": ["x: 4 cards"],
        },
        ["fewer_gpus gpus=2"],
    ),
    "with a shorter limit it ends before the reserved start": Row(
        {
            "running": ["a: 6 cards on n1 by wang, ends in 1000 s"],
            "waiting": ["big: 8 cards", "x: 1 cards, limit 7200"],
        },
        ["shorter_limit time_limit_s=960"],
    ),
    "with a shorter limit it fits into the budget": Row(
        {
            "budgets": ["lab: 1000 of 5000 card-seconds, ends in 90000 s"],
            "waiting": ["x: 2 cards, limit 7200"],
        },
        ["shorter_limit time_limit_s=1980"],
    ),
    "what others deserve may be used by interruptible work": Row(
        {
            "groups": ["lab", "vision"],
            "quotas": ["vision: deserved 8 cards"],
            "waiting": ["x: 1 cards"],
        },
        ["interruptible preemptible=True"],
        interruptible=True,
    ),
    "another pool has room, and the closed one is not named": Row(
        {
            "pools": ["training", "spare", "old: closed"],
            "running": ["a: 1 cards on n1 by wang"],
            "waiting": ["x: 1 cards"],
        },
        ["other_pool pool=spare"],
        pools=("spare", "old"),
        nodes=["n1: 1 cards", "s1: 1 cards in spare", "o1: 1 cards in old"],
    ),
    "one's own idle work comes first, and another's is not named": Row(
        {
            "running": [
                "busy: 2 cards on n1",
                "idle: 2 cards on n1, idle 900 s ago",
                "small: 1 cards on n1",
                "other: 3 cards on n1 by wang",
            ],
            "waiting": ["x: 2 cards, limit 600"],
        },
        ["fewer_gpus gpus=1", "stop_own stops idle", "stop_own stops small"],
        nodes=["n1: 9 cards"],
    ),
    "held work has no way out but its release": Row(
        {"waiting": ["x: 1 cards, held held_by_user"]}, []
    ),
    "work that starts has nothing to get out of": Row({"waiting": ["x: 1 cards"]}, []),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_ways_out(row: Row) -> None:
    snapshot, waiting = _site(row)
    allowed = AllowedChanges(
        pools={PoolId(pool): waiting.request for pool in row.pools},
        may_be_interruptible=row.interruptible,
    )

    outlook = Outlook(snapshot)
    ways = find_ways_out(outlook, waiting, allowed)

    assert [_words(way, waiting) for way in ways] == row.ways
    assert find_ways_out(outlook, waiting, allowed) == ways
    for way in ways:
        if way.stops is None:
            assert evaluate_submission(snapshot, way.workload).outcome is DryRunOutcome.STARTS_NOW


HOLDERS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "of a group's ceiling, the first to end first": (
        {
            "quotas": ["lab: 4 cards"],
            "running": [
                "late: 2 cards on n1 by wang, ends in 900 s",
                "soon: 2 cards on n1, expected in 60 s, ends in 1000 s",
            ],
            "waiting": ["x: 1 cards"],
        },
        ["quota_ceiling: soon 2000 in 60..1000 s, late 2000 in 900 s"],
    ),
    "of a member's ceiling only the member's": (
        {
            "quotas": ["lab: 2 cards per user"],
            "running": ["a: 2 cards on n1, ends in 300 s", "b: 2 cards on n1 by wang"],
            "waiting": ["x: 1 cards"],
        },
        ["quota_user_ceiling: a 2000 in 300 s"],
    ),
    "of a counted limit": (
        {
            "counted": ["li: 1 running in lab"],
            "running": ["a: 2 cards on n1, ends in 300 s", "b: 2 cards on n1 by wang"],
            "waiting": ["x: 1 cards"],
        },
        ["user_counter: a 1 in 300 s"],
    ),
    "of a budget, what each may still use": (
        {
            "budgets": ["lab: 0 of 1000 card-seconds, ends in 90000 s"],
            "running": ["a: 2 cards on n1, ends in 300 s"],
            "waiting": ["x: 1 cards, limit 600"],
        },
        ["quota_budget: a 600 in 300 s"],
    ),
    "of a ceiling above the group, also of other groups": (
        {
            "groups": ["org", "lab: in org", "vision: in org"],
            "quotas": ["org: 4 cards"],
            "running": ["a: 4 cards on n1 by wang of vision, ends in 300 s"],
            "waiting": ["x: 1 cards of lab"],
        },
        ["quota_ceiling: a 4000 in 300 s"],
    ),
    "none where only capacity is short": (
        {"running": ["a: 8 cards on n1"], "waiting": ["x: 1 cards"]},
        [],
    ),
}


@pytest.mark.parametrize("row", HOLDERS.values(), ids=HOLDERS)
def test_holders(row: tuple[dict[str, Any], list[str]]) -> None:
    form, expected = row
    snapshot, waiting = _site(Row(form, []))

    result = evaluate_submission(snapshot, waiting)

    assert [
        f"{limit.reason.code}: "
        + ", ".join(
            f"{each.workload} {each.amount} in "
            + (f"{each.expected_end // 1000}.." if each.expected_end is not None else "")
            + (f"{each.ends_at // 1000} s" if each.ends_at is not None else "?")
            for each in limit.holders
        )
        for limit in result.limits
    ] == expected


def test_a_decision_leaves_its_own_starts_as_holders() -> None:
    site = {"nodes": ["n1: 8 cards"], "quotas": ["lab: 1 cards"]}
    snapshot = snapshot_of(site | {"waiting": ["first: 1 cards", "x: 1 cards"]})

    [limit] = evaluate_submission(snapshot, snapshot.pending[1]).limits

    assert [holder.workload for holder in limit.holders] == ["first"]
    assert Ledger(with_waiting(snapshot, snapshot.pending[1])).pending.keys() == {"first", "x"}


def test_an_outlook_answers_for_all_that_wait_as_a_cycle_for_each_does() -> None:
    site = {
        "nodes": ["n1: 8 cards"],
        "quotas": ["lab: 7 cards"],
        "running": ["a: 5 cards on n1, ends in 300 s"],
        "waiting": ["now: 1 cards", "big: 8 cards", "x: 2 cards", "never: 16 cards"],
    }
    snapshot = snapshot_of(site)
    outlook = Outlook(snapshot)

    together = {item.id: outlook.of(item) for item in snapshot.pending}

    assert together == {item.id: evaluate_submission(snapshot, item) for item in snapshot.pending}
    assert [result.outcome for result in together.values()] == [
        DryRunOutcome.STARTS_NOW,
        DryRunOutcome.REFUSED,
        DryRunOutcome.WAITS,
        DryRunOutcome.REFUSED,
    ]


def _site(row: Row) -> tuple[Snapshot, PendingWorkload]:
    snapshot = snapshot_of({"nodes": row.nodes, **row.site})
    return snapshot, next(item for item in snapshot.pending if item.id == WorkloadId("x"))


def _words(way: WayOut, waiting: PendingWorkload) -> str:
    form = way.workload
    changed = {
        "gpus": (form.request.gpus, waiting.request.gpus),
        "replicas": (form.request.replicas, waiting.request.replicas),
        "time_limit_s": (form.time_limit_s, waiting.time_limit_s),
        "preemptible": (form.preemptible, waiting.preemptible),
        "pool": (form.pool, waiting.pool),
    }
    says = [f"{name}={new}" for name, (new, old) in changed.items() if new != old]
    return " ".join([way.code, *says, *([f"stops {way.stops}"] if way.stops else [])])
