"""Recording that a person uses a notebook, as far as its traffic shows that.

An open page polls all day long, so reads do not count. Requests that change something count, and
messages to a WebSocket; on the sockets of other ports only those longer than editors' keep-alives.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import DatabaseError

from portal.common.asgi.types import Receive
from portal.common.concurrency import run_in_thread
from portal.common.errors import DomainError

RECORD_EVERY_S: Final = 15.0
"""Least time between two records of one notebook."""
KNOWN_MAX: Final = 10_000
"""Notebooks whose last record is remembered."""
KEEP_ALIVE_MAX: Final = 16
"""Bytes of an editor's keep-alive message, at most."""

logger = structlog.get_logger(__name__)


class ActivityRecorder:
    """Records the use of notebooks in the background, at most every few seconds each."""

    def __init__(self, record_use: Callable[[UUID], None] = lambda _: None) -> None:
        """Record with this function, which is called in a thread."""
        self._record_use = record_use
        self._recorded: OrderedDict[UUID, float] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    def record(self, workload_id: UUID) -> None:
        """Record that a notebook is in use now, without waiting for the write."""
        moment = asyncio.get_running_loop().time()
        if moment - self._recorded.get(workload_id, -RECORD_EVERY_S) < RECORD_EVERY_S:
            return
        self._recorded[workload_id] = moment
        self._recorded.move_to_end(workload_id)
        while len(self._recorded) > KNOWN_MAX:
            self._recorded.popitem(last=False)
        task = asyncio.create_task(self._write(workload_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def wrap_receive(self, workload_id: UUID, receive: Receive, *, is_port: bool) -> Receive:
        """Return a `receive` of a WebSocket that records the messages of a person."""
        keep_alive_max = KEEP_ALIVE_MAX if is_port else 0

        async def recording() -> Any:
            event = await receive()
            if event["type"] == "websocket.receive":
                message = event.get("text") or event.get("bytes") or ""
                if len(message) > keep_alive_max:
                    self.record(workload_id)
            return event

        return recording

    async def _write(self, workload_id: UUID) -> None:
        try:
            await run_in_thread(self._record_use, workload_id)
        except (DatabaseError, DomainError, TimeoutError) as error:
            logger.warning("use.unrecorded", workload=str(workload_id), error=repr(error))
