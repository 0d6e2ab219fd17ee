"""Blocking calls that hang keep one thread each, however often they are asked."""

import asyncio
import threading

import pytest

from nodeagent.host.threads import run_in_shared_thread

NAME = "statvfs /a/network/that/is/gone"


async def test_question_that_hangs_is_waited_for_and_not_asked_again() -> None:
    over, asked = threading.Event(), []

    def ask() -> str:
        asked.append(NAME)
        over.wait()
        return "answer"

    for _ in range(3):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await run_in_shared_thread(ask, NAME)
    assert [item.name for item in threading.enumerate()].count(NAME) == 1
    late = asyncio.ensure_future(run_in_shared_thread(ask, NAME))
    over.set()
    assert (await late, len(asked)) == ("answer", 1)
    assert await run_in_shared_thread(ask, NAME) == "answer"
    assert len(asked) == 2
