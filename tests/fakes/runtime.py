"""A runtime in memory, held to the same contract as the real ones."""

import asyncio
import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from nodeagent.core.state import PAUSED_BY_HAND, Container, ContainerKey, Finished, PendingStop
from nodeagent.core.stop_notice import StopNotice
from nodeagent.disk.log_end import EndCounter, LogShare
from nodeagent.ports import (
    ApplyLimits,
    ContainerOrder,
    ContainerUsage,
    ProcessScope,
    ProgressCallback,
    RunningContainer,
    RuntimeUnavailableError,
    StartError,
    apply_no_limits,
)
from tests.fakes import work
from wire.log_marks import LogMark
from wire.words import ExitCause, Phase

SERVED_PORT: Final = 10_042
SAYS: Final[Mapping[tuple[str, ...], bytes]] = {
    work.SPEAKS_AND_EXITS_3: work.SPOKEN,
    work.HEEDS_WARNING: b"saved\n",
    work.CHATTERS: b"first\n" + work.CHATTER * 4000,
    work.MEASURES: work.CHATTER * 4000 + work.MEASURED,
    work.FLOODS: work.FLOOD + work.REASON,
    work.IGNORES_SIGTERM: work.DEAF,
    work.SERVES: f"{SERVED_PORT}\n".encode(),
    work.ANSWERS: f"{SERVED_PORT}\n".encode(),
    work.SHOWS_CARDS: b"<cards>\n",
}
ENDS: Final[Mapping[tuple[str, ...], tuple[ExitCause, int | None]]] = {
    work.SPEAKS_AND_EXITS_3: (ExitCause.EXITED, 3),
    work.KILLS_ITSELF: (ExitCause.KILLED, 137),
    work.CRASHES: (ExitCause.EXITED, 139),
    work.NOTES_A_FAULT: (ExitCause.START_FAILED, None),
    work.LINKS_A_FAULT: (ExitCause.EXITED, 1),
    work.FILLS_MEMORY: (ExitCause.OUT_OF_MEMORY, 137),
    work.SHOWS_CARDS: (ExitCause.EXITED, 0),
    work.MEASURES: (ExitCause.EXITED, 0),
    work.FLOODS: (ExitCause.EXITED, 1),
    work.RUNS_LINES_OF_WINDOWS: (ExitCause.EXITED, 2),
    (work.UNREADABLE_SCRIPT,): (ExitCause.START_FAILED, None),
}

DETAILS: Final[Mapping[tuple[str, ...], str]] = {
    work.NOTES_A_FAULT: "program_missing: ray",
    work.RUNS_LINES_OF_WINDOWS: "script_line_ends: a.sh: 2: set: Illegal option",
    (work.UNREADABLE_SCRIPT,): "script_interpreter: /no/such/interpreter",
}


@dataclass
class FakeContainer:
    """One container and the tasks that stand for its processes."""

    order: ContainerOrder
    log: bytes = b""
    excess: bytes = b""
    """Metrics lines that came after the beginning of its log."""
    end_of_log: bytes = b""
    """What is put behind that beginning at its end."""
    marks: Sequence[LogMark] = ()
    end: Finished | None = None
    is_ready: bool = False
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    stop_cause: ExitCause | None = None
    kill_at: float | None = None
    announced: PendingStop | None = None
    timer: asyncio.TimerHandle | None = None

    @property
    def program(self) -> tuple[str, ...]:
        """What is run: a command, or a script in its place."""
        return self.order.spec.command or (self.order.spec.script,)


