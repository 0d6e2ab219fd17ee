"""Runs coroutines side by side."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def run_together(*works: Coroutine[Any, Any, None]) -> None:
    """Run all until cancelled; when one fails, the others end too."""
    async with asyncio.TaskGroup() as tasks:
        await asyncio.wait([tasks.create_task(work) for work in works])
