"""Observes the state of this node's containers; the end of each is written once."""

from dataclasses import replace
from pathlib import Path
from typing import Final

import structlog

from nodeagent.core.state import PAUSED_BY_HAND, Finished
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.launch_faults import name_launch_fault
from nodeagent.disk.notices import order_stop
from nodeagent.disk.script_faults import name_script_fault
from nodeagent.disk.stop_files import StopOrder
from nodeagent.docker.containers import inspection
from nodeagent.docker.containers.log_copies import LogCopies
from nodeagent.docker.containers.node_containers import NodeContainers
from nodeagent.host.clock import SystemClock
from nodeagent.host.disk_space import is_any_full
from nodeagent.ports import RunningContainer
from wire.words import ExitCause

log = structlog.get_logger()

FIRST_WORDS: Final = 300


class ContainerObserver:
    """Compares a container's directory with the engine's state of it."""

    def __init__(self, containers: NodeContainers, logs: LogCopies, storage_dir: Path) -> None:
        self._containers = containers
        self._logs = logs
        self._storage_dir = storage_dir

    async def observe(
        self, directory: ContainerDir, state: str | None
    ) -> RunningContainer | Finished:
        """Return the container, or its end; `state` is the engine's, None for an unknown container."""
        end = directory.read_status().end
        if end is not None:
            return end
        if state in inspection.LIVE_STATES:
            self._logs.follow(directory)
            return _running(directory, state)
        end = await self._observe_end(directory, state)
        if state == "created":
            await self._containers.delete(directory.key)
        _write_end(directory, end)
        return end

    async def _observe_end(self, directory: ContainerDir, state: str | None) -> Finished:
        found = None
        if state in inspection.ENDED_STATES:
            found = await self._containers.inspect(directory.key)
        await self._logs.finish(directory, is_there=found is not None)
        if found is None:
            return _vanished(directory)
        first_output = directory.read_log(0, FIRST_WORDS).decode(errors="replace")
        end = inspection.parse_end(directory.key, found, directory.stops.read_order(), first_output)
        if directory.is_barrier_closed and end.cause is ExitCause.EXITED:
            detail = "the agent ended before the limits were set"
            return replace(end, cause=ExitCause.VANISHED, exit_code=None, detail=detail)
        end = name_script_fault(name_launch_fault(end, directory), directory)
        has_failed = end.cause is ExitCause.EXITED and end.exit_code != 0
        if has_failed and await is_any_full(self._storage_dir, directory.path):
            return replace(
                end, cause=ExitCause.DISK_FULL, detail="the node's disk was full at the end"
            )
        return end


def to_whole_seconds(grace_ms: int) -> int:
    """Return a grace in the engine's unit, rounded up: nothing is killed before its deadline."""
    return -(-grace_ms // 1000)


def write_stop_order(directory: ContainerDir, cause: ExitCause, grace_ms: int) -> StopOrder:
    """Write an order to stop before it is carried out, so that its cause is known afterwards.

    A full disk must not keep work alive: then only the exit code tells how it ended.
    """
    now_ms, wall_ms = SystemClock().now_ms(), SystemClock().wall_ms()
    try:
        return order_stop(directory, cause, grace_ms, now_ms=now_ms, wall_ms=wall_ms)
    except OSError as error:
        log.warning("stop.not_written", allocation=directory.key.allocation, error=str(error))
        return StopOrder(cause, now_ms + grace_ms)


def _write_end(directory: ContainerDir, end: Finished) -> None:
    """Write the end; while the disk refuses it, every observation finds the same end again."""
    try:
        directory.write_end(end)
    except OSError as error:
        log.warning("end.not_written", allocation=directory.key.allocation, error=str(error))


def _running(directory: ContainerDir, state: str) -> RunningContainer:
    container = directory.read_container()
    if state == inspection.PAUSED:
        container = replace(container, detail=PAUSED_BY_HAND)
    return RunningContainer(container, directory.read_endpoint(), directory.read_probe())


def _vanished(directory: ContainerDir) -> Finished:
    order = directory.stops.read_order()
    return Finished(
        directory.key,
        order.cause if order else ExitCause.VANISHED,
        finished_at=SystemClock().wall_ms(),
        started_at=directory.read_status().started_at,
        detail="the container is gone from the engine",
    )
