"""A user's session inside a container: counted, recorded, and ended when rights or time end.

By whatever method it was opened, a session counts against its user's limit, leaves two events in
the audit log, and ends within five seconds of the rights that opened it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import structlog
from django.db import DatabaseError

from portal.access import services
from portal.access.services import AccessMethod, AccessTarget
from portal.common.actor import Actor
from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.concurrency import first_completed, run_in_thread
from portal.common.errors import ConflictError, DomainError, ExhaustedError
from portal.endpoints.values import ContainerAddress
from portal.execution.streams import Shell, Stream, StreamRequest, Streams
from portal.live.authentication import RECHECK_S

SIDE_MAX: Final = 1000
"""Columns, and rows, of a terminal."""
SESSIONS_PER_USER_MAX: Final = 64
"""Terminals and connections of one user at a time."""
IDLE_MAX_S: Final = 4 * 3600.0
"""Without a byte in either direction."""
SESSION_MAX_S: Final = 24 * 3600.0
"""How long one terminal or connection may stay open."""
ACTIVITY_POLL_S: Final = 30.0
"""Between two checks of how long they have been open and idle."""

Authorize = Callable[[], Awaitable[tuple[Actor, AccessTarget]]]
"""Returns the actor and its target with present rights; raises `DomainError` when there is none."""
logger = structlog.get_logger(__name__)


class ActivityTracker:
    """When bytes last passed through a session."""

    def __init__(self) -> None:
        """Start with now."""
        self._at = asyncio.get_running_loop().time()
        self._has_input = False

    def record(self, *, is_input: bool = False) -> None:
        """Record that bytes pass; `is_input`: from the user to the container."""
        self._at = asyncio.get_running_loop().time()
        self._has_input = self._has_input or is_input

    def take_input(self) -> bool:
        """Return whether there was input since the last call."""
        found, self._has_input = self._has_input, False
        return found

    def idle_s(self) -> float:
        """Return for how long no bytes have passed."""
        return asyncio.get_running_loop().time() - self._at


@dataclass(slots=True)
class ContainerSession:
    """One open stream of a user into a container."""

    actor: Actor
    target: AccessTarget
    stream: Stream
    reason: str = "left"
    """What ended it, for the audit log."""
    activity: ActivityTracker = field(default_factory=ActivityTracker)


@dataclass(frozen=True, slots=True)
class ContainerSessions:
    """Opens and supervises all sessions of the process."""

    streams: Streams
    limiter: ConnectionLimiter = field(
        default_factory=lambda: ConnectionLimiter(SESSIONS_PER_USER_MAX)
    )
    recheck_s: float = RECHECK_S

    @asynccontextmanager
    async def open(
        self,
        authorize: Authorize,
        what: Shell | int,
        method: AccessMethod,
        detail: str = "",
    ) -> AsyncIterator[ContainerSession]:
        """Provide a session for the block; raises `DomainError` when it cannot be opened.

        `what` is a shell, or the number of a port inside the container.
        """
        actor, target = await authorize()
        with self.limiter.acquire(actor.user_id) as is_acquired:
            if not is_acquired:
                raise ExhaustedError("too_many_visits", limit=self.limiter.limit)
            request = request_for(target.container, what)
            async with self.streams.open_stream(target.container.node_id, request) as stream:
                session = ContainerSession(actor, target, stream)
                began_at = await run_in_thread(
                    services.record_opened, actor, target, method, detail
                )
                try:
                    yield session
                finally:
                    await asyncio.shield(_record_closed(session, method, began_at))

    async def run(
        self, session: ContainerSession, authorize: Authorize, *work: Coroutine[Any, Any, str]
    ) -> str:
        """Run the work until any of it ends, time is over or rights end; return the reason."""
        session.reason = await first_completed(
            *work, self._until_revoked(session, authorize), _until_expired(session)
        )
        return session.reason

    async def _until_revoked(self, session: ContainerSession, authorize: Authorize) -> str:
        while True:
            await asyncio.sleep(self.recheck_s)
            try:
                _, found = await authorize()
            except ConflictError:
                return "container_gone"
            except DomainError:
                return "revoked"
            except (DatabaseError, TimeoutError) as error:
                logger.warning("access.unchecked", error=repr(error))
                return "unchecked"
            if session.target.container != found.container:
                return "container_gone"


def request_for(container: ContainerAddress, what: Shell | int) -> StreamRequest:
    """Return the request for a shell in a container, or for one of its ports."""
    return StreamRequest(container.allocation, container.epoch, what)


async def _until_expired(session: ContainerSession) -> str:
    loop = asyncio.get_running_loop()
    end = loop.time() + SESSION_MAX_S
    while session.activity.idle_s() < IDLE_MAX_S:
        if loop.time() >= end:
            return "too_long"
        await asyncio.sleep(ACTIVITY_POLL_S)
        if session.activity.take_input():
            await _record_use(session)
    return "idle"


async def _record_use(session: ContainerSession) -> None:
    try:
        await run_in_thread(services.record_use, session.target)
    except (DatabaseError, DomainError, TimeoutError) as error:
        logger.warning("access.use_unrecorded", error=repr(error))


async def _record_closed(
    session: ContainerSession, method: AccessMethod, began_at: datetime
) -> None:
    try:
        await run_in_thread(
            services.record_closed,
            session.actor,
            session.target,
            method,
            began_at,
            session.reason,
        )
    except (DatabaseError, TimeoutError) as error:
        logger.warning("access.end_unrecorded", error=repr(error))