@dataclass
class FakeContainerHost:
    """What survives the runtime object, as an engine survives the agent."""

    containers: dict[ContainerKey, FakeContainer] = field(default_factory=dict)
    is_hung: bool = False
    is_deaf: bool = False
    """What it is told to start does start, and nobody hears of it."""
    paused: set[ContainerKey] = field(default_factory=set)
    """By hand."""
    pulled: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once `work.SLOW_IMAGE` has come."""
    wanted_images: tuple[str, ...] = ()
    log_bytes: int = 18_000
    notices: list[tuple[ContainerKey, StopNotice]] = field(default_factory=list)
    checkpoints: dict[ContainerKey, int] = field(default_factory=dict)
    has_bad_disk: bool = False
    """What work has said of itself cannot be read, and nothing is written down."""
    breaks: list[str] = field(default_factory=list)
    """Calls that fail the next time in a way that nobody has thought of."""

    def finish(self, key: ContainerKey, cause: ExitCause, exit_code: int | None) -> None:
        """End a container now, whoever asked for it."""
        container = self.containers[key]
        if container.end is None:
            detail = DETAILS.get(container.program, "")
            container.log += container.end_of_log
            container.end = Finished(key, cause, 2, exit_code, started_at=1, detail=detail)
            container.gone.set()


class FakeRuntime:
    """The `ContainerRuntime` port. Commands are those of `tests.fakes.work`, nothing else."""

    name: Literal["process"] = "process"
    is_isolated = False
    makes_images = False

    def __init__(self, machine: FakeContainerHost) -> None:
        self._machine = machine

    async def list_containers(self) -> tuple[RunningContainer | Finished, ...]:
        self._answer()
        return tuple(item.end or self._live(item) for item in self._machine.containers.values())

    def _live(self, item: FakeContainer) -> RunningContainer:
        found = running(item)
        if item.order.key not in self._machine.paused:
            return found
        return replace(found, container=replace(found.container, detail=PAUSED_BY_HAND))

    async def start(
        self,
        order: ContainerOrder,
        report_progress: ProgressCallback,
        apply_limits: ApplyLimits = apply_no_limits,
    ) -> RunningContainer:
        self._answer()
        if order.key in self._machine.containers:
            raise StartError(ExitCause.START_FAILED, "name_conflict: it exists")
        if order.spec.image == work.MISSING_IMAGE:
            raise StartError(ExitCause.IMAGE_UNAVAILABLE, "image_not_found: nowhere")
        if order.spec.command == work.NOT_FOUND:
            raise StartError(ExitCause.START_FAILED, "command_not_found: nowhere")
        if order.spec.image == work.SLOW_IMAGE:
            report_progress("pulling", 42)
            await self._machine.pulled.wait()
        report_progress("starting")
        container = FakeContainer(order)
        self._machine.containers[order.key] = container
        self._break("start")
        if self._machine.is_deaf:
            raise RuntimeUnavailableError("no answer to the start")
        if not order.injection.needs_barrier:
            self._begin(container)
        await self._confined(container, apply_limits)
        if order.injection.needs_barrier:
            self._begin(container)
        return running(container)

    async def _confined(self, container: FakeContainer, confine: ApplyLimits) -> None:
        order = container.order
        if order.injection.isolation is None:
            return
        try:
            await confine(ProcessScope(1, f"fake/{order.key.allocation}"))
        except StartError:
            self._machine.containers.pop(order.key)
            raise
        except BaseException:
            self._machine.finish(order.key, ExitCause.VANISHED, None)
            raise

    async def mark_ready(self, key: ContainerKey) -> None:
        if self._machine.has_bad_disk:
            raise OSError(28, "No space left on device")
        self._machine.containers[key].is_ready = True

    async def wait_for_end(self, key: ContainerKey) -> Finished:
        container = self._machine.containers[key]
        await container.gone.wait()
        self._break("ended")
        assert container.end is not None
        return container.end

    async def deliver_notice(self, key: ContainerKey, notice: StopNotice) -> None:
        self._answer()
        self._machine.notices.append((key, notice))
        container = self._machine.containers.get(key)
        if container and notice.stop is not None:
            container.announced = notice.stop
        if container and container.order.spec.command == work.HEEDS_WARNING and notice.signal:
            container.log += json.dumps(notice.content()).encode() + b"\n"
            self._machine.finish(key, ExitCause.EXITED, 0)

    async def read_checkpoints(self, keys: Collection[ContainerKey]) -> Mapping[ContainerKey, int]:
        if self._machine.has_bad_disk:
            raise OSError(5, "Input/output error")
        known = self._machine.checkpoints
        return {key: known[key] for key in keys if key in known}

    async def stop(self, key: ContainerKey, cause: ExitCause, grace_ms: int) -> None:
        self._answer()
        container = self._machine.containers.get(key)
        if container is None or container.end is not None:
            return
        container.stop_cause = container.stop_cause or cause
        if container.order.spec.command != work.IGNORES_SIGTERM:
            self._machine.finish(key, container.stop_cause, 143)
            return
        loop = asyncio.get_running_loop()
        kill_at = loop.time() + grace_ms / 1000
        if container.kill_at is None or kill_at < container.kill_at:
            container.kill_at = kill_at
            loop.call_at(kill_at, self._machine.finish, key, container.stop_cause, 137)

    async def remove(self, key: ContainerKey) -> None:
        container = self._machine.containers.get(key)
        if container is not None and container.end is not None:
            del self._machine.containers[key]

    async def read_log(self, key: ContainerKey, offset: int, limit: int) -> bytes:
        container = self._machine.containers.get(key)
        return container.log[offset : offset + limit] if container else b""

    async def read_marks(self, key: ContainerKey, begin: int, end: int) -> Sequence[LogMark]:
        container = self._machine.containers.get(key)
        marks = container.marks if container else []
        return [mark for mark in marks if begin <= mark.offset < end]

    async def read_excess(self, key: ContainerKey, offset: int, limit: int) -> bytes:
        container = self._machine.containers.get(key)
        return container.excess[offset : offset + limit] if container else b""

    async def measure_usage(self) -> Mapping[ContainerKey, ContainerUsage]:
        self._answer()
        live = (key for key, item in self._machine.containers.items() if item.end is None)
        return {key: ContainerUsage(cpu_ms=0, memory_mib=1) for key in live}

    def prefetch_images(self, references: tuple[str, ...], login_hosts: tuple[str, ...]) -> None:
        self._machine.wanted_images = references

    async def maintain(self) -> None:
        await asyncio.Event().wait()

    def _answer(self) -> None:
        if self._machine.is_hung:
            raise RuntimeUnavailableError("hung")

    def _break(self, call: str) -> None:
        if call in self._machine.breaks:
            self._machine.breaks.remove(call)
            raise ValueError(call)

    def _begin(self, container: FakeContainer) -> None:
        key, command = container.order.key, container.program
        if command in (work.HEEDS_WARNING, work.CHATTERS):
            self._machine.checkpoints[key] = time.time_ns() // 1_000_000
        uuids = ",".join(item.uuid for item in container.order.devices)
        said = SAYS.get(command, b"").replace(b"<cards>", uuids.encode())
        share = LogShare.of(self._machine.log_bytes)
        container.log = said[: share.beginning]
        container.end_of_log = said[share.beginning :]
        now_ms = time.time_ns() // 1_000_000
        if not share.holds(len(said)):
            counter = EndCounter(share)
            counter.feed(0, said, now_ms)
            container.end_of_log, _ = counter.close(len(said), said[-share.end :])
        container.marks = [LogMark(0, now_ms)]
        if said.endswith(work.MEASURED):
            container.excess = work.MEASURED
        if command in ENDS:
            asyncio.get_running_loop().call_soon(self._machine.finish, key, *ENDS[command])


def _pending_stop(item: FakeContainer) -> PendingStop | None:
    if item.stop_cause is None or item.kill_at is None:
        return item.announced
    return PendingStop(item.stop_cause, 0, kill_at=round(item.kill_at * 1000))


def running(item: FakeContainer) -> RunningContainer:
    order = item.order
    isolation = order.injection.isolation
    container = Container(
        order.key,
        order.devices,
        Phase.RUNNING,
        started_at=1,
        isolation=isolation,
        silence=order.silence,
        stop=_pending_stop(item),
        is_ready=None if order.spec.probe is None else item.is_ready,
    )
    return RunningContainer(container, probe=order.spec.probe)
