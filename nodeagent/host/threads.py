"""Blocking calls in threads that never keep the agent from ending."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Final, TypeVar

T = TypeVar("T")


def run_in_daemon_thread(work: Callable[[], T], name: str) -> "asyncio.Future[T]":
    """Run `work` in a thread of its own, which is left behind when it never returns.

    A pool would make the interpreter wait at its end for a call that hangs.
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
        except BaseException as error:  # noqa: BLE001  handed over to whoever awaits the future
            _call(loop, fail, error)
        else:
            _call(loop, succeed, result)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future


_shared: Final[dict[tuple[asyncio.AbstractEventLoop, str], "asyncio.Future[Any]"]] = {}


def run_in_shared_thread(work: Callable[[], T], name: str) -> "asyncio.Future[T]":
    """Run `work` as above, or wait with whoever asked the same before and has no answer yet.

    What hangs for an hour keeps one thread then, not one more with each look.
    """
    place = asyncio.get_running_loop(), name
    asked = _shared.get(place)
    if asked is None:
        asked = _shared[place] = run_in_daemon_thread(work, name)
        asked.add_done_callback(lambda _: _shared.pop(place, None))
    return asyncio.shield(asked)


def _call(loop: asyncio.AbstractEventLoop, callback: Callable[[T], None], value: T) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(callback, value)
