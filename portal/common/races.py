"""Several things awaited at once, of which the first to end decides."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def first(*runners: Coroutine[Any, Any, T]) -> T:
    """Return (or raise) what the first to end gives; the others are cancelled and gone by then."""
    tasks = [asyncio.ensure_future(runner) for runner in runners]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return next(task for task in tasks if task in done).result()
