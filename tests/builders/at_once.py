"""Many database transactions at the same moment."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection

from tests.waiting import PATIENCE_S

T = TypeVar("T")


def at_once(count: int, act: Callable[[int], T]) -> list[T]:
    """Call `act` with 0 … count - 1 in as many threads, released together; results in order."""
    gate = threading.Barrier(count)

    def run(number: int) -> T:
        gate.wait(timeout=PATIENCE_S)
        try:
            return act(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=count) as threads:
        return list(threads.map(run, range(count)))
