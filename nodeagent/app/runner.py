"""The running agent: passes events to the core and executes its commands through the ports.

The loop itself never waits for a disk, a runtime, a card or the network: each command that may take
long is a task of its own with a deadline, so heartbeats are always sent in time.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import structlog

from nodeagent.app.container_tasks import ContainerTasks, RunnerCalls
from nodeagent.app.image_saves import ImageSaves
from nodeagent.app.node_sampler import NodeSampler
from nodeagent.app.readiness import ReadinessCheck
from nodeagent.core import lease, recovery
from nodeagent.core.commands import (
    Command,
    GpuCommand,
    PlainCommand,
    ReacquireGpus,
    ReleaseGpus,
    RemoveContainer,
    SaveLease,
    SaveState,
    SendHeartbeat,
    StartContainer,
    StopContainer,
    WarnContainer,
)
from nodeagent.core.events import (
    ContainerEnded,
    Event,
    FactsChanged,
    GpuReleaseChanged,
    LinkDown,
    LinkUp,
    Nudged,
    Ticked,
)
from nodeagent.core.state import AgentState, Container, ContainerKey, DesiredEntry, Finished
from nodeagent.core.step import next_wake, step
from nodeagent.core.timing import Timing
from nodeagent.host.secret_files import StartSecrets
from nodeagent.host.workspace_monitor import WorkspaceMonitor
from nodeagent.host.write_behind import WriteBehind
from nodeagent.idle.notebooks import IdleNotebooks
from nodeagent.link import translation
from nodeagent.link.log_shipping import EVENTS_POLL_S, ContainerShipper, LogShipper, LogSource
from nodeagent.ports import (
    Clock,
    ContainerRuntime,
    LeaseStore,
    Link,
    RunningContainer,
    RuntimeUnavailableError,
    ShareMonitor,
    Sharing,
    StateStore,
    StreamServer,
)
from nodeagent.telemetry.feed import TelemetryFeed
from nodeagent.telemetry.metrics_server import MetricsServer
from nodeagent.telemetry.reading import NodeReading
from nodeagent.watchdog import WatchdogGuard
from wire.logs import LogAck
from wire.messages import Desired, Nudge, OpenStream, Refused, ToAgent
from wire.words import ExitCause, GpuReleaseState, Phase

log = structlog.get_logger()

SAVE_S: Final = 10.0
RETRY_S: Final = 1.0
RETRY_S_MAX: Final = 8.0
"""Between two tries of a service that fails at once, each of which logs a traceback."""
STEADY_S: Final = 60.0
"""A service that has worked for so long has not failed at once."""
WAKE_S_MAX: Final = 1.0
"""The loop reads the clock at least this often: the host may have been suspended."""


@dataclass(frozen=True, slots=True)
class AgentPorts:
    """Everything outside that the agent uses."""

    runtime: ContainerRuntime
    link: Link
    states: StateStore
    leases: LeaseStore
    sampler: NodeSampler
    watchdog_guard: WatchdogGuard
    clock: Clock
    boot_id: str
    event_metrics: LogSource
    """The metrics lines of each container's event files."""
    streams: StreamServer
    sharing: Sharing
    readiness: ReadinessCheck
    instance: str = ""
    """Of the state directory; a copy of it has another."""
    describe_missing_storage: Callable[[], str] = str
    """Returns why nothing can be started without its files; empty while they are there."""
    secrets: StartSecrets | None = None
    share_monitor: ShareMonitor | None = None
    notebooks: IdleNotebooks | None = None
    image_saves: ImageSaves | None = None
    """None where the runtime cannot save images."""
    background: Mapping[str, Callable[[], Coroutine[Any, Any, None]]] = field(default_factory=dict)
    """What else runs until the agent ends, and needs nothing of it; by its name in the log."""
    workspace_monitor: WorkspaceMonitor | None = None
    telemetry_every_ms: int = 10_000
    metrics: Callable[[TelemetryFeed], MetricsServer] | None = None


