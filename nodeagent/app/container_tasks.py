"""Tasks that carry each container through its life: start, readiness, end, log, removal.

They carry out the core's decisions and make none.
"""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

import structlog
from pydantic import ValidationError

from nodeagent.app.readiness import ReadinessCheck, unanswered_probe
from nodeagent.app.stop_warnings import GRACE_MS, StopWarnings
from nodeagent.core.events import (
    CheckpointSeen,
    ContainerChanged,
    ContainerEnded,
    ContainerFound,
    Event,
)
from nodeagent.core.state import (
    PAUSED_BY_HAND,
    Container,
    ContainerKey,
    DesiredEntry,
    Finished,
    PendingStop,
)
from nodeagent.host.secret_files import StartSecrets
from nodeagent.link.log_shipping import Shipper
from nodeagent.ports import (
    Clock,
    ContainerOrder,
    ContainerRuntime,
    ProcessScope,
    ProgressCallback,
    RunningContainer,
    RuntimeUnavailableError,
    Sharing,
    StartError,
)
from wire.messages import ContainerSpec
from wire.words import ExitCause, Phase

log = structlog.get_logger()

START_S: Final = 1800.0
"""Pulling a large image takes long; every other step of a start has its own deadline."""
STOP_S: Final = 30.0
"""What a stop may take beyond its grace."""
DISCOVERY_S: Final = 10.0
RETRY_S: Final = 1.0
CHECKPOINTS_S: Final = 2.0
ENFORCED_CAUSES: Final = frozenset(
    {ExitCause.GPU_MEMORY_EXCEEDED, ExitCause.DEVICE_LOST, ExitCause.DISK_FULL}
)
"""Causes of stops that are decided outside of the core, each with a detail of its own."""

Spawn = Callable[[str, Coroutine[Any, Any, None]], None]


class RunnerCalls(NamedTuple):
    """What the agent's runner does for the tasks around its containers."""

    spawn: Spawn
    """Runs a task beside the others, by its name in the log."""
    may_run: Callable[[], bool]
    """Tells whether work may run now."""


