"""What is read ahead comes in its order, whole, and is not read after its reader has left."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing

import pytest

from portal.common.concurrency import read_ahead


class Source:
    """Yields numbers; says how many were asked for, and whether it was interrupted."""

    def __init__(self, count: int, end: Callable[[], Awaitable[object]]) -> None:
        self.asked = 0
        self.is_interrupted = False
        self._count, self._end = count, end

    async def items(self) -> AsyncIterator[int]:
        for number in range(self._count):
            self.asked += 1
            yield number
        try:
            await self._end()
        except asyncio.CancelledError:
            self.is_interrupted = True
            raise


async def nothing() -> None:
    """End well."""


async def broken() -> None:
    raise ConnectionError


def test_all_comes_in_its_order_and_the_next_is_asked_for_meanwhile() -> None:
    async def run() -> None:
        source, seen = Source(3, nothing), list[tuple[int, int]]()
        async with aclosing(read_ahead(source.items())) as ahead:
            async for number in ahead:
                await asyncio.sleep(0)  # a turn for what is read ahead
                seen.append((number, source.asked))
        assert seen == [(0, 2), (1, 3), (2, 3)]

    asyncio.run(run())


def test_a_failure_comes_after_all_that_came_before_it() -> None:
    seen = list[int]()

    async def run() -> None:
        async with aclosing(read_ahead(Source(2, broken).items())) as ahead:
            async for number in ahead:
                await asyncio.sleep(0)
                seen.append(number)

    with pytest.raises(ConnectionError):
        asyncio.run(run())
    assert seen == [0, 1]


def test_who_leaves_interrupts_what_is_read_ahead() -> None:
    async def run() -> Source:
        source = Source(1, asyncio.Event().wait)
        async with aclosing(read_ahead(source.items())) as ahead:
            async for _ in ahead:
                await asyncio.sleep(0)
                break
        return source

    source = asyncio.run(run())
    assert (source.asked, source.is_interrupted) == (1, True)
