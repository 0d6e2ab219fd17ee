"""What in a notebook's traffic is the hand of a person, and the note of it.

An open page asks for news all day long: reading counts for nothing. What changes something counts,
and what is sent through a WebSocket; through the sockets of other ports only what is longer than
the keep-alives of editors.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import DatabaseError

from portal.common.asgi import Receive
from portal.common.errors import DomainError
from portal.common.threads import in_thread

EVERY_S: Final = 15.0
"""Between two notes of one notebook."""
KNOWN_MAX: Final = 10_000
"""Notebooks whose last note is remembered."""
KEEP_ALIVE_MAX: Final = 16
"""Bytes of what an editor sends to show that it is still there."""

logger = structlog.get_logger(__name__)


class UseNotes:
    """Passes on that somebody uses a notebook, now and then."""

    def __init__(self, note: Callable[[UUID], None] = lambda _: None) -> None:
        """Note with this function, in a thread."""
        self._note = note
        self._noted: OrderedDict[UUID, float] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    def note(self, workload_id: UUID) -> None:
        """Remember that somebody uses it now; nobody waits for that."""
        moment = asyncio.get_running_loop().time()
        if moment - self._noted.get(workload_id, -EVERY_S) < EVERY_S:
            return
        self._noted[workload_id] = moment
        self._noted.move_to_end(workload_id)
        while len(self._noted) > KNOWN_MAX:
            self._noted.popitem(last=False)
        task = asyncio.create_task(self._write(workload_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def hearing(self, workload_id: UUID, receive: Receive, *, is_port: bool) -> Receive:
        """Return a way to receive messages of a socket that notes what a person sends."""
        least = KEEP_ALIVE_MAX if is_port else 0

        async def heard() -> Any:
            message = await receive()
            if message["type"] == "websocket.receive":
                said = message.get("text") or message.get("bytes") or ""
                if len(said) > least:
                    self.note(workload_id)
            return message

        return heard

    async def _write(self, workload_id: UUID) -> None:
        try:
            await in_thread(self._note, workload_id)
        except (DatabaseError, DomainError, TimeoutError) as error:
            logger.warning("use.not_noted", workload=str(workload_id), error=repr(error))
