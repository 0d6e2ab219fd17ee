"""Servers of an event loop of their own, because Playwright keeps that of the tests."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from typing import Any, TypeVar

Served = TypeVar("Served")


@contextmanager
def in_background(provided: AbstractAsyncContextManager[Served]) -> Iterator[Served]:
    """Provide it for the length of the block, in a thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    held = AsyncExitStack()

    def wait_for(step: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(step, loop).result()

    try:
        yield wait_for(held.enter_async_context(provided))
    finally:
        wait_for(held.aclose())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
