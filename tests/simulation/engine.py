"""The container engine of one host: slow, sometimes failing, and independent of the agent."""

from collections.abc import Callable
from dataclasses import dataclass

from nodeagent.core.events import ContainerChanged, ContainerEnded, Event
from nodeagent.core.lease import ContainerFilter
from nodeagent.core.state import Container, ContainerKey, DesiredEntry, Finished, PendingStop
from tests.simulation.loop import Loop
from wire.words import Device, ExitCause, Phase, SilenceTerm


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How the containers of one workload behave."""

    is_notebook: bool
    runs_ms: int
    """How long it works by itself; a notebook never ends by itself."""
    exit_code: int = 0
    fails_to_start: bool = False
    ignores_polite_stop: bool = False
    create_ms: int = 500
    ready_ms: int = 0


@dataclass(slots=True)
class Box:
    """One container: being created, alive, or dead and not yet removed."""

    key: ContainerKey
    devices: tuple[Device, ...]
    behaviour: Behaviour
    silence: SilenceTerm = SilenceTerm.REPLACE
    is_alive: bool = False
    is_dead: bool = False
    phase: Phase = Phase.STARTING
    started_at: int | None = None
    kill_at: int | None = None
    stop_cause: ExitCause | None = None
    end: Finished | None = None
    announced: PendingStop | None = None
    """The stop that its work was told of."""
    told_deadline: int = 0
    """Before when it is not to be killed, by what its work was told; 0 is at any time."""

    @property
    def pending(self) -> PendingStop | None:
        """Return the stop under way, as it is on the disk."""
        if self.kill_at is None or self.stop_cause is None:
            return self.announced
        return PendingStop(self.stop_cause, 0, kill_at=self.kill_at)


class Engine:
    """Starts, stops and lists containers; tells the agent, if it listens, what happens."""

    def __init__(
        self, loop: Loop, tell: Callable[[Event], None], uptime: Callable[[], int]
    ) -> None:
        self.loop = loop
        self.tell = tell
        self.uptime = uptime
        self.boxes: dict[ContainerKey, Box] = {}
        self.changes = 0
        self.starts: dict[ContainerKey, int] = {}
        self.fenced_kept: list[ContainerKey] = []
        """Containers that ended with the lease although they are to be kept."""
        self.clean_exits: list[ContainerKey] = []
        self.early_kills: dict[ContainerKey, int] = {}
        """Kept containers that were killed before the deadline that they were told, and by how much."""
        self.ordered_stops: set[ContainerKey] = set()
        """Containers that the portal has ordered to stop."""

    @property
    def alive(self) -> list[Box]:
        """Return the containers that exist at this instant."""
        return [box for box in self.boxes.values() if box.is_alive]

    def create(self, wanted: DesiredEntry, behaviour: Behaviour, then: Callable[[], None]) -> None:
        """Pull and create; calls back when the container could be started."""
        self.boxes[wanted.key] = Box(wanted.key, wanted.devices, behaviour, wanted.silence)
        self.loop.after(behaviour.create_ms, then)

    def start(self, key: ContainerKey) -> None:
        """Start a created container."""
        box = self.boxes.get(key)
        if box is None or box.is_dead or box.is_alive:
            return
        if box.behaviour.fails_to_start:
            self._bury(box, ExitCause.START_FAILED, None)
            return
        box.is_alive, box.started_at = True, self.loop.now
        self.starts[key] = self.starts.get(key, 0) + 1
        self.changes += 1
        self.loop.after(box.behaviour.ready_ms, lambda: self._ready(box))
        if not box.behaviour.is_notebook:
            self.loop.after(box.behaviour.runs_ms, lambda: self._exit(box))

    def stop(self, key: ContainerKey, cause: ExitCause, grace_ms: int) -> None:
        """Ask politely, and by force after the grace; a repeated stop may only hurry it."""
        box = self.boxes.get(key)
        if box is None or box.is_dead:
            return
        if not box.is_alive:
            self._bury(box, cause, None)
            return
        box.stop_cause = box.stop_cause or cause
        deadline = self.uptime() + grace_ms
        if box.kill_at is None and not box.behaviour.ignores_polite_stop:
            self.loop.after(self.loop.between(0, 25), lambda: self._bury(box, cause, 143))
        if box.kill_at is None or deadline < box.kill_at:
            box.kill_at = deadline
            self.loop.after(grace_ms, lambda: self._kill(box, cause))

    def announce(self, key: ContainerKey, stop: PendingStop, *, minds_orders: bool) -> None:
        """Write down what the work of a container is told of its stop; an order given before is sooner."""
        box = self.boxes.get(key)
        if box is None or not box.is_alive:
            return
        box.announced, box.told_deadline = stop, 0
        if stop.notice is not None and stop.warned_at is not None:
            deadline = stop.warned_at + stop.notice.total_ms
            ordered = box.kill_at if minds_orders else None
            box.told_deadline = deadline if ordered is None else min(deadline, ordered)

    def stop_all(self, cause: ExitCause, grace_ms: int, is_meant: ContainerFilter) -> int:
        """Ask what is meant to end, as the watchdog does first; return how many there were."""
        found = [box for box in self.alive if is_meant(box.key, box.silence)]
        for box in found:
            self.stop(box.key, cause, grace_ms)
        return len(found)

    def kill_all(self, is_meant: ContainerFilter) -> None:
        """End what is meant by force, as the watchdog does last."""
        for box in self.alive:
            if is_meant(box.key, box.silence):
                self._kill(box, box.stop_cause or ExitCause.KILLED)

    def power_off(self) -> None:
        """Lose every process at once; what is left on disk stays."""
        for box in list(self.boxes.values()):
            if not box.is_dead:
                self._bury(box, ExitCause.VANISHED, None)

    def crash(self, key: ContainerKey) -> None:
        """Let one container die by itself."""
        box = self.boxes.get(key)
        if box is not None and box.is_alive:
            self._bury(box, ExitCause.EXITED, 139)

    def remove(self, key: ContainerKey) -> None:
        """Clear away a dead container."""
        box = self.boxes.get(key)
        if box is not None and box.is_dead:
            del self.boxes[key]

    def list_live(self) -> tuple[Container, ...]:
        """Return what runs, as a restarted agent finds it."""
        return tuple(
            Container(
                box.key,
                box.devices,
                box.phase,
                started_at=box.started_at,
                silence=box.silence,
                stop=box.pending,
            )
            for box in self.boxes.values()
            if box.is_alive
        )

    def list_ended(self) -> tuple[Finished, ...]:
        """Return what is dead and was not removed, as a restarted agent finds it."""
        return tuple(box.end for box in self.boxes.values() if box.end is not None)

    def drop_unstarted(self) -> None:
        """Forget half-made containers: a restarted agent removes them."""
        self.boxes = {key: box for key, box in self.boxes.items() if box.is_alive or box.is_dead}

    def _ready(self, box: Box) -> None:
        if box.is_alive:
            box.phase = Phase.RUNNING
            port = 40_000 if box.behaviour.is_notebook else None
            self.tell(ContainerChanged(box.key, Phase.RUNNING, port, box.started_at))

    def _exit(self, box: Box) -> None:
        self._bury(box, ExitCause.EXITED, box.behaviour.exit_code)

    def _kill(self, box: Box, cause: ExitCause) -> None:
        if box.is_alive:
            early_ms = box.told_deadline - self.uptime()
            if early_ms > 0 and box.silence is SilenceTerm.KEEP:
                self.early_kills[box.key] = early_ms
            self.loop.after(self.loop.between(0, 2), lambda: self._bury(box, cause, 137))

    def _bury(self, box: Box, cause: ExitCause, exit_code: int | None) -> None:
        if box.is_dead or self.boxes.get(box.key) is not box:
            return
        was_asked = box.stop_cause if cause is not ExitCause.VANISHED else None
        cause = was_asked or cause
        if box.is_alive and box.silence is SilenceTerm.KEEP and cause is ExitCause.LEASE_ENDED:
            self.fenced_kept.append(box.key)
        if cause is ExitCause.EXITED and exit_code == 0:
            self.clean_exits.append(box.key)
        box.is_alive, box.is_dead = False, True
        self.changes += 1
        now = self.loop.now
        box.end = Finished(box.key, cause, now, exit_code, box.started_at)
        self.tell(ContainerEnded(box.end))
