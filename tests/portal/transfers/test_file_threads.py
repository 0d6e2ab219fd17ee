"""Threads that touch files live as long as the process: they keep nothing that others need."""

import asyncio

import pytest

from portal.identity.models import User
from portal.transfers.transfer import FILE_THREADS_MAX, FileThreads
from tests.pooled import borrowed_connections
from tests.waiting import wait_until_async

pytestmark = pytest.mark.django_db(transaction=True)


async def test_threads_of_files_keep_no_connection() -> None:
    before = borrowed_connections()
    with FileThreads() as threads:
        asked = [threads.run(User.objects.count) for _ in range(2 * FILE_THREADS_MAX)]
        assert await asyncio.gather(*asked) == [0] * 2 * FILE_THREADS_MAX
        await wait_until_async(lambda: borrowed_connections() <= before)
