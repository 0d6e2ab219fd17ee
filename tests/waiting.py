"""Waiting in tests: for a condition, with a deadline, never for a time."""

import threading
import time
from collections.abc import Callable

_INTERVAL_S = 0.02
_never = threading.Event()


def wait_until(
    condition: Callable[[], object], *, within_s: float = 10, every_s: float = _INTERVAL_S
) -> None:
    """Return once the condition holds; fail the test when it does not in time."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, f"not within {within_s} s: {condition}"
        _never.wait(every_s)
