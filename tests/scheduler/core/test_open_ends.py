"""What single rules of the core make of an open end: one row each."""

from dataclasses import replace

import pytest

from scheduler.core.capacity.notice import fits_in_window, left_alone_s, stay_s
from scheduler.core.dry_run import Outlook
from scheduler.core.explain.holders import find_holders
from scheduler.core.ledger import Ledger
from scheduler.core.model.advance_reservations import (
    AdvanceReservationView,
    ReservationId,
    ReservedWindow,
)
from scheduler.core.model.entities import GroupId, Millis, WorkloadId
from scheduler.core.model.policy import REAL_OVERHEADS, JobOrder, PoolPolicy
from scheduler.core.model.running import as_running
from scheduler.core.ordering.job_order import rank_running, rank_waiting
from scheduler.core.reserve_devices import ObstacleKind, choose_devices
from scheduler.core.timeline.node_reservation import FREE_SOON, NEVER
from scheduler.core.timeline.pool_timeline import end_after, end_by_limit, end_by_prediction
from scheduler.core.ways_out import AllowedChanges, find_ways_out
from tests.scheduler.core.tables import TRAINING, a_ledger, pending
from tests.scheduler.scenario import snapshot_of

NOW, HOUR_MS = Millis(0), 3_600_000
WINDOW = ReservedWindow(NOW, Millis(HOUR_MS))
RULES = PoolPolicy(min_runtime_s=600, grace_s=60, patience_s=7200, order=JobOrder.SHORTEST)


def test_work_with_an_open_end_runs_without_one() -> None:
    work = pending(a_ledger(waiting=["web: 1 cards, open end, expected 60"]), "web")

    runs = as_running(work, (), NOW, around_s=30)

    assert (runs.ends_at, runs.expected_end, runs.leaves_by) == (None, None, None)
    assert runs.is_open_ended


def test_the_end_of_a_reservation_is_its_end() -> None:
    work = pending(a_ledger(waiting=["web: 1 cards, open end"]), "web")

    runs = as_running(work, (), NOW, ends_by=Millis(HOUR_MS), around_s=30)

    assert (runs.ends_at, runs.leaves_by) == (HOUR_MS, HOUR_MS + 30_000)
    assert not runs.is_open_ended


ENDS = {
    "an open end never comes": ("open end", NEVER),
    "what was learned of such work does not bring it": ("open end, expected in 60 s", NEVER),
    "notice does": ("open end, stopping", FREE_SOON),
    "so does the end of a window": ("open end, ends in 60 s", 60_000),
}


@pytest.mark.parametrize("row", ENDS.values(), ids=ENDS)
def test_when_running_work_ends(row: tuple[str, int]) -> None:
    said, end = row
    ledger = a_ledger(running=[f"web: 1 cards on n1, {said}"])
    work = ledger.running[WorkloadId("web")]

    assert (end_by_limit(work), end_by_prediction(work)) == (end, end)


def test_what_begins_later_without_a_limit_never_ends() -> None:
    assert end_after(60_000, None, NOW) == NEVER


@pytest.mark.parametrize(
    ("said", "alone_s", "stays_s", "fits_inside"),
    [
        ("limit 60", 60, 180, True),
        ("open end", 600, None, False),
        ("open end, preemptible", 600, 690, True),
        ("open end, environment", 600, None, True),
        ("open end, environment, preemptible", 600, None, True),
    ],
)
def test_what_windows_ask_of_it(
    said: str, alone_s: int, stays_s: int | None, *, fits_inside: bool
) -> None:
    work = pending(a_ledger(waiting=[f"web: 1 cards, {said}"]), "web")

    assert left_alone_s(work, RULES) == alone_s
    assert stay_s(work, RULES) == stays_s
    assert fits_in_window(work, RULES, NOW, WINDOW) is fits_inside


def test_shortest_first_ranks_it_as_the_longest() -> None:
    ledger = a_ledger(
        running=["runs: 1 cards on n1, open end"], waiting=["waits: 1 cards, open end"]
    )
    waits, runs = pending(ledger, "waits"), ledger.running[WorkloadId("runs")]

    assert rank_waiting(waits, RULES) == (0, waits.submitted_at + 7_200_000)
    assert rank_running(runs, RULES, NOW) == (0, runs.submitted_at + 7_200_000)


def test_it_has_left_by_no_moment() -> None:
    snapshot = snapshot_of(
        {"nodes": ["n1: 2 cards"], "waiting": ["web: 1 cards, open end", "job: 1 cards, limit 60"]}
    )
    ledger = Ledger(replace(snapshot, overheads=REAL_OVERHEADS))
    far = Millis(1 << 59)

    assert not ledger.has_left_by(far, pending(ledger, "web"))
    assert ledger.has_left_by(far, pending(ledger, "job"))
    assert ledger.stays_s(pending(ledger, "web")) is None


@pytest.mark.parametrize(
    ("said", "kind", "until"),
    [
        ("open end", ObstacleKind.OPEN_END, None),
        ("open end, began 60 s ago", ObstacleKind.OPEN_END, None),
        ("ends in 7200 s", ObstacleKind.WORK, 7_320_000),
    ],
)
def test_an_advance_reservation_is_refused_where_it_runs(
    said: str, kind: ObstacleKind, until: int | None
) -> None:
    site = snapshot_of({"nodes": ["n1: 1 cards"], "running": [f"web: 1 cards on n1, {said}"]})
    wanted = AdvanceReservationView(
        ReservationId("course"), "course", TRAINING, GroupId("lab"), (), (WINDOW,)
    )

    (obstacle,) = choose_devices(site, wanted, 1, whole=True).obstacles

    assert (obstacle.kind, obstacle.until, obstacle.workload) == (kind, until, "web")


def test_an_advance_reservation_evicts_it_as_all_other_work() -> None:
    site = snapshot_of(
        {
            "nodes": ["n1: 1 cards"],
            "running": ["web: 1 cards on n1, open end, preemptible, began 900 s ago"],
        }
    )
    later = ReservedWindow(Millis(HOUR_MS), Millis(2 * HOUR_MS))
    wanted = AdvanceReservationView(
        ReservationId("course"), "course", TRAINING, GroupId("lab"), (), (later,)
    )

    assert len(choose_devices(site, wanted, 1, whole=True).devices) == 1


def test_who_holds_a_limit_without_an_end_comes_last() -> None:
    ledger = a_ledger(
        quotas=["lab: 2 cards"],
        running=["web: 1 cards on n1, open end", "job: 1 cards on n1, ends in 60 s"],
        waiting=["next: 1 cards"],
    )

    (limit,) = find_holders(pending(ledger, "next"), ledger)

    assert [(each.workload, each.ends_at) for each in limit.holders] == [
        ("job", 60_000),
        ("web", None),
    ]


def test_no_shorter_limit_is_offered_instead_of_an_open_end() -> None:
    site = snapshot_of(
        {
            "nodes": ["n1: 4 cards"],
            "running": ["a: 3 cards on n1, ends in 7200 s"],
            "waiting": ["next: 4 cards", "web: 1 cards, open end"],
        }
    )
    web = next(work for work in site.pending if work.id == "web")

    ways = find_ways_out(Outlook(site), web, AllowedChanges())

    assert "shorter_limit" not in {way.code for way in ways}
