"""Waiting in tests: for a condition, with a deadline, never for a time.

A deadline ends a run that hangs; it measures nothing, so a busy machine must never reach it.
"""

import asyncio
import inspect
import threading
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar

T = TypeVar("T")

PATIENCE_S: Final = 60.0
_INTERVAL_S: Final = 0.02
_never = threading.Event()


def wait_until(
    condition: Callable[[], T], *, within_s: float = PATIENCE_S, every_s: float = _INTERVAL_S
) -> T:
    """Return the first true value of the condition; fail the test when there is none in time."""
    deadline = time.monotonic() + within_s
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {within_s} s: {condition}"
        _never.wait(every_s)
    return value


async def wait_until_async(
    condition: Callable[[], Any], *, within_s: float = PATIENCE_S, every_s: float = _INTERVAL_S
) -> Any:
    """Return the first true value of the condition, awaited if need be; fail when time is over."""
    deadline = time.monotonic() + within_s
    while True:
        value = condition()
        if inspect.isawaitable(value):
            value = await value
        if value:
            return value
        assert time.monotonic() < deadline, f"not within {within_s} s: {condition}"
        await asyncio.sleep(every_s)
