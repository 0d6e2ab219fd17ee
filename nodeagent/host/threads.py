"""Runs blocking calls in threads that never keep the agent from exiting."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

T = TypeVar("T")


def run_in_daemon_thread(work: Callable[[], T], name: str) -> "asyncio.Future[T]":
    """Run `work` in a daemon thread of its own, which is abandoned if it never returns.

    A thread pool would make the interpreter wait at exit for a call that hangs.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def succeed(result: T) -> None:
        if not future.done():
            future.set_result(result)

    def fail(error: BaseException) -> None:
        if not future.done():
            future.set_exception(error)

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001  passed to the caller that awaits the future
            _call(loop, fail, error)
        else:
            _call(loop, succeed, result)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future


_shared: Final[dict[tuple[asyncio.AbstractEventLoop, str], "asyncio.Future[Any]"]] = {}


def run_in_shared_thread(work: Callable[[], T], name: str) -> "asyncio.Future[T]":
    """Run `work` as above, or share the result of the same call that is still running.

    So a call that hangs for an hour occupies one thread, not one more with each attempt.
    """
    key = asyncio.get_running_loop(), name
    future = _shared.get(key)
    if future is None:
        future = _shared[key] = run_in_daemon_thread(work, name)
        future.add_done_callback(lambda _: _shared.pop(key, None))
    return asyncio.shield(future)


def _call(loop: asyncio.AbstractEventLoop, callback: Callable[[T], None], value: T) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(callback, value)
