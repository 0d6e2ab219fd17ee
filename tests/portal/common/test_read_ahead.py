"""What is read ahead comes in its order, whole, and is not read after its reader has left."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing

import pytest

from portal.common.concurrency import ThreadedReadAhead, read_ahead


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


class Drawn:
    """Numbers drawn in a thread; says how many were drawn, and whether the thread is still."""

    def __init__(self, count: int, error: Exception | None = None) -> None:
        self.drawn = 0
        self.is_still = asyncio.Event()
        self.is_still.set()
        self._count, self._error = count, error

    async def run(self, function: Callable[[], bool]) -> bool:
        self.is_still.clear()
        try:
            return await asyncio.to_thread(function)
        finally:
            self.is_still.set()

    def source(self) -> Iterator[int]:
        assert threading.current_thread() is not threading.main_thread()
        for number in range(self._count):
            self.drawn += 1
            yield number
        if self._error:
            raise self._error

    def ahead(self, most: int) -> ThreadedReadAhead[int]:
        return ThreadedReadAhead(self.run, self.source(), most)


@pytest.mark.parametrize("count", [0, 1, 3, 100])
@pytest.mark.parametrize("most", [1, 4])
def test_all_that_a_thread_draws_comes_in_its_order(count: int, most: int) -> None:
    async def run() -> list[int]:
        return [number async for number in Drawn(count).ahead(most).items()]

    assert asyncio.run(run()) == list(range(count))


def test_no_more_is_drawn_than_there_is_room_for_and_no_thread_waits_for_the_reader() -> None:
    async def run() -> None:
        drawn, seen = Drawn(100), 0
        async with aclosing(drawn.ahead(4).items()) as items:
            async for _ in items:
                seen += 1
                await drawn.is_still.wait()
                assert drawn.drawn <= seen + 4
                if seen == 50:
                    break
        assert drawn.is_still.is_set()

    asyncio.run(run())


def test_what_the_source_raises_comes_after_all_that_was_drawn() -> None:
    seen = list[int]()

    async def run() -> None:
        drawn = Drawn(3, ConnectionError())
        async with aclosing(drawn.ahead(8).items()) as items:
            async for number in items:
                await drawn.is_still.wait()
                seen.append(number)

    with pytest.raises(ConnectionError):
        asyncio.run(run())
    assert seen == [0, 1, 2]


def test_nothing_is_drawn_any_more_when_the_reader_has_left() -> None:
    async def run() -> Drawn:
        drawn = Drawn(100)
        async with aclosing(drawn.ahead(4).items()) as items:
            async for _ in items:
                break
        assert drawn.is_still.is_set()
        return drawn

    assert asyncio.run(run()).drawn <= 5
