"""The one bridge from the event loop to code that blocks: a thread and a time-out."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final, ParamSpec, TypeVar

from django.db import close_old_connections

P = ParamSpec("P")
T = TypeVar("T")

CALL_TIMEOUT_S: Final = 30.0
"""Above the database's own statement time-out, so that the thread has ended by then."""


async def in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking function in the loop's thread pool; raises `TimeoutError` when it hangs."""
    async with asyncio.timeout(CALL_TIMEOUT_S):
        return await asyncio.to_thread(_with_own_connection, partial(function, *args, **kwargs))


def _with_own_connection(call: Callable[[], T]) -> T:
    close_old_connections()
    try:
        return call()
    finally:
        close_old_connections()
