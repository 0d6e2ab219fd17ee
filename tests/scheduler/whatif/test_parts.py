"""The part of a simulation that is of some groups, as if it had been recorded alone."""

from dataclasses import replace

import pytest

from scheduler.core.model.entities import PendingWorkload
from scheduler.core.model.plan import EvictionCause
from scheduler.whatif.curves import buckets
from scheduler.whatif.metrics import Recorder, SimulationOutcome
from scheduler.whatif.parts import part_of
from tests.scheduler.scenario import snapshot_of

HOUR = 3_600_000


def recorded(mine: PendingWorkload, theirs: PendingWorkload) -> SimulationOutcome:
    """Two jobs of one card on one card: mine leaves for theirs, and runs again until the end."""
    recorder = Recorder(1, lambda _: 1000)
    recorder.arrived(mine, 0)
    recorder.started(mine, HOUR)
    recorder.arrived(theirs, 2 * HOUR)
    recorder.evicted(mine, 2 * HOUR, EvictionCause.RECLAIMED)
    recorder.started(theirs, 2 * HOUR)
    recorder.ended(theirs, 3 * HOUR)
    recorder.started(mine, 3 * HOUR)
    recorder.close(4 * HOUR)
    return recorder.outcome()


def test_each_part_has_its_own_records_and_curves_over_the_same_time(
    jobs: tuple[PendingWorkload, PendingWorkload],
) -> None:
    mine, theirs = jobs
    whole = recorded(mine, theirs)

    own, other = part_of(whole, {mine.group}), part_of(whole, {theirs.group})

    assert own.records == tuple(each for each in whole.records if each.workload == mine)
    assert other.records == tuple(each for each in whole.records if each.workload == theirs)
    assert {(each.began_ms, each.ended_ms) for each in (whole, own, other)} == {(0, 4 * HOUR)}
    assert [each.utilisation() for each in (whole, own, other)] == [0.75, 0.5, 0.25]
    assert [busy for _, busy, _ in buckets(own, 4)] == [0, 1, 0, 1]
    assert [waiting for _, _, waiting in buckets(own, 4)] == [1, 0, 1, 0]
    assert [busy for _, busy, _ in buckets(other, 4)] == [0, 0, 1, 0]


def test_all_groups_are_the_whole(jobs: tuple[PendingWorkload, PendingWorkload]) -> None:
    whole = recorded(*jobs)
    assert part_of(whole, {job.group for job in jobs}) == whole


def test_a_group_without_work_has_nothing(jobs: tuple[PendingWorkload, PendingWorkload]) -> None:
    whole = recorded(*jobs)
    none = part_of(whole, set())
    assert none.records == ()
    assert none.utilisation() == 0
    assert replace(none, records=whole.records).gpu_hours == whole.gpu_hours


def test_who_gave_up_waits_until_then(jobs: tuple[PendingWorkload, PendingWorkload]) -> None:
    mine, theirs = jobs
    recorder = Recorder(1, lambda _: 1000)
    recorder.arrived(theirs, 0)
    recorder.arrived(mine, 0)
    recorder.withdrawn(mine, HOUR)
    recorder.close(2 * HOUR)
    own = part_of(recorder.outcome(), {mine.group})
    assert [waiting for _, _, waiting in buckets(own, 2)] == [1, 0]
    assert own.records[0].given_up == HOUR


@pytest.fixture
def jobs() -> tuple[PendingWorkload, PendingWorkload]:
    """Two jobs of two groups."""
    site = snapshot_of(
        {
            "pools": ["training"],
            "nodes": ["n1: 1 cards"],
            "groups": ["lab", "other"],
            "waiting": ["mine: 1 cards, of lab", "theirs: 1 cards, of other"],
        }
    )
    mine, theirs = site.pending
    return mine, theirs
