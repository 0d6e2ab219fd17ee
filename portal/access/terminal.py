"""Terminals of notebooks and jobs: `WS /api/v1/{environments,jobs}/<id>/terminal`.

Close codes: 1000 the shell or the page ended it, 1003 not a frame of ours, 1013 cannot be checked or
reached now, 4400 refused with a reason, 4401 not signed in, 4403 rights have ended, 4409 another
page has taken over. A text frame `closed` or `exited` comes before each.
"""

import asyncio
import re
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

import structlog
from django.db import DatabaseError
from django.http import QueryDict
from rest_framework import serializers
from rest_framework.exceptions import APIException

from portal.access import frames, services
from portal.access.rooms import Page, Room
from portal.access.services import Target
from portal.access.visits import SIDE_MAX, Admit, Visits, still_there, terminal_order
from portal.common.actor import Actor
from portal.common.asgi import Receive, Scope, Send, answer, header, path
from portal.common.errors import DomainError, NotFoundError
from portal.common.origins import Origin
from portal.common.serializers import QuerySerializer
from portal.common.threads import in_thread
from portal.live.callers import Authenticate, Credentials
from portal.workloads.models import Workload
from wire.messages import REPLICAS_MAX, OpenStream

TERMINAL: Final = re.compile(
    r"/api/v1/(?P<kind>jobs|environments)/(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
    r"/terminal"
)
UNAVAILABLE, REFUSED, NOT_SIGNED_IN = 1013, 4400, 4401
_KINDS: Final = {"jobs": Workload.Kind.TRAINING, "environments": Workload.Kind.ENVIRONMENT}

logger = structlog.get_logger(__name__)


class TerminalQuery(QuerySerializer):
    """Which container, how large a window, and whether a shell is waiting."""

    rank = serializers.IntegerField(min_value=0, max_value=REPLICAS_MAX - 1, default=0)
    columns = serializers.IntegerField(min_value=1, max_value=SIDE_MAX, default=80)
    rows = serializers.IntegerField(min_value=1, max_value=SIDE_MAX, default=24)
    session = serializers.RegexField(r"^[\w-]{32}$", default="", allow_blank=True)


class SignedOutError(DomainError):
    """The credentials do not, or no longer, belong to anybody."""


@dataclass(frozen=True, slots=True)
class Terminals:
    """The ASGI application of all terminals of the process."""

    portal: Origin
    session_cookie: str
    authenticate: Authenticate
    visits: Visits
    _rooms: dict[str, Room] = field(default_factory=dict)
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one page's connection."""
        credentials = Credentials.of(scope, self.session_cookie)
        # A cookie is sent along whoever wrote the page; a token is not.
        if not credentials.bearer and not self.portal.is_origin(header(scope, b"origin")):
            await answer(scope, send, 403, [])
            return
        await receive()  # the `websocket.connect` that opens every connection
        await send({"type": "websocket.accept"})
        page = Page(receive, send)
        try:
            await self._serve(scope, page, credentials)
        except SignedOutError as error:
            await page.close(NOT_SIGNED_IN, frames.Closed(code=error.code))
        except DomainError as error:
            await page.close(REFUSED, frames.Closed(code=error.code, params=error.params))
        except APIException:
            await page.close(REFUSED, frames.Closed(code="invalid"))
        except (DatabaseError, TimeoutError, OSError) as error:
            logger.warning("terminal.failed", error=repr(error))
            await page.close(UNAVAILABLE, frames.Closed(code="unchecked"))

    async def close(self) -> None:
        """End all terminals, with the process."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, scope: Scope, page: Page, credentials: Credentials) -> None:
        named = TERMINAL.fullmatch(path(scope))
        if named is None:
            raise NotFoundError("page")
        wanted = TerminalQuery.read(QueryDict(scope["query_string"]))
        size = wanted["columns"], wanted["rows"]
        admit = self._admission(scope, credentials, named, wanted["rank"])
        room = await self._waiting(wanted["session"], admit)
        is_back = room is not None
        if room is None:
            room = await self._new_room(admit, size)
        await room.host(page, admit, size, is_back=is_back)

    def _admission(
        self, scope: Scope, credentials: Credentials, named: re.Match[str], rank: int
    ) -> Admit:
        workload_id, kind = UUID(named["id"]), _KINDS[named["kind"]]
        client = scope.get("client")

        async def admit() -> tuple[Actor, Target]:
            actor = await in_thread(self.authenticate, credentials)
            if actor is None:
                raise SignedOutError("not_authenticated")
            target = await in_thread(services.target_for, actor, workload_id, kind, rank)
            return replace(actor, address=client[0] if client else ""), target

        return admit

    async def _waiting(self, name: str, admit: Admit) -> Room | None:
        """Return the shell that waits for this page; somebody else's does not exist."""
        room = self._rooms.get(name)
        if room is None:
            return None
        actor, target = await admit()
        is_own = actor.user_id == room.visit.actor.user_id
        return room if is_own and still_there(room.visit.target, target) else None

    async def _new_room(self, admit: Admit, size: tuple[int, int]) -> Room:
        ready: asyncio.Future[Room] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._run(ready, admit, size))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await ready

    async def _run(
        self, ready: "asyncio.Future[Room]", admit: Admit, size: tuple[int, int]
    ) -> None:
        """Hold the visit for as long as the room is used."""

        def order(target: Target) -> OpenStream:
            return terminal_order(target, columns=size[0], rows=size[1])

        try:
            async with self.visits.enter(admit, order, "terminal") as visit:
                room = Room(visit, admit)
                self._rooms[room.name] = room
                try:
                    if not ready.cancelled():
                        ready.set_result(room)
                    reason = await self.visits.stay(
                        visit, room.admit, room.print_out(), room.until_left()
                    )
                finally:
                    del self._rooms[room.name]
                await room.close(reason)
        except (DomainError, DatabaseError, TimeoutError, OSError) as error:
            if not ready.done():
                ready.set_exception(error)
