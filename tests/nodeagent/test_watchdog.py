"""The watchdog's one decision: when to stop, when to kill."""

from dataclasses import dataclass, field
from pathlib import Path

from typing_extensions import override

from nodeagent.disk.layout import StateLayout
from nodeagent.watchdog import Watchdog, run_until_alone
from tests.fakes.node_ports import FakeClock, MemoryLease
from wire.words import ExitCause


@dataclass
class RecordingFence:
    """Counts what is asked of it; its containers never obey."""

    count: int = 1
    stops: list[tuple[ExitCause, int]] = field(default_factory=list)
    kills: int = 0

    def stop_all(self, cause: ExitCause, grace_ms: int) -> int:
        self.stops.append((cause, grace_ms))
        return self.count

    def kill_all(self) -> None:
        self.kills += 1

    def count_live(self) -> int:
        return self.count


def a_watch(overdue_ms: int, fence: RecordingFence) -> Watchdog:
    clock = FakeClock()
    return Watchdog(fence, MemoryLease(clock.now - overdue_ms), clock)


def test_valid_lease_lets_everything_run() -> None:
    fence = RecordingFence()
    assert a_watch(-1, fence).check() == 1
    assert fence.stops == []


def test_ended_lease_stops_everything_within_the_fence_s_grace() -> None:
    fence = RecordingFence()
    a_watch(0, fence).check()
    assert fence.stops == [(ExitCause.LEASE_ENDED, 5_000)]
    assert fence.kills == 0


def test_what_does_not_stop_is_killed_before_the_server_s_grace_is_over() -> None:
    fence = RecordingFence()
    a_watch(6_999, fence).check()
    assert fence.kills == 0
    a_watch(7_000, fence).check()
    assert fence.kills == 1


def test_unknown_lease_has_ended() -> None:
    fence = RecordingFence()
    Watchdog(fence, MemoryLease(0), FakeClock()).check()
    assert fence.stops


def test_watchdog_looks_again_exactly_when_the_lease_ends() -> None:
    assert a_watch(-300, RecordingFence()).pause_ms() == 301
    assert a_watch(-60_000, RecordingFence()).pause_ms() == 1_000


def test_a_shorter_grace_kills_earlier_and_is_looked_after_more_often() -> None:
    fence, clock = RecordingFence(), FakeClock()
    lease = MemoryLease(clock.now - 699, grace_ms=500)
    watch = Watchdog(fence, lease, clock)
    watch.check()
    assert (fence.stops, fence.kills, watch.pause_ms()) == ([(ExitCause.LEASE_ENDED, 500)], 0, 125)
    clock.now += 1
    watch.check()
    assert fence.kills == 1


@dataclass
class FailingFence(RecordingFence):
    """Cannot look the first time, as on a host without a descriptor left; then all are gone."""

    @override
    def stop_all(self, cause: ExitCause, grace_ms: int) -> int:
        super().stop_all(cause, grace_ms)
        if len(self.stops) == 1:
            raise OSError(24, "Too many open files")
        return 0


def test_watchdog_goes_on_after_a_look_that_failed(tmp_path: Path) -> None:
    fence = FailingFence()
    run_until_alone(a_watch(0, fence), StateLayout(tmp_path))
    assert len(fence.stops) == 2
