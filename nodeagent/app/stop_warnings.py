"""Warns work before it is stopped: by its notice file and the signal that it chose."""

import asyncio
from contextlib import suppress
from typing import Final

import structlog

from nodeagent.core.state import ContainerKey, GracePeriod, PendingStop
from nodeagent.core.stop_notice import StopNotice
from nodeagent.ports import Clock, ContainerRuntime, RuntimeUnavailableError
from wire.words import ExitCause

log = structlog.get_logger()

DELIVERY_S: Final = 30.0
FIRST_S: Final = 2.0
"""What a warning may delay the stop by that follows it."""
NOTICE_MS: Final = 10_000
"""Between the warning about what the work can still change, and the stop."""
GRACE_MS: Final = 10_000


class StopWarnings:
    """Delivers warnings through the runtime; one that fails delays no stop."""

    def __init__(self, runtime: ContainerRuntime, clock: Clock) -> None:
        self._runtime = runtime
        self._clock = clock
        self._delivered: dict[ContainerKey, asyncio.Event] = {}

    async def warn_before(self, key: ContainerKey, stop: PendingStop) -> None:
        """Warn the work of a stop that was decided."""
        is_delivered = self._delivered[key] = asyncio.Event()
        try:
            await self._deliver(key, self._notice_of(stop))
        finally:
            is_delivered.set()

    async def warn_for(self, key: ContainerKey, cause: ExitCause, detail: str) -> None:
        """Warn the work of why and when it will be stopped unless it changes something."""
        stop_at = self._clock.wall_ms() + NOTICE_MS
        notice = StopNotice(f"{cause.value}: {detail}", "", stop_at, stop_at + GRACE_MS)
        await self._deliver(key, notice)

    async def wait_delivered(self, key: ContainerKey) -> None:
        """Wait until the work can read of its stop, but not for long."""
        if key in self._delivered:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._delivered[key].wait(), FIRST_S)

    def forget(self, key: ContainerKey) -> None:
        """Forget a container that has ended."""
        self._delivered.pop(key, None)

    def _notice_of(self, stop: PendingStop) -> StopNotice:
        """Return the notice with the times of the decision, however late it is delivered."""
        grace = stop.notice or GracePeriod(stop.grace_ms)
        begun_at = self._clock.wall_ms()
        if stop.warned_at is not None:
            begun_at -= self._clock.now_ms() - stop.warned_at
        stop_at, deadline = begun_at + grace.notice_ms, begun_at + grace.total_ms
        return StopNotice(grace.reason, grace.signal, stop_at, deadline, stop)

    async def _deliver(self, key: ContainerKey, notice: StopNotice) -> None:
        try:
            async with asyncio.timeout(DELIVERY_S):
                await self._runtime.deliver_notice(key, notice)
        except (RuntimeUnavailableError, OSError) as error:  # `TimeoutError` is one
            log.warning("warn.failed", allocation=key.allocation, error=str(error))
