"""Evictions that wait for the end of protected run time: who is asked, and for which moment."""

from collections.abc import Sequence

import pytest
from typing_extensions import override

from scheduler.core.actions.node_victims import EvictionCandidate
from scheduler.core.actions.protected_run_time import TRIES_PER_POOL, ProtectedRunTime
from scheduler.core.actions.victims import make_candidate
from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import PendingWorkload
from scheduler.core.model.plan import EvictionCause, PlannedEviction
from tests.scheduler.core.tables import a_ledger, pending

NOW_S = 10_000
POOL = "training: protects 600, reclaims after 300"


class Victims:
    """Finds all work that has run for so long, and remembers when it was asked."""

    def __init__(self, ledger: Ledger, after_s: int) -> None:
        self.ledger, self.after_ms = ledger, after_s * 1000
        self.asked: list[int] = []
        self.works: set[str] = set()

    def find(self, workload: PendingWorkload) -> tuple[EvictionCandidate, ...]:
        self.works.add(workload.id)
        self.asked.append(self.ledger.now // 1000 - NOW_S)
        return tuple(
            make_candidate(work, EvictionCause.PREEMPTED, self.ledger)
            for work in self.ledger.running.values()
            if work.started_at is not None and self.ledger.now - work.started_at >= self.after_ms
        )


def _evict(
    victims: Sequence[EvictionCandidate], workload: PendingWorkload
) -> Sequence[PlannedEviction]:
    return [
        PlannedEviction(each.work.id, 0, each.cause, workload.id, grace_s=60) for each in victims
    ]


def _rule(ledger: Ledger, victims: Victims, *, forbidden: bool = False) -> ProtectedRunTime:
    return ProtectedRunTime(
        ledger,
        [work for work in ledger.running.values() if work.preemptible],
        victims.find,
        (lambda _, __: ()) if forbidden else _evict,
    )


Asked = tuple[str, list[str], list[str], str]
"""The pool, running and waiting work; who is asked about."""

ASKED: dict[str, Asked] = {
    "all that waits while protection is to end": (
        *(POOL, ["x: 1 cards on n1, began 100 s ago, preemptible"]),
        *(["a: 8 cards", "b: 8 cards"], "a b"),
    ),
    "nobody while nothing runs": (POOL, [], ["a: 8 cards"], ""),
    "nobody once all protection is over": (
        *(POOL, ["x: 1 cards on n1, began 600 s ago, preemptible"]),
        *(["a: 8 cards"], ""),
    ),
    "until its last second": (
        *(POOL, ["x: 1 cards on n1, began 599 s ago, preemptible"]),
        *(["a: 8 cards"], "a"),
    ),
    "nobody for work that may not be evicted": (
        *(POOL, ["x: 1 cards on n1, began 100 s ago"]),
        *(["a: 8 cards"], ""),
    ),
    "nobody for work that has not begun": (
        *(POOL, ["x: 1 cards on n1, preemptible"]),
        *(["a: 8 cards"], ""),
    ),
    "not what is held": (
        *(POOL, ["x: 1 cards on n1, began 100 s ago, preemptible"]),
        *(["a: 8 cards, held waiting_to_retry", "b: 8 cards"], "b"),
    ),
    "nobody in a closed pool": (
        *(f"{POOL}, closed", ["x: 1 cards on n1, began 100 s ago, preemptible"]),
        *(["a: 8 cards"], ""),
    ),
    "for the protection from reclaim too": (
        "training: protects 0, reclaims after 300",
        ["x: 1 cards on n1, began 100 s ago, preemptible"],
        *(["a: 8 cards"], "a"),
    ),
    "for time slices too": (
        "training: protects 0, turns of 300",
        ["x: 1 cards on n1, began 100 s ago, preemptible"],
        *(["a: 8 cards"], "a"),
    ),
    "for what the pool of a borrower protects": (
        "training: protects 0",
        ["x: 1 cards on n1 in other, began 100 s ago, preemptible"],
        *(["a: 8 cards"], "a"),
    ),
}


@pytest.mark.parametrize("row", ASKED.values(), ids=ASKED)
def test_for_whom_protection_is_looked_at(row: Asked) -> None:
    pool, running, waiting, expected = row
    ledger = a_ledger(
        running=running, waiting=waiting, pools=[pool, "other: protects 900"], now=NOW_S
    )
    rule = _rule(ledger, Victims(ledger, 600))

    found = rule.candidates(tuple(ledger.pending.values()))

    assert " ".join(work.id for work in found) == expected


def test_the_first_moment_at_which_a_plan_exists_is_found() -> None:
    ledger = a_ledger(
        running=[
            f"x{number}: 1 cards on n1, began {began} s ago, preemptible"
            for number, began in enumerate((100, 200, 550))
        ],
        waiting=["a: 6 cards"],
        pools=[POOL],
        now=NOW_S,
    )
    victims = Victims(ledger, 600)

    plan = _rule(ledger, victims).defer_for(pending(ledger, "a"), "kind")

    assert plan is not None
    assert (plan.beneficiary, plan.victims) == ("a", ("x2",))
    assert plan.at == (NOW_S + 50) * 1000
    assert (plan.grace_s, plan.protected_s) == (60, 600)
    assert ledger.now == NOW_S * 1000
    assert set(victims.asked) <= {50, 100, 200, 400, 500}, "only when some protection ends"


def test_a_later_moment_is_found_when_earlier_ones_are_not_enough() -> None:
    ledger = a_ledger(
        running=[
            f"x{number}: 1 cards on n1, began {began} s ago, preemptible"
            for number, began in enumerate((100, 200, 550))
        ],
        waiting=["a: 6 cards"],
        pools=[POOL],
        now=NOW_S,
    )

    class AllThree(Victims):
        @override
        def find(self, workload: PendingWorkload) -> tuple[EvictionCandidate, ...]:
            found = super().find(workload)
            return found if len(found) == 3 else ()

    plan = _rule(ledger, AllThree(ledger, 600)).defer_for(pending(ledger, "a"), "kind")

    assert plan is not None
    assert plan.at == (NOW_S + 500) * 1000
    assert plan.victims == ("x0", "x1", "x2")
    assert plan.protected_s == 600


def _one_protected() -> Ledger:
    return a_ledger(
        running=["x: 8 cards on n1, began 100 s ago, preemptible"],
        waiting=[f"w{number}: 8 cards" for number in range(TRIES_PER_POOL + 3)],
        pools=[POOL],
        now=NOW_S,
    )


def test_no_plan_where_not_even_the_last_moment_has_victims() -> None:
    ledger = _one_protected()
    victims = Victims(ledger, 9999)
    rule = _rule(ledger, victims)

    assert rule.defer_for(pending(ledger, "w0"), "kind") is None
    asked = len(victims.asked)
    assert rule.defer_for(pending(ledger, "w1"), "kind") is None
    assert len(victims.asked) == asked, "nothing is sought again for work of the same kind"


def test_what_is_found_for_one_is_no_later_than_for_the_next_of_its_kind() -> None:
    ledger = _one_protected()
    victims = Victims(ledger, 600)
    rule = _rule(ledger, victims)

    first = rule.defer_for(pending(ledger, "w0"), "kind")
    victims.asked.clear()
    second = rule.defer_for(pending(ledger, "w1"), "kind")

    assert first is not None
    assert second is not None
    assert second.at == first.at == (NOW_S + 500) * 1000
    assert set(victims.asked) == {500}


def test_no_plan_that_a_reserved_start_forbids() -> None:
    ledger = _one_protected()

    rule = _rule(ledger, Victims(ledger, 600), forbidden=True)

    assert rule.defer_for(pending(ledger, "w0"), "kind") is None


def test_only_for_the_head_of_a_queue_victims_are_sought() -> None:
    ledger = _one_protected()
    victims = Victims(ledger, 9999)
    rule = _rule(ledger, victims)
    yielded = 0
    for work in rule.candidates(tuple(ledger.pending.values())):
        rule.defer_for(work, work.id)
        yielded += 1

    assert yielded == TRIES_PER_POOL + 1
    assert victims.works == {f"w{number}" for number in range(TRIES_PER_POOL)}
    assert rule.defer_for(pending(ledger, "w0"), "another kind") is None


def test_only_so_much_of_a_long_queue_is_looked_at() -> None:
    ledger = _one_protected()
    work = pending(ledger, "w0")

    found = list(_rule(ledger, Victims(ledger, 600)).candidates([work] * 1_200))

    assert len(found) == 1_000
