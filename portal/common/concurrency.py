"""Small tools for asyncio: blocking code in threads, the first of several coroutines, reading ahead."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator
from functools import partial
from typing import Any, Final, Generic, ParamSpec, TypeVar

from django.db import close_old_connections

P = ParamSpec("P")
T = TypeVar("T")

RunInThread = Callable[[Callable[[], bool]], Coroutine[Any, Any, bool]]

CALL_TIMEOUT_S: Final = 30.0
"""Above the database's own statement time-out, so that the thread has ended by then."""


async def run_in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking function in the loop's thread pool.

    Raises:
        TimeoutError: after `CALL_TIMEOUT_S`.
    """
    async with asyncio.timeout(CALL_TIMEOUT_S):
        return await asyncio.to_thread(with_own_connection, partial(function, *args, **kwargs))


def with_own_connection(call: Callable[[], T]) -> T:
    """Make a call in a thread that is kept; a connection that it takes goes back to the pool."""
    close_old_connections()
    try:
        return call()
    finally:
        close_old_connections()


async def first_completed(*coroutines: Coroutine[Any, Any, T]) -> T:
    """Run coroutines together; return (or raise) the result of the first to end.

    The others have been cancelled and have ended by then.
    """
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return next(task for task in tasks if task in done).result()


class ThreadedReadAhead(Generic[T]):
    """What a blocking iterator yields; it runs in a thread, up to `most` items ahead of the reader.

    A thread is held only while there is room for another item, so slow readers hold none.
    """

    def __init__(self, run: RunInThread, source: Iterator[T], most: int) -> None:
        """`run` runs a function in a thread, and returns when that has ended, also when cancelled."""
        self._run, self._source, self._most = run, source, most
        self._ready = deque[T]()
        self._changed = asyncio.Event()
        self._filling: asyncio.Future[bool] | None = None

    async def items(self) -> AsyncGenerator[T]:
        """Yield all of it, and raise what it raised after that; close this one before it is left."""
        try:
            while True:
                filling = self._filling = self._fill_on()
                if self._ready:
                    yield self._ready.popleft()
                elif filling.done():
                    filling.result()
                    return
                else:
                    self._changed.clear()
                    await self._changed.wait()
        finally:
            if self._filling is not None:
                self._filling.cancel()
                await asyncio.gather(self._filling, return_exceptions=True)

    def _fill_on(self) -> asyncio.Future[bool]:
        """Return what draws from the source, begun again where it has ended and there is room."""
        filling = self._filling
        if filling is not None:
            is_over = filling.done() and (filling.exception() or not filling.result())
            if is_over or not filling.done() or len(self._ready) >= self._most:
                return filling
        filling = asyncio.ensure_future(self._run(partial(self._fill, asyncio.get_running_loop())))
        filling.add_done_callback(lambda _: self._changed.set())
        return filling

    def _fill(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Fill what is free; return whether there may be more. Runs in a thread."""
        while len(self._ready) < self._most:
            for item in self._source:
                self._ready.append(item)
                loop.call_soon_threadsafe(self._changed.set)
                break
            else:
                return False
        return True


async def read_ahead(source: AsyncIterator[T]) -> AsyncGenerator[T]:
    """Yield what the source yields, and ask it for the next meanwhile; close this one before it is left."""
    following = asyncio.ensure_future(_next(source))
    try:
        while found := await following:
            following = asyncio.ensure_future(_next(source))
            yield found[0]
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def _next(source: AsyncIterator[T]) -> tuple[T] | None:
    """Return the next item in a tuple; None at the end."""
    async for item in source:
        return (item,)
    return None
