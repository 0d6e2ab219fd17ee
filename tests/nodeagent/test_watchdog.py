"""The watchdog's one decision: when to stop, when to kill."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest
from typing_extensions import override

from nodeagent.core.lease import ContainerFilter, any_container
from nodeagent.core.overtime import AGENT_FIRST_MS
from nodeagent.core.state import ContainerKey, PendingStop
from nodeagent.core.timing import Deadline
from nodeagent.disk.layout import ProcessLock, StateLayout
from nodeagent.host.build import read_build
from nodeagent.host.host_lock import HostLock
from nodeagent.watchdog import Watchdog, WatchdogGuard, run_until_alone
from tests.fakes.node_ports import FakeClock, MemoryLease
from tests.waiting import wait_until, wait_until_async
from wire.words import ExitCause, SilenceTerm

KEEP, REPLACE = SilenceTerm.KEEP, SilenceTerm.REPLACE
KEY, OTHER = ContainerKey("a.0", 1), ContainerKey("b.0", 1)


@dataclass
class RecordingFence:
    """Counts what is asked of it; its containers never obey."""

    live: dict[ContainerKey, SilenceTerm] = field(default_factory=lambda: {KEY: REPLACE})
    stops: list[tuple[ExitCause, int]] = field(default_factory=list)
    stopped: set[ContainerKey] = field(default_factory=set)
    kills: int = 0
    pending: dict[ContainerKey, PendingStop] = field(default_factory=dict)

    def stop_all(
        self, cause: ExitCause, grace_ms: int, is_meant: ContainerFilter = any_container
    ) -> int:
        found = {key for key, silence in self.live.items() if is_meant(key, silence)}
        if found:
            self.stops.append((cause, grace_ms))
        self.stopped |= found
        return len(found)

    def kill_all(self, is_meant: ContainerFilter = any_container) -> None:
        self.kills += any(is_meant(*item) for item in self.live.items())

    def read_stop(self, key: ContainerKey) -> PendingStop | None:
        return self.pending.get(key)

    def count_live(self) -> int:
        return len(self.live)


def a_watch(overdue_ms: int, fence: RecordingFence) -> Watchdog:
    clock = FakeClock()
    return Watchdog(fence, MemoryLease(clock.now - overdue_ms), clock)


def test_valid_lease_lets_everything_run() -> None:
    fence = RecordingFence()
    assert a_watch(-1, fence).check() == 1
    assert fence.stops == []


def test_ended_lease_stops_all_that_may_be_replaced_within_the_fence_s_grace() -> None:
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
    def stop_all(
        self, cause: ExitCause, grace_ms: int, is_meant: ContainerFilter = any_container
    ) -> int:
        super().stop_all(cause, grace_ms, is_meant)
        if len(self.stops) == 1:
            raise OSError(24, "Too many open files")
        self.live.clear()
        return 0


def test_watchdog_goes_on_after_a_look_that_failed(tmp_path: Path) -> None:
    fence = FailingFence()
    run_until_alone(a_watch(0, fence), StateLayout(tmp_path))
    assert len(fence.stops) == 2


def test_work_that_is_kept_outlives_the_lease_by_days() -> None:
    fence = RecordingFence({KEY: KEEP, OTHER: REPLACE})
    assert a_watch(3 * 24 * 3600 * 1000, fence).check() == 2
    assert (fence.stopped, fence.kills) == ({OTHER}, 1)


@pytest.mark.parametrize("lease_ms", [600_000, -600_000], ids=["in lease", "lease over"])
def test_deadline_of_a_dead_agent_s_work_is_enforced(lease_ms: int) -> None:
    fence, clock = RecordingFence({KEY: KEEP, OTHER: KEEP}), FakeClock()
    deadlines = {KEY: Deadline(clock.now, 60_000, 40_000)}
    watch = Watchdog(fence, MemoryLease(clock.now + lease_ms, deadlines=deadlines), clock)
    clock.now += 40_000 + AGENT_FIRST_MS - 1
    watch.check()
    assert fence.stops == []
    clock.now += 1
    watch.check()
    assert (fence.stopped, fence.stops) == ({KEY}, [(ExitCause.TIME_LIMIT, 20_000)])
    fence.pending[KEY] = PendingStop(ExitCause.TIME_LIMIT, 0, kill_at=clock.now + 20_000)
    clock.now += 20_000 + AGENT_FIRST_MS - 1
    watch.check()
    assert (len(fence.stops), fence.kills) == (1, 0)
    clock.now += 1
    watch.check()
    assert fence.kills == 1


def test_watchdog_of_a_copied_folder_leaves_the_work_of_the_agent_alone(tmp_path: Path) -> None:
    """Its lease is as old as the copy; by labels of an engine it would find the other's containers."""
    layout, node = StateLayout(tmp_path), f"node-{os.getpid()}"
    elsewhere = HostLock(node)
    assert elsewhere.try_acquire()
    fence = FailingFence()
    run_until_alone(a_watch(0, fence), layout, node)
    assert fence.stops == []
    elsewhere.release()
    run_until_alone(a_watch(0, fence), layout, node)
    assert fence.stops


@contextmanager
def an_old_watchdog(layout: StateLayout) -> Iterator[subprocess.Popen[bytes]]:
    """Run what an earlier agent has left: it holds the lock, and knows nothing of builds."""
    command = [sys.executable, "-c", HOLD_LOCK, "nodeagent.process.watchdog", str(layout.root)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


HOLD_LOCK: Final = """
import fcntl, sys
lock = open(sys.argv[2] + "/watchdog.lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


async def _until_guarded_by(layout: StateLayout, command: tuple[str, ...]) -> None:
    """Let a guard keep a watchdog until one of this build holds the lock."""
    guard = asyncio.create_task(WatchdogGuard(layout, command).run())

    def is_ours() -> bool:
        is_held = ProcessLock(layout.watchdog_lock).is_held()
        build = layout.watchdog_build
        return is_held and build.exists() and build.read_text() == read_build()

    try:
        await wait_until_async(is_ours, within_s=30)
    finally:
        guard.cancel()


@pytest.mark.parametrize("build", [None, "0.0.9+0123456789abcdef"], ids=["without", "with"])
def test_upgraded_agent_replaces_the_watchdog_that_the_old_one_left(
    tmp_path: Path, build: str | None
) -> None:
    layout = StateLayout(tmp_path)
    layout.containers.mkdir()
    if build is not None:
        layout.watchdog_build.write_text(build)
    agent = ProcessLock(layout.agent_lock)
    assert agent.try_acquire()
    command = (sys.executable, "-m", "nodeagent.process.watchdog", str(tmp_path))

    with an_old_watchdog(layout) as old:
        asyncio.run(_until_guarded_by(layout, command))
        assert old.wait(10) == -signal.SIGTERM

    agent.release()  # without an agent and containers the new one ends by itself
    wait_until(lambda: not ProcessLock(layout.watchdog_lock).is_held(), within_s=30)


def test_watchdog_of_the_same_build_is_left_alone(tmp_path: Path) -> None:
    layout = StateLayout(tmp_path)
    layout.watchdog_build.write_text(read_build())

    with an_old_watchdog(layout) as same:
        asyncio.run(_until_guarded_by(layout, ("/bin/false",)))
        assert same.poll() is None
