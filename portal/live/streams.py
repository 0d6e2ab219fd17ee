"""Waiting for a workload and following its log over plain HTTP, for pipelines and `curl`.

Both hold a connection for minutes or hours, which is why they live here and not in the web
process. They are correct without Redis: a ring only makes them look sooner.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from uuid import UUID

from django.db import DatabaseError
from django.http import QueryDict
from rest_framework.exceptions import APIException

from portal.common.actor import Actor
from portal.common.asgi import App, Receive, Scope, Send, path
from portal.common.asgi_problems import answer_problem
from portal.common.errors import DomainError, NotFoundError
from portal.common.problems import Problem, problem_of
from portal.common.races import first
from portal.common.seats import Seats
from portal.common.threads import in_thread
from portal.live.callers import RECHECK_S, Credentials
from portal.live.follow import PIECE_MAX, Log, Piece, follow
from portal.live.glance import Glance
from portal.live.hub import Hub
from portal.live.queries import LogQuery, WaitQuery
from portal.workloads.models import Workload
from scheduler.core.states import WorkloadState

STREAM: Final = re.compile(
    r"/api/v1/(?P<kind>jobs|environments)/(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
    r"/(?P<what>wait|logs)"
)
STREAMS_PER_USER_MAX: Final = 64
"""Waiting requests and followed logs of one user at a time."""
LOOK_S: Final = 2.0
"""Pause between two looks of a waiting request when nothing rings."""
FOLLOW_MAX_S: Final = 24 * 3600.0
"""How long one request may follow a log."""

_KINDS: Final = {"jobs": Workload.Kind.TRAINING, "environments": Workload.Kind.ENVIRONMENT}
_ABOUT_A_BODY: Final = frozenset({b"content-length", b"transfer-encoding"})
_REFUSALS: Final = (DomainError, APIException, DatabaseError, TimeoutError)

_STRANGER: Final = Problem(
    401, "not_authenticated", {}, headers=(("WWW-Authenticate", 'Bearer realm="berth"'),)
)
_WRONG_METHOD: Final = Problem(405, "method_not_allowed", {}, headers=(("Allow", "GET"),))
_TOO_MANY: Final = Problem(
    429, "too_many_streams", {"limit": STREAMS_PER_USER_MAX}, headers=(("Retry-After", "5"),)
)
_BUSY: Final = Problem(503, "busy", {}, headers=(("Retry-After", "2"),))


@dataclass(frozen=True, slots=True)
class Streams:
    """The ASGI application of `…/wait` and `…/logs`."""

    hub: Hub
    session_cookie: str
    authenticate: Callable[[Credentials], Actor | None]
    storage_dir: Path
    present: App
    """Answers `GET /api/v1/{jobs,environments}/{id}`: the web process, which owns that shape."""
    seats: Seats = field(default_factory=lambda: Seats(STREAMS_PER_USER_MAX))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or answer with the problem that it has."""
        if scope["method"] != "GET":
            await answer_problem(scope, send, _WRONG_METHOD)
            return
        stream = _Stream(self, scope, receive, send)
        try:
            await stream.serve()
        except _REFUSALS as error:
            if stream.has_answered:
                raise  # the connection is cut, so that nobody takes half an answer for a whole
            await answer_problem(scope, send, problem_of(error) or _BUSY)


