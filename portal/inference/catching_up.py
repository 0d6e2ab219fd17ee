"""Waiting for a table of routes that is newer than a request.

A key or a service that was made a moment ago is not in the table of a moment ago: before a request is refused
for what it names, a table is read that has what existed when the request came. Many requests wait for one
read, and reads have a pause between them, so that wrong keys cost the control plane nothing to speak of.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

READ_EVERY_S: Final = 1.0
"""Between two reads of the table that nobody asks for."""
READ_PAUSE_S: Final = 0.5
"""Between two reads of the table at least, however many ask."""
WAIT_S: Final = 2.0
"""How long a request waits for a newer table at most; then the one that there is decides."""
WAITING_MAX: Final = 1000
"""Requests that wait for a read of the table at a time; further ones are decided at once."""


class NewerTable:
    """The requests that wait for the next read, and what starts it."""

    def __init__(self, wait_s: float = WAIT_S) -> None:
        """Let a request wait so long."""
        self._wait_s = wait_s
        self._asked = asyncio.Event()
        self._waiting: set[asyncio.Future[None]] = set()

    @property
    def waiting(self) -> int:
        """Return how many requests wait for a read to begin."""
        return len(self._waiting)

    async def wait(self) -> None:
        """Wait until a read has ended that begins from now on."""
        if len(self._waiting) >= WAITING_MAX:
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        self._asked.set()
        try:
            await asyncio.wait({future}, timeout=self._wait_s)
        finally:
            self._waiting.discard(future)

    async def until_due(self) -> None:
        """Return when the next read may begin: as soon as somebody asks, after the pause."""
        await asyncio.sleep(READ_PAUSE_S)
        with suppress(TimeoutError):
            async with asyncio.timeout(READ_EVERY_S - READ_PAUSE_S):
                await self._asked.wait()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read within this block: what waits at its begin continues at its end."""
        self._asked.clear()
        served, self._waiting = self._waiting, set()
        try:
            yield
        finally:
            for future in served:
                if not future.done():
                    future.set_result(None)
