"""Small tools for asyncio: blocking code in a thread, the first of several coroutines, reading ahead."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from functools import partial
from typing import Any, Final, ParamSpec, TypeVar

from django.db import close_old_connections

P = ParamSpec("P")
T = TypeVar("T")

CALL_TIMEOUT_S: Final = 30.0
"""Above the database's own statement time-out, so that the thread has ended by then."""


async def run_in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking function in the loop's thread pool.

    Raises:
        TimeoutError: after `CALL_TIMEOUT_S`.
    """
    async with asyncio.timeout(CALL_TIMEOUT_S):
        return await asyncio.to_thread(_with_own_connection, partial(function, *args, **kwargs))


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


def _with_own_connection(call: Callable[[], T]) -> T:
    close_old_connections()
    try:
        return call()
    finally:
        close_old_connections()
