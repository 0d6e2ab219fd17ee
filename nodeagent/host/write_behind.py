"""Writes the newest value to disk without making the event loop wait."""

import asyncio
from collections.abc import Callable
from typing import Final, Generic, TypeVar

import structlog

log = structlog.get_logger()

T = TypeVar("T")

RETRY_S: Final = 1.0


class WriteBehind(Generic[T]):
    """One writer thread at a time; values that were superseded before their turn are never written."""

    def __init__(self, name: str, write: Callable[[T], None], retry_s: float = RETRY_S) -> None:
        self._name = name
        self._retry_s = retry_s
        self._write = write
        self._pending: list[T] = []
        self._puts = 0
        self._written = 0
        self._progress = asyncio.Condition()
        self._changed = asyncio.Event()

    def put(self, value: T) -> None:
        """Schedule a value to be written as soon as the disk is free."""
        self._pending = [value]
        self._puts += 1
        self._changed.set()

    async def wait_written(self) -> None:
        """Wait until all values put before this call are written; the caller sets the time limit."""
        target = self._puts
        async with self._progress:
            await self._progress.wait_for(lambda: self._written >= target)

    async def run(self) -> None:
        """Write until cancelled; failed writes are retried."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            puts, value = self._puts, self._pending[-1]
            try:
                await asyncio.to_thread(self._write, value)
            except OSError as error:
                log.warning("save.failed", what=self._name, error=str(error))
                await asyncio.sleep(self._retry_s)
                self._changed.set()
                continue
            async with self._progress:
                self._written = puts
                self._progress.notify_all()