class ContainerTasks:
    """Carries out the core's commands on a runtime, and reports the results as events."""

    def __init__(
        self,
        runtime: ContainerRuntime,
        shipper: Shipper,
        clock: Clock,
        calls: RunnerCalls,
        sharing: Sharing,
        readiness: ReadinessCheck,
    ) -> None:
        self._runtime = runtime
        self._shipper = shipper
        self._clock = clock
        self._spawn, self._may_run = calls
        self._sharing = sharing
        self._readiness = readiness
        self._secrets: StartSecrets | None = None
        self._details: dict[ContainerKey, str] = {}
        self._known: set[ContainerKey] = set()
        self._stops: dict[ContainerKey, ExitCause] = {}
        self._unready: dict[ContainerKey, int] = {}
        """Of those that are stopped because they were not ready in time: how many seconds they had."""
        self._warnings = StopWarnings(runtime, clock)
        self._paused: set[ContainerKey] = set()
        self._send_event: Callable[[Event], None] = lambda _: None

    def set_event_sink(self, send_event: Callable[[Event], None]) -> None:
        """Set where events are sent."""
        self._send_event = send_event

    def set_secrets(self, secrets: StartSecrets | None) -> None:
        """Set where secrets come from; without, work that has some fails to start."""
        self._secrets = secrets

    def adopt(self, running: RunningContainer) -> None:
        """Follow a container that was there before this agent."""
        self._known.add(running.container.key)
        self._spawn("follow", self._follow(running))

    def ship_rest_of_log(self, end: Finished) -> None:
        """Ship the rest of the log of a container that ended before this agent started."""
        self._shipper.mark_ended(end.key)
        self._spawn("ship", self._shipper.ship(end.key))

    async def start(self, desired: DesiredEntry) -> None:
        """Start a container and follow it to its end; the end is reported in any case."""
        key = desired.key
        self._known.add(key)
        if key in self._stops:
            self._report_end(
                self._failed_start(key, self._stops[key], "stopped before it was started")
            )
            return
        try:
            order = ContainerOrder(
                key,
                desired.devices,
                ContainerSpec.model_validate_json(desired.spec),
                silence=desired.silence,
            )
            async with asyncio.timeout(START_S):
                running = await self._prepare_and_start(order)
        except StartError as error:
            await self._release_and_report(self._failed_start(key, error.cause, error.detail))
        except ValidationError as error:
            self._report_end(self._failed_start(key, ExitCause.START_FAILED, str(error)))
        except (RuntimeUnavailableError, TimeoutError) as error:
            await self._abort_start(key, f"engine_silent: {str(error) or 'no answer in time'}")
        except Exception as error:  # a start without an end would hold its cards indefinitely
            log.exception("start.failed", allocation=key.allocation, epoch=key.epoch)
            await self._abort_start(key, f"engine_failed: {error!r}")
        else:
            await self._follow(running)

    async def _prepare_and_start(self, order: ContainerOrder) -> RunningContainer:
        """Prepare its cards, and start it with its limits in force."""
        prepared = replace(order, injection=await self._sharing.prepare(order))
        if order.spec.has_secrets:
            prepared = replace(prepared, secrets=await self._start_secrets().fetch(order.key))
        if order.spec.has_registry_login:
            login = await self._start_secrets().fetch_registry_login()
            prepared = replace(prepared, registry_login=login)
        if order.key in self._stops:
            raise StartError(self._stops[order.key], "stopped while its cards were prepared")

        async def apply_limits(scope: ProcessScope) -> None:
            await self._sharing.enforce(prepared, scope)
            if not self._may_run():
                raise StartError(ExitCause.LEASE_ENDED, "the lease ended while limits were set")

        return await self._runtime.start(prepared, self._progress_callback(order.key), apply_limits)

    def _start_secrets(self) -> StartSecrets:
        if self._secrets is None:
            raise StartError(ExitCause.NODE_FAULT, "secrets_unsupported")
        return self._secrets

    def report_refusal(self, key: ContainerKey, detail: str) -> None:
        """Report that a container cannot be started for a reason of the node's own."""
        self._report_end(self._failed_start(key, ExitCause.VANISHED, detail))

    def live_keys(self) -> Collection[ContainerKey]:
        """Return every container that exists or is being created."""
        return self._known

    async def warn_before_stop(self, key: ContainerKey, stop: PendingStop) -> None:
        """Warn the work that it will be stopped; if that fails, it is stopped all the same."""
        await self._warnings.warn_before(key, stop)

    async def warn_for(self, key: ContainerKey, cause: ExitCause, detail: str) -> None:
        """Warn the work of why and when it will be stopped."""
        await self._warnings.warn_for(key, cause, detail)

    async def stop_for(self, key: ContainerKey, cause: ExitCause, detail: str) -> None:
        """Stop one container for what it did or lost; its end reports the detail."""
        self._details.setdefault(key, detail)
        await self.stop(key, cause, GRACE_MS)

    async def watch_checkpoints(self) -> None:
        """Report every time at which some work has written its checkpoint file."""
        reported: Mapping[ContainerKey, int] = {}
        while True:
            await asyncio.sleep(CHECKPOINTS_S)
            found = await self._runtime.read_checkpoints(self._known)
            for key, at in found.items():
                if reported.get(key) != at:
                    self._send_event(CheckpointSeen(key, at))
            reported = found

    async def stop(self, key: ContainerKey, cause: ExitCause, grace_ms: int) -> None:
        """Request a stop; the core requests one that fails again."""
        self._stops[key] = cause
        await self._warnings.wait_delivered(key)
        try:
            async with asyncio.timeout(grace_ms / 1000 + STOP_S):
                await self._runtime.stop(key, cause, grace_ms)
        except (RuntimeUnavailableError, OSError) as error:  # `TimeoutError` is one
            log.warning("stop.failed", allocation=key.allocation, error=str(error))

    async def remove(self, key: ContainerKey) -> None:
        """Remove a settled container, once its log was shipped or given up."""
        if not await self._shipper.wait_shipped(key):
            log.warning("log.abandoned", allocation=key.allocation, epoch=key.epoch)
        self._shipper.forget(key)
        try:
            await self._runtime.remove(key)
        except (RuntimeUnavailableError, OSError) as error:
            log.warning("remove.failed", allocation=key.allocation, error=str(error))

    async def run_discovery(self) -> None:
        """Look repeatedly for containers that no task follows, such as one that started too late."""
        while True:
            await asyncio.sleep(DISCOVERY_S)
            await self.discover()

    async def discover(self) -> None:
        """Look once; a runtime that does not answer is asked again later."""
        try:
            held = await self._runtime.list_containers()
        except RuntimeUnavailableError as error:
            log.warning("runtime.silent", error=str(error))
            return
        running = [item for item in held if isinstance(item, RunningContainer)]
        self._report_paused({item.container.key: item.container for item in running})
        for item in running:
            if item.container.key not in self._known:
                self._send_event(ContainerFound(item.container))
                self.adopt(item)

    def _report_paused(self, live: Mapping[ContainerKey, Container]) -> None:
        """Report work that was paused or unpaused by hand: it keeps what it holds."""
        paused = {key for key, item in live.items() if item.detail == PAUSED_BY_HAND}
        for key in (paused ^ self._paused) & live.keys():
            item = live[key]
            self._send_event(
                ContainerChanged(key, item.phase, started_at=item.started_at, detail=item.detail)
            )
        self._paused = paused

    async def _follow(self, running: RunningContainer) -> None:
        """Report a live container until it has ended."""
        key = running.container.key
        self._spawn("ship", self._shipper.ship(key))
        is_ready = asyncio.Event()
        readiness = asyncio.create_task(self._report_when_ready(running, is_ready))
        try:
            end = await self._wait_for_end(key)
        finally:
            readiness.cancel()
        if key in self._unready:
            end = replace(end, detail=f"not_ready: no answer within {self._unready[key]} s")
        elif end.cause is ExitCause.EXITED and not is_ready.is_set():
            detail = f"ended_early: exit code {end.exit_code} before it was ready"
            end = replace(end, cause=ExitCause.START_FAILED, detail=detail)
        await self._release_and_report(
            replace(end, checkpointed_at=await self._read_checkpoint(key))
        )

    async def _wait_for_end(self, key: ContainerKey) -> Finished:
        """Wait for the end; retry if the runtime fails, because nothing else reports the end."""
        while True:
            try:
                return await self._runtime.wait_for_end(key)
            except Exception:  # an end that is never reported would hold its cards indefinitely
                log.exception("end.unknown", allocation=key.allocation, epoch=key.epoch)
            await asyncio.sleep(RETRY_S)

    async def _read_checkpoint(self, key: ContainerKey) -> int | None:
        """Return when the work last wrote its checkpoint file; a disk that fails delays no end."""
        try:
            return (await self._runtime.read_checkpoints([key])).get(key)
        except OSError as error:
            log.warning("checkpoint.unknown", allocation=key.allocation, error=str(error))
            return None

    async def _report_when_ready(self, running: RunningContainer, is_ready: asyncio.Event) -> None:
        """Report that the work is ready: when it runs, or when it has answered its probe."""
        container, endpoint = running.container, running.endpoint
        key, probe = container.key, unanswered_probe(running)
        if probe is None:
            is_ready.set()
            self._send_event(_ready_event(container, container.port))
            return
        self._send_event(_waiting_event(container))
        try:
            async with asyncio.timeout(probe.deadline_s):
                await self._readiness.wait_until_ready(running, probe)
        except TimeoutError:
            self._unready[key] = probe.deadline_s
            await self.stop(key, ExitCause.START_FAILED, grace_ms=0)
            return
        is_ready.set()
        try:
            await self._runtime.mark_ready(key)
        except (RuntimeUnavailableError, OSError) as error:
            # It is ready all the same; only a later agent checks that once more.
            log.warning("ready.not_kept", allocation=key.allocation, error=str(error))
        self._send_event(_ready_event(container, endpoint.port if endpoint else None))

    async def _abort_start(self, key: ContainerKey, detail: str) -> None:
        """Clean up after a start with unknown result, then report the container's end."""
        await self.stop(key, ExitCause.NODE_FAULT, grace_ms=0)
        end = await self._wait_for_end(key)
        await self._release_and_report(
            replace(end, cause=ExitCause.NODE_FAULT, detail=detail[:200])
        )

    def _progress_callback(self, key: ContainerKey) -> ProgressCallback:
        """Return the callback that reports the steps of a start, and ends it once work may not run.

        An agent that was frozen in the middle of a start does not know for how long.
        """

        def report(step: str, progress_pct: int | None = None) -> None:
            if not self._may_run():
                raise StartError(ExitCause.LEASE_ENDED, "the lease ended before the start")
            self._send_event(
                ContainerChanged(key, Phase.STARTING, detail=step, progress_pct=progress_pct)
            )

        return report

    def _failed_start(self, key: ContainerKey, cause: ExitCause, detail: str) -> Finished:
        return Finished(key, cause, self._clock.wall_ms(), detail=detail[:200])

    async def _release_and_report(self, end: Finished) -> None:
        """Remove secrets and limits as soon as nothing runs with them, then report the end."""
        self._remove_secrets(end.key)
        try:
            await self._sharing.release(end.key)
        finally:
            self._report_end(end)

    def _remove_secrets(self, key: ContainerKey) -> None:
        """Remove the files of its secrets; a fault delays no end, the next agent removes them."""
        try:
            if self._secrets is not None:
                self._secrets.remove(key)
        except OSError as error:
            log.warning("secrets.not_removed", allocation=key.allocation, error=str(error))

    def _report_end(self, end: Finished) -> None:
        detail = self._details.pop(end.key, None)
        if detail is not None and end.cause in ENFORCED_CAUSES:
            end = replace(end, detail=detail[:200])
        self._known.discard(end.key)
        self._stops.pop(end.key, None)
        self._unready.pop(end.key, None)
        self._warnings.forget(end.key)
        self._shipper.mark_ended(end.key)
        age_ms = max(self._clock.wall_ms() - end.finished_at, 0)
        self._send_event(ContainerEnded(replace(end, ended_at=self._clock.now_ms() - age_ms)))


def _waiting_event(container: Container) -> ContainerChanged:
    return ContainerChanged(
        container.key,
        container.phase,
        started_at=container.started_at,
        detail="waiting_for_http",
        is_ready=container.is_ready,
    )


def _ready_event(container: Container, port: int | None) -> ContainerChanged:
    return ContainerChanged(
        container.key,
        Phase.RUNNING,
        port,
        container.started_at,
        isolation=container.isolation,
        is_ready=None if container.is_ready is None else True,
    )
