"""What a container of this node is now, and how it ended; an end is written down once."""

from dataclasses import replace
from pathlib import Path
from typing import Final

import structlog

from nodeagent.core.state import PAUSED_BY_HAND, Finished
from nodeagent.disk.container_dir import ContainerDir, StopOrder
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
    """Compares a container's directory with the engine's word."""

    def __init__(self, containers: NodeContainers, logs: LogCopies, storage_dir: Path) -> None:
        self._containers = containers
        self._logs = logs
        self._storage_dir = storage_dir

    async def look(self, place: ContainerDir, state: str | None) -> RunningContainer | Finished:
        """Return what it is; `state` is the engine's word, None when it does not know it."""
        end = place.status().end
        if end is not None:
            return end
        if state in inspection.LIVE_STATES:
            self._logs.follow(place)
            return _running(place, state)
        end = await self._end(place, state)
        if state == "created":
            await self._containers.delete(place.key)
        _write_end(place, end)
        return end

    async def _end(self, place: ContainerDir, state: str | None) -> Finished:
        found = None
        if state in inspection.ENDED_STATES:
            found = await self._containers.inspected(place.key)
        await self._logs.finish(place)
        if found is None:
            return _vanished(place)
        words = place.read_log(0, FIRST_WORDS).decode(errors="replace")
        end = inspection.parse_end(place.key, found, place.stop_order(), words)
        if place.is_gate_closed and end.cause is ExitCause.EXITED:
            detail = "the agent ended before the limits were set"
            return replace(end, cause=ExitCause.VANISHED, exit_code=None, detail=detail)
        has_failed = end.cause is ExitCause.EXITED and end.exit_code != 0
        if has_failed and await is_any_full(self._storage_dir, place.path):
            return replace(
                end, cause=ExitCause.DISK_FULL, detail="the node's disk was full at the end"
            )
        return end


def write_stop_order(place: ContainerDir, cause: ExitCause, deadline: int) -> StopOrder:
    """Write an order to stop down first, so that the cause is known whoever carries it out.

    A disk that refuses must not keep work alive: then the exit code alone says how it ended.
    """
    try:
        return place.order_stop(cause, deadline)
    except OSError as error:
        log.warning("stop.not_written", allocation=place.key.allocation, error=str(error))
        return StopOrder(cause, deadline)


def _write_end(place: ContainerDir, end: Finished) -> None:
    """Keep the last word; while the disk refuses, every look finds the same end anew."""
    try:
        place.write_end(end)
    except OSError as error:
        log.warning("end.not_written", allocation=place.key.allocation, error=str(error))


def _running(place: ContainerDir, state: str) -> RunningContainer:
    container = place.container()
    if state == inspection.PAUSED:
        container = replace(container, detail=PAUSED_BY_HAND)
    return RunningContainer(container, place.endpoint())


def _vanished(place: ContainerDir) -> Finished:
    order = place.stop_order()
    return Finished(
        place.key,
        order.cause if order else ExitCause.VANISHED,
        finished_at=SystemClock().wall_ms(),
        started_at=place.status().started_at,
        detail="the container is gone from the engine",
    )