class _Stream:
    """One long request."""

    def __init__(self, shared: Streams, scope: Scope, receive: Receive, send: Send) -> None:
        self.has_answered = False
        self._shared = shared
        self._scope = scope
        self._receive = receive
        self._send = send
        self._credentials = Credentials.of(scope, shared.session_cookie)

    async def serve(self) -> None:
        """Find out who asks for what, and give it as long as there is a place for the caller."""
        actor = await in_thread(self._shared.authenticate, self._credentials)
        if actor is None:
            await answer_problem(self._scope, self._send, _STRANGER)
            return
        with self._shared.seats.take(actor.user_id) as has_place:
            if has_place:
                await self._serve(actor)
            else:
                await answer_problem(self._scope, self._send, _TOO_MANY)

    async def _serve(self, actor: Actor) -> None:
        named = STREAM.fullmatch(path(self._scope))
        if named is None:
            raise NotFoundError("page")
        query = QueryDict(self._scope["query_string"])
        workload_id, kind = UUID(named["id"]), _KINDS[named["kind"]]
        seen = await in_thread(Glance.of, actor, workload_id, kind)
        if named["what"] == "wait":
            await self._wait(workload_id, query)
        else:
            await self._logs(workload_id, seen, query)

    async def _wait(self, workload_id: UUID, query: QueryDict) -> None:
        """Hold the request until the state is reached or time is over; then show the workload."""
        wanted = WaitQuery.read(query)
        state = WorkloadState.RUNNING if wanted["state"] == "running" else None
        reached = self._reached(workload_id, state, wanted["timeout"])
        if await first(reached, self._client_gone()):
            self.has_answered = True
            await self._shared.present(_detail(self._scope), self._receive, self._send)

    async def _reached(self, workload_id: UUID, state: WorkloadState | None, wait_s: int) -> bool:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wait_s
        with self._shared.hub.listen() as listener:
            listener.add(f"workload:{workload_id}")
            while True:
                seen = await in_thread(Glance.for_system, workload_id)
                left_s = deadline - loop.time()
                if seen is None or seen.has_reached(state) or left_s <= 0:
                    return True
                await listener.rings(within_s=min(LOOK_S, left_s))

    async def _logs(self, workload_id: UUID, seen: Glance, query: QueryDict) -> None:
        wanted = LogQuery.read(query)
        if wanted["rank"] >= seen.replicas:
            raise NotFoundError("rank")
        log = Log(self._shared.storage_dir, workload_id, wanted["rank"])
        part = await in_thread(log.read, seen.epoch, wanted["offset"], 0)
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
            (b"x-log-epoch", str(seen.epoch).encode()),
            (b"x-log-offset", str(part.offset).encode()),
            (b"x-log-size", str(part.size).encode()),
        ]
        self.has_answered = True
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        if wanted["follow"]:
            source = self._followed(log, part.offset)
        else:
            source = _stored(log, Piece(seen.epoch, part.offset, b""))
        sent = self._send_pieces(source, wanted["limit"])
        await first(sent, self._client_gone(), self._rights_gone())
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _followed(self, log: Log, offset: int) -> AsyncGenerator[Piece]:
        with self._shared.hub.listen() as listener:
            listener.add(log.topic)
            listener.add(f"workload:{log.workload_id}")
            async with (
                asyncio.timeout(FOLLOW_MAX_S),
                aclosing(follow(log, offset, listener)) as pieces,
            ):
                async for piece in pieces:
                    yield piece

    async def _send_pieces(self, source: AsyncGenerator[Piece], limit: int) -> bool:
        async with aclosing(source):
            async for piece in source:
                data = piece.data[:limit]
                limit -= len(data)
                await self._send({"type": "http.response.body", "body": data, "more_body": True})
                if not limit:
                    break
        return True

    async def _client_gone(self) -> bool:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        return False

    async def _rights_gone(self) -> bool:
        """Return once the caller's credentials have ended or its group is no longer its own."""
        named = STREAM.fullmatch(path(self._scope))
        while named:
            await asyncio.sleep(RECHECK_S)
            actor = await in_thread(self._shared.authenticate, self._credentials)
            if actor is None:
                return False
            try:
                await in_thread(Glance.of, actor, UUID(named["id"]), _KINDS[named["kind"]])
            except DomainError:
                return False
        return False


def _detail(scope: Scope) -> Scope:
    """Return the request for the workload itself; a body, if any, has been read by now."""
    return {
        **scope,
        "path": scope["path"].removesuffix("/wait"),
        "raw_path": scope["raw_path"].removesuffix(b"/wait"),
        "query_string": b"",
        "headers": [item for item in scope["headers"] if item[0] not in _ABOUT_A_BODY],
    }


async def _stored(log: Log, begin: Piece) -> AsyncGenerator[Piece]:
    """Yield what one attempt's log holds now."""
    offset = begin.offset
    while (part := await in_thread(log.read, begin.epoch, offset, PIECE_MAX)).text:
        yield Piece(begin.epoch, part.offset, part.text)
        offset = part.offset + len(part.text)
