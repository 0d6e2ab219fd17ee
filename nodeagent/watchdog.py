"""The watchdog: no container outlives its lease or its deadline, whether the agent runs or not.

At the end of the lease it stops the containers with the term `replace`; those with the term `keep`
end by their deadlines alone.

It is a process of its own (`nodeagent.process.watchdog`, `nodeagent.docker.watchdog`) in its own
session. The agent starts it when it is missing and cannot stop it; it ends by itself when neither
an agent nor a container is left.
"""

import asyncio
import os
import re
import select
import signal
from dataclasses import dataclass
from typing import Final

import structlog

from nodeagent.core.lease import ContainerFilter, ends_with_lease
from nodeagent.core.overtime import (
    AGENT_FIRST_MS,
    OvertimeKill,
    OvertimeStop,
    decide_overtime,
)
from nodeagent.core.state import ContainerKey, Lease
from nodeagent.disk.layout import ProcessLock, StateLayout
from nodeagent.host.build import read_build
from nodeagent.host.host_lock import HostLock
from nodeagent.host.procfs import find_processes
from nodeagent.ports import Clock, Fence, LeaseStore
from wire.words import ExitCause

log = structlog.get_logger()

CHECK_MS: Final = 1_000
GUARD_S: Final = 2.0
_MODULE: Final = re.compile(r"nodeagent\.(process|docker)\.watchdog")
"""What the command of a watchdog names."""


@dataclass(frozen=True, slots=True)
class Watchdog:
    """Fences one node when its lease has ended."""

    fence: Fence
    leases: LeaseStore
    clock: Clock

    def check(self) -> int:
        """Stop what is over by its lease or its deadline; returns how many containers were alive."""
        lease, now = self.leases.read(), self.clock.now_ms()
        overdue_ms = now - lease.until
        if overdue_ms >= 0:
            live = self.fence.stop_all(ExitCause.LEASE_ENDED, lease.grace_ms, ends_with_lease)
            if live and overdue_ms >= kill_after_ms(lease):
                self.fence.kill_all(ends_with_lease)
        self._end_over_time(lease, now)
        return self.fence.count_live()

    def _end_over_time(self, lease: Lease, now: int) -> None:
        """End containers whose deadline the agent should have enforced some time ago."""
        due: dict[OvertimeStop | OvertimeKill, set[ContainerKey]] = {}
        for key, deadline in lease.deadlines.items():
            if now < deadline.at + AGENT_FIRST_MS:
                continue
            if (order := decide_overtime(deadline, self.fence.read_stop(key), now)) is not None:
                due.setdefault(order, set()).add(key)
        for order, keys in due.items():
            if isinstance(order, OvertimeStop):
                self.fence.stop_all(order.cause, order.grace_ms, _among(frozenset(keys)))
            else:
                self.fence.kill_all(_among(frozenset(keys)))

    def pause_ms(self) -> int:
        """Return for how long nothing can be due."""
        lease, now = self.leases.read(), self.clock.now_ms()
        if lease.until <= now:
            return min(CHECK_MS, max(1, lease.grace_ms // 4))
        return min(CHECK_MS, lease.until - now + 1)


def _among(keys: frozenset[ContainerKey]) -> ContainerFilter:
    return lambda key, _silence: key in keys


def kill_after_ms(lease: Lease) -> int:
    """Return how long after the end of the lease containers are killed directly.

    The portal waits three times the grace: that leaves time for a check that comes late.
    """
    return lease.grace_ms * 7 // 5


def run_until_alone(watch: Watchdog, layout: StateLayout, node_id: str = "") -> None:
    """Watch as long as there is an agent or a container; one watchdog per node.

    With the node's id, nothing is done while its agent runs from another folder: this one is a copy, with
    a lease that has ended.
    """
    lock = ProcessLock(layout.watchdog_lock)
    if not lock.try_acquire():
        return
    try:
        layout.watchdog_build.write_text(read_build(), encoding="utf-8")
        _watch_on(watch, layout, node_id)
    finally:
        lock.release()


def _watch_on(watch: Watchdog, layout: StateLayout, node_id: str) -> None:
    agent, last_error = ProcessLock(layout.agent_lock), ""
    elsewhere = HostLock(node_id)
    while True:
        try:
            if node_id and not agent.is_held() and elsewhere.is_held():
                return
            is_needed, pause_ms = bool(watch.check()) or agent.is_held(), watch.pause_ms()
        except (
            Exception
        ) as error:  # the last resort continues, whatever resource the host has run out of
            is_needed, pause_ms = True, CHECK_MS
            if repr(error) != last_error:
                last_error = repr(error)
                log.exception("watchdog.failed")
        if not is_needed:
            return
        select.select([], [], [], pause_ms / 1000)


class WatchdogGuard:
    """Keeps a watchdog running beside the agent, of the same build.

    One that an earlier agent has left knows other rules, and may end what this one is to keep.
    """

    def __init__(self, layout: StateLayout, command: tuple[str, ...]) -> None:
        self._layout = layout
        self._command = command
        self._child: int | None = None
        self._build = read_build()

    async def run(self) -> None:
        """Check repeatedly whether there is a watchdog, and start one when there is none."""
        while True:
            self._ensure()
            await asyncio.sleep(GUARD_S)

    def _ensure(self) -> None:
        if self._is_child_alive():
            return
        if ProcessLock(self._layout.watchdog_lock).is_held():
            self._end_other_build()
            return
        fresh = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(self._layout.watchdog_log), fresh, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ]
        self._child = os.posix_spawn(
            self._command[0], self._command, os.environ, file_actions=actions, setsid=True
        )

    def _end_other_build(self) -> None:
        """End a watchdog of another build; one in a container of its own cannot be seen from here."""
        try:
            build = self._layout.watchdog_build.read_text(encoding="utf-8")
        except FileNotFoundError:
            build = ""
        if build == self._build:
            return
        for process in find_processes(_MODULE, str(self._layout.root)):
            log.warning("watchdog.other_build", pid=process, build=build)
            os.kill(process, signal.SIGTERM)

    def _is_child_alive(self) -> bool:
        """Return whether the watchdog that was started here still runs, and reap it if not."""
        if self._child is None:
            return False
        ended, _ = os.waitpid(self._child, os.WNOHANG)
        if ended:
            self._child = None
        return not ended
