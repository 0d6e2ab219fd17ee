"""Waiting in tests: for a condition, with a deadline, never for a time.

A deadline ends a run that hangs; it measures nothing, so a busy machine must never reach it.
"""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

PATIENCE_S: Final = 60.0
_INTERVAL_S: Final = 0.02
_never = threading.Event()
_T = TypeVar("_T")


def wait_until(
    condition: Callable[[], object], *, within_s: float = PATIENCE_S, every_s: float = _INTERVAL_S
) -> None:
    """Return once the condition holds; fail the test when it does not in time."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, f"not within {within_s} s: {condition}"
        _never.wait(every_s)


async def eventually(
    condition: Callable[[], object], *, within_s: float = PATIENCE_S, every_s: float = _INTERVAL_S
) -> None:
    """Return once the condition holds, letting the event loop run; fail the test otherwise."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, f"not within {within_s} s: {condition}"
        await asyncio.sleep(every_s)


async def eventually_read(
    read: Callable[[], Awaitable[_T]],
    is_enough: Callable[[_T], object],
    *,
    within_s: float = PATIENCE_S,
    every_s: float = _INTERVAL_S,
) -> _T:
    """Return what `read` gives once it is enough; fail the test otherwise."""
    deadline = time.monotonic() + within_s
    while not is_enough(found := await read()):
        assert time.monotonic() < deadline, f"not within {within_s} s: {found!r}"
        await asyncio.sleep(every_s)
    return found