class AgentRunner:
    """One agent from start to cancellation. Its end leaves all work untouched."""

    def __init__(self, ports: AgentPorts, timing: Timing | None = None) -> None:
        self._ports = ports
        self._timing = timing or Timing()
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        self._state_saver = WriteBehind("state", ports.states.save)
        self._lease_saver = WriteBehind("lease", ports.leases.write)
        self._shipper = ContainerShipper(
            LogShipper(ports.runtime, ports.link),
            LogShipper(ports.event_metrics, ports.link, is_events=True, poll_s=EVENTS_POLL_S),
        )
        self._containers = ContainerTasks(
            ports.runtime,
            self._shipper,
            ports.clock,
            RunnerCalls(self._spawn, self._may_run),
            ports.sharing,
            ports.readiness,
        )
        self._containers.set_secrets(ports.secrets)
        self._containers.set_event_sink(self._on_container_event)
        workspaces = ports.workspace_monitor
        self._telemetry = TelemetryFeed(
            ports.link, ports.telemetry_every_ms, workspaces.folder_sizes if workspaces else dict
        )
        self._state: AgentState | None = None

    async def run(self) -> None:
        """Adopt what is alive, then follow the desired state until cancelled."""
        ports = self._ports
        try:
            state = await self._recover()
            self._state = state
            self._run_forever("states", self._state_saver.run)
            self._run_forever("leases", self._lease_saver.run)
            self._run_forever("facts", self._sample_facts)
            self._run_forever("runtime", ports.runtime.maintain)
            self._run_forever("discovery", self._containers.run_discovery)
            if ports.share_monitor is not None:
                self._run_forever("shares", partial(ports.share_monitor.run, self._containers))
            if ports.workspace_monitor is not None:
                watch = partial(ports.workspace_monitor.run, self._containers)
                self._run_forever("workspaces", watch)
            if ports.notebooks is not None:
                watch = partial(ports.notebooks.watch_activity, self._on_container_event)
                self._run_forever("idle", watch)
                self._run_forever("guard", ports.notebooks.kill_strays)
            if ports.image_saves is not None:
                ports.image_saves.connect(self._is_running, self._report_facts)
                self._run_forever("image saves", ports.image_saves.run)
            for name, work in ports.background.items():
                self._run_forever(name, work)
            self._run_forever("checkpoints", self._containers.watch_checkpoints)
            self._run_forever("watchdog", ports.watchdog_guard.run)
            if ports.metrics is not None:
                self._run_forever("metrics", ports.metrics(self._telemetry).run)
            self._run_forever("link", lambda: ports.link.run(self))
            await self._loop(state)
        finally:
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def opened(self) -> None:
        """Note that the link is open."""
        self._events.put_nowait(LinkUp())

    def closed(self) -> None:
        """Note that the link is closed."""
        self._events.put_nowait(LinkDown())

    def received(self, message: ToAgent) -> None:
        """Handle a message of the portal."""
        match message:
            case Desired():
                self._ports.runtime.prefetch_images(message.images, message.login_hosts)
                if self._ports.image_saves is not None:
                    self._ports.image_saves.set_orders(translation.to_save_orders(message))
                if self._ports.sampler.request_retests(message.retests):
                    self._spawn("retest", self._read_cards())
                self._events.put_nowait(translation.to_reply_event(message))
            case LogAck():
                self._shipper.accept_ack(message)
            case Nudge():
                self._events.put_nowait(Nudged())
            case Refused():
                log.warning("portal.refused", code=message.code, detail=message.detail)
                self._events.put_nowait(translation.to_refusal_event(message))
            case OpenStream():
                self._spawn("stream", self._ports.streams.serve(message, self._is_running))

    async def _recover(self) -> AgentState:
        """Build the first state, and adopt every container."""
        durable = await asyncio.to_thread(self._ports.states.load)
        held = await self._list_containers()
        state, commands = recovery.recover_state(
            durable,
            first_seq=self._ports.clock.wall_ms(),
            lease=self._ports.leases.read(),
            live=tuple(item.container for item in held if isinstance(item, RunningContainer)),
            ended=tuple(item for item in held if isinstance(item, Finished)),
            timing=self._timing,
        )
        for item in held:
            if isinstance(item, RunningContainer):
                self._containers.adopt(item)
            else:
                self._containers.ship_rest_of_log(item)
        if self._ports.secrets is not None:
            await asyncio.to_thread(self._ports.secrets.keep_only, tuple(state.containers))
        log.info("agent.recovered", live=len(state.containers), owed=len(state.finished))
        self._execute(commands)
        await self._ports.sampler.sample(tuple(state.containers.values()))
        self._report_facts()
        return state

    async def _list_containers(self) -> tuple[RunningContainer | Finished, ...]:
        """Ask the runtime until it answers: silence must not be taken for an empty node."""
        while True:
            try:
                return await self._ports.runtime.list_containers()
            except RuntimeUnavailableError as error:
                log.warning("runtime.silent", error=str(error))
            await asyncio.sleep(RETRY_S)

    async def _loop(self, state: AgentState) -> None:
        while True:
            event = await self._next_event(state)
            state, commands = step(state, event, self._ports.clock.now_ms())
            self._state = state
            self._execute(commands)

    async def _next_event(self, state: AgentState) -> Event:
        """Wait for an event, but no longer than until the core has something due."""
        wake = next_wake(state)
        seconds = WAKE_S_MAX
        if wake is not None:
            seconds = min(seconds, max(0, wake - self._ports.clock.now_ms()) / 1000)
        try:
            async with asyncio.timeout(seconds):
                return await self._events.get()
        except TimeoutError:
            return Ticked()

    def _execute(self, commands: tuple[Command, ...]) -> None:
        for command in commands:
            if isinstance(command, ReleaseGpus | ReacquireGpus):
                self._move_gpus(command)
            else:
                self._dispatch(command)

    def _dispatch(self, command: PlainCommand) -> None:
        containers = self._containers
        match command:
            case SaveState():
                self._state_saver.put(command.durable)
            case SaveLease():
                self._lease_saver.put(command.lease)
            case StartContainer():
                self._spawn("start", self._start(command.desired))
            case WarnContainer():
                self._spawn("warn", containers.warn_before_stop(command.key, command.stop))
            case StopContainer(key=key, cause=cause, grace_ms=grace_ms):
                self._spawn("stop", containers.stop(key, cause, grace_ms))
            case RemoveContainer():
                self._spawn("remove", containers.remove(command.key))
            case SendHeartbeat():
                self._send_heartbeat(command)

    def _send_heartbeat(self, beat: SendHeartbeat) -> None:
        ports, facts = self._ports, self._ports.sampler.current_facts()
        saves = ports.image_saves.reports() if ports.image_saves is not None else {}
        sender = translation.Sender(
            ports.boot_id, ports.instance, translation.read_moment(ports.clock)
        )
        ports.link.send(translation.to_heartbeat(beat, facts, sender, saves))

    def _move_gpus(self, order: GpuCommand) -> None:
        """Make a notebook release or reacquire its GPUs; it keeps them if that is unsupported."""
        notebooks = self._ports.notebooks
        if notebooks is None:
            self._on_container_event(
                GpuReleaseChanged(order.key, GpuReleaseState.KEPT, "unsupported")
            )
        else:
            self._spawn(
                "cards", notebooks.carry_out(order, self._on_container_event, self._containers)
            )

    async def _start(self, desired: DesiredEntry) -> None:
        """Start a container once lease and epoch are on the disk, and its storage is there."""
        try:
            async with asyncio.timeout(SAVE_S):
                await self._lease_saver.wait_written()
                await self._state_saver.wait_written()
        except TimeoutError:
            self._containers.report_refusal(desired.key, "the agent's state cannot be saved")
            return
        if detail := self._ports.describe_missing_storage():
            self._containers.report_refusal(desired.key, detail)
            return
        await self._containers.start(desired)

    async def _sample_facts(self) -> None:
        await self._ports.sampler.run(self._live_containers, self._report_facts, self._on_reading)

    def _on_reading(self, reading: NodeReading) -> None:
        self._telemetry.add_reading(reading)
        if self._ports.notebooks is not None:
            self._ports.notebooks.add_reading(reading)

    def _report_facts(self) -> None:
        self._events.put_nowait(FactsChanged(self._ports.sampler.find_lost_cards()))

    def _on_container_event(self, event: Event) -> None:
        """Pass on what happened to a container; a bad end with cards only after these were read."""
        if isinstance(event, ContainerEnded) and self._may_be_card_failure(event.end):
            self._spawn("card check", self._report_end_after_card_check(event))
        else:
            self._events.put_nowait(event)

    def _may_be_card_failure(self, end: Finished) -> bool:
        held = self._state.containers.get(end.key) if self._state else None
        is_bad = end.cause is ExitCause.KILLED or (
            end.cause is ExitCause.EXITED and end.exit_code != 0
        )
        return is_bad and held is not None and bool(held.devices)

    async def _report_end_after_card_check(self, event: ContainerEnded) -> None:
        """Read the cards first: work often fails before the loss of its card was noticed."""
        try:
            await self._read_cards()
        finally:
            self._events.put_nowait(event)

    async def _read_cards(self) -> None:
        await self._ports.sampler.read_cards(self._live_containers())
        self._report_facts()

    def _may_run(self) -> bool:
        """Return whether the lease holds now; since the decision, the host may have been suspended."""
        return self._state is not None and lease.is_lease_valid(
            self._state, self._ports.clock.now_ms()
        )

    def _is_running(self, key: ContainerKey) -> bool:
        """Return whether this container may be entered now."""
        held = self._state.containers.get(key) if self._state else None
        return held is not None and held.phase is Phase.RUNNING

    def _live_containers(self) -> tuple[Container, ...]:
        return tuple(self._state.containers.values()) if self._state else ()

    def _run_forever(self, name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run a service of the agent that must not end; after a fault it starts again."""

        async def serve() -> None:
            pause_s, clock = RETRY_S, asyncio.get_running_loop().time
            while True:
                began = clock()
                await _supervised(name, work())
                if clock() - began > STEADY_S:
                    pause_s = RETRY_S
                await asyncio.sleep(pause_s)
                pause_s = min(2 * pause_s, RETRY_S_MAX)

        self._spawn(name, serve())

    def _spawn(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(_supervised(name, work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _supervised(name: str, work: Coroutine[Any, Any, None]) -> None:
    """Log a fault of one task instead of ending the agent; the level-triggered loop continues."""
    try:
        await work
    except Exception:  # the one supervisor of the agent's tasks
        log.exception("task.failed", task=name)
