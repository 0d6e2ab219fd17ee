"""The real watchdog on a simulated disk, engine and clock."""

from collections.abc import Callable
from dataclasses import dataclass

from nodeagent.core.lease import ContainerFilter, any_container, ends_with_lease
from nodeagent.core.overtime import decide_alone
from nodeagent.core.recovery import NO_LEASE
from nodeagent.core.state import ContainerKey, DurableState, Lease, PendingStop
from nodeagent.watchdog import CHECK_MS, Watchdog
from tests.simulation.bugs import Bugs
from tests.simulation.engine import Engine
from wire.words import ExitCause, SilenceTerm

IDLE_CHECK_MS = 5_000
"""Between two looks of a watchdog that has nothing to watch."""


@dataclass(slots=True)
class Disk:
    """What survives the agent, and all but the lease also a reboot."""

    durable: DurableState | None = None
    lease: Lease = NO_LEASE
    is_slow: bool = False

    def write(self, lease: Lease) -> None:
        """Save the lease, as the `LeaseStore` port."""
        self.lease = lease

    def read(self) -> Lease:
        """Return the lease."""
        return self.lease


@dataclass(frozen=True, slots=True)
class SimulatedWatchdog:
    """The watchdog of one host."""

    disk: Disk
    engine: Engine
    bugs: Bugs
    uptime: Callable[[], int]

    def check(self) -> None:
        """Do what is due, by the production code."""
        Watchdog(_Fence(self.engine, self.bugs), self.disk, _Clock(self.uptime)).check()

    def look_as_shims(self) -> None:
        """Do what each container's own shim does, which nobody else watches."""
        lease, now = self.disk.lease, self.uptime()
        for box in self.engine.alive:
            if box.kill_at is None and not self.bugs.no_shim_guard:
                due = decide_alone(box.key, box.silence, lease, box.pending, now)
                if due is not None:
                    self.engine.stop(box.key, due.cause, due.grace_ms)

    def pause_ms(self) -> int:
        """Return for how long nothing can be due; the real one looks each second all the same."""
        lease, now = self.disk.lease, self.uptime()
        times = [deadline.at for deadline in lease.deadlines.values()]
        if lease.until > now:
            times.append(lease.until)
        elif any(box.silence is SilenceTerm.REPLACE for box in self.engine.alive):
            return CHECK_MS
        return min(IDLE_CHECK_MS, max(CHECK_MS, min(times, default=now + IDLE_CHECK_MS) - now))


@dataclass(frozen=True, slots=True)
class _Clock:
    uptime: Callable[[], int]

    def now_ms(self) -> int:
        return self.uptime()

    def wall_ms(self) -> int:
        return self.uptime()


@dataclass(frozen=True, slots=True)
class _Fence:
    """A fence in which the bugs of the lease may be planted."""

    engine: Engine
    bugs: Bugs

    def stop_all(
        self, cause: ExitCause, grace_ms: int, is_meant: ContainerFilter = any_container
    ) -> int:
        if self.bugs.watchdog_hurries:
            grace_ms = NO_LEASE.grace_ms
        return self.engine.stop_all(cause, grace_ms, self._choose(is_meant))

    def kill_all(self, is_meant: ContainerFilter = any_container) -> None:
        self.engine.kill_all(self._choose(is_meant))

    def read_stop(self, key: ContainerKey) -> PendingStop | None:
        box = self.engine.boxes.get(key)
        return box.pending if box is not None and not self.bugs.watchdog_hurries else None

    def count_live(self) -> int:
        return len(self.engine.alive)

    def _choose(self, is_meant: ContainerFilter) -> ContainerFilter:
        if is_meant is not ends_with_lease:
            return is_meant
        if self.bugs.no_self_fence:
            return lambda _key, _silence: False
        return any_container if self.bugs.fences_kept else is_meant
