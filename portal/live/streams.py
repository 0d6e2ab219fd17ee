"""Waiting for a workload and following its log over plain HTTP, for pipelines and `curl`.

Both hold a connection for minutes or hours, so they are served by the live process, not by the
few threads of the web process. They work without Redis: a notification only makes them look sooner.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db import DatabaseError
from django.http import QueryDict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import APIException

from portal.common.actor import Actor
from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.asgi.problems import send_problem
from portal.common.asgi.types import App, Receive, Scope, Send, get_header, raw_path, send_response
from portal.common.concurrency import first_completed, run_in_thread
from portal.common.errors import DomainError, NotFoundError
from portal.common.rest.etags import IF_NONE_MATCH, matches, tag_of
from portal.common.rest.live_endpoints import OF_WEB, LiveEndpoint, LiveOperation, find_endpoint
from portal.common.rest.problems import Problem, to_problem
from portal.common.rest.serializers import OneOfField, QuerySerializer
from portal.common.work_kinds import KINDS, WorkTerms
from portal.live.authentication import (
    RECHECK_S,
    UNAUTHENTICATED,
    Authenticate,
    RequestCredentials,
)
from portal.live.broadcast import Broadcaster, Subscriber
from portal.live.log_formats import RECORDS_TYPE, TEXT_TYPE, LogFormat, LogRecordShape
from portal.live.log_merge import LogRecord, follow_merged, read_merged
from portal.live.log_query import LogQuery, LogQueryShape
from portal.live.log_tail import PIECE_MAX, LogPiece, RankLog, tail_log
from portal.live.log_tail import POLL_S as LOG_POLL_S
from portal.live.workload_status import WorkloadStatus
from portal.workloads.responses.shapes import WorkloadDetail
from scheduler.core.model.states import WorkloadState

STREAMS_PER_USER_MAX: Final = 64
"""Waiting requests and followed logs of one user at a time."""
WAIT_MAX_S: Final = 300
"""How long a request may wait for work to change."""
WAIT_S: Final = 60
"""The same, where the request does not name a time."""
WAIT_POLL_S: Final = 2.0
"""Pause between two polls of a waiting request without a notification."""
FOLLOW_MAX_S: Final = 24 * 3600.0
"""How long one request may follow a log."""

_BODY_HEADERS: Final = frozenset({b"content-length", b"transfer-encoding"})
_REFUSALS: Final = (DomainError, APIException, DatabaseError, TimeoutError)

_WRONG_METHOD: Final = Problem(405, "method_not_allowed", {}, headers=(("Allow", "GET"),))
_TOO_MANY: Final = Problem(
    429, "too_many_streams", {"limit": STREAMS_PER_USER_MAX}, headers=(("Retry-After", "5"),)
)
_BUSY: Final = Problem(503, "busy", {}, headers=(("Retry-After", "2"),))
_HELD: Final = OpenApiParameter(
    IF_NONE_MATCH,
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description="The `ETag` of what is there already: if it is still so, the answer is 304.",
)
_LOG_HEADERS: Final = tuple(
    OpenApiParameter(
        name, OpenApiTypes.STR, OpenApiParameter.HEADER, description=what, response=[200]
    )
    for name, what in (
        ("X-Log-Epoch", "Number of the attempt."),
        ("X-Log-Offset", "From which byte on, for each rank, with commas between."),
        ("X-Log-Size", "Bytes that there are, for each rank, with commas between."),
        ("ETag", "Changes with the log; one that is followed has none."),
    )
)


class WaitQuery(QuerySerializer):
    """The query of `…/wait`: how long to wait, and for which state."""

    paging: ClassVar[frozenset[str]] = frozenset()

    timeout = serializers.IntegerField(
        min_value=0, max_value=WAIT_MAX_S, default=WAIT_S, help_text="How long to wait (s)."
    )
    state = OneOfField(
        ["terminal", "running"],
        default="terminal",
        help_text="Wait for the end, or for the work to run; a stopped notebook counts as ended.",
    )


class _Stream(Enum):
    """What is asked of work."""

    WAIT = "wait"
    LOGS = "logs"


def _endpoints_of(terms: WorkTerms) -> tuple[LiveEndpoint[tuple[str, _Stream]], ...]:
    """Return the endpoints of one kind of work."""
    route = f"api/v1/{terms.plural}/<uuid:workload_id>"
    waits = LiveOperation(
        id=f"{terms.operation}_wait_get",
        description="Wait until work has ended, or runs, or the time is over; then return it in full.",
        serve=(terms.kind, _Stream.WAIT),
        parameters=(WaitQuery, _HELD),
        responses={200: WorkloadDetail, 304: None},
        refusals=OF_WEB,
    )
    logs = LiveOperation(
        id=f"{terms.operation}_logs_get",
        description="Return the log of the present attempt, of one rank, several or all, and on "
        "request what is added, until the end.",
        serve=(terms.kind, _Stream.LOGS),
        parameters=(LogQueryShape, _HELD, *_LOG_HEADERS),
        responses={
            (200, "text/plain"): OpenApiTypes.STR,
            (200, RECORDS_TYPE): LogRecordShape,
            304: None,
        },
    )
    return (
        LiveEndpoint(f"{route}/wait", {"GET": waits}),
        LiveEndpoint(f"{route}/logs", {"GET": logs}),
    )


STREAM_ENDPOINTS: Final = (
    *(endpoint for terms in KINDS.values() for endpoint in _endpoints_of(terms)),
)


@dataclass(frozen=True, slots=True)
class WorkloadStreams:
    """The ASGI application of `…/wait` and `…/logs`."""

    broadcaster: Broadcaster
    session_cookie: str
    authenticate: Authenticate
    storage_dir: Path
    present: App
    """Answers `GET /api/v1/{jobs,environments}/{id}`: the web process, which owns that shape."""
    limiter: ConnectionLimiter = field(
        default_factory=lambda: ConnectionLimiter(STREAMS_PER_USER_MAX)
    )
    recheck_s: float = RECHECK_S
    wait_poll_s: float = WAIT_POLL_S
    log_poll_s: float = LOG_POLL_S

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or answer with a problem document."""
        found = find_endpoint(STREAM_ENDPOINTS, raw_path(scope))
        operation = found and found[0].operations.get(scope["method"])
        if found is None or operation is None:
            await send_problem(scope, send, _WRONG_METHOD)
            return
        asked = _Asked(found[1]["workload_id"], *operation.serve)
        request = _StreamRequest(self, scope, receive, send, asked)
        try:
            await request.serve()
        except _REFUSALS as error:
            if request.has_answered:
                raise  # cuts the connection: half an answer must not pass for a whole one
            await send_problem(scope, send, to_problem(error) or _BUSY)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The work that a request is about, and what of it."""

    workload_id: UUID
    kind: str
    stream: _Stream


class _StreamRequest:
    """One long request."""

    def __init__(
        self, app: WorkloadStreams, scope: Scope, receive: Receive, send: Send, asked: _Asked
    ) -> None:
        self.has_answered = False
        self._app = app
        self._asked = asked
        self._scope = scope
        self._receive = receive
        self._send = send
        self._credentials = RequestCredentials.from_scope(scope, app.session_cookie)

    async def serve(self) -> None:
        """Authenticate the caller and serve the request, within the caller's connection limit."""
        actor = await run_in_thread(self._app.authenticate, self._credentials)
        if actor is None:
            await send_problem(self._scope, self._send, UNAUTHENTICATED)
            return
        with self._app.limiter.acquire(actor.user_id) as is_acquired:
            if is_acquired:
                await self._serve(actor)
            else:
                await send_problem(self._scope, self._send, _TOO_MANY)

    async def _serve(self, actor: Actor) -> None:
        query = QueryDict(self._scope["query_string"])
        asked = self._asked
        status = await run_in_thread(WorkloadStatus.load, actor, asked.workload_id, asked.kind)
        if asked.stream is _Stream.WAIT:
            await self._wait(WaitQuery.read(query))
        else:
            await self._logs(status, LogQuery.read(query))

    async def _wait(self, query: Mapping[str, Any]) -> None:
        """Hold the request until the state is reached or time is over; then show the workload."""
        state = WorkloadState.RUNNING if query["state"] == "running" else None
        reached = self._until_reached(self._asked.workload_id, state, query["timeout"])
        if await first_completed(reached, self._until_client_left()):
            self.has_answered = True
            await self._app.present(_detail_scope(self._scope), self._receive, self._send)

    async def _until_reached(
        self, workload_id: UUID, state: WorkloadState | None, wait_s: int
    ) -> bool:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wait_s
        with self._app.broadcaster.subscribe() as subscriber:
            subscriber.add(f"workload:{workload_id}")
            while True:
                status = await run_in_thread(WorkloadStatus.load_for_system, workload_id)
                left_s = deadline - loop.time()
                if status is None or status.has_reached(state) or left_s <= 0:
                    return True
                await subscriber.wait_topics(within_s=min(self._app.wait_poll_s, left_s))

    async def _logs(self, status: WorkloadStatus, query: LogQuery) -> None:
        ranks = query.ranks_of(status.replicas)
        if max(ranks) >= status.replicas:
            raise NotFoundError("rank")
        logs = [RankLog(self._app.storage_dir, self._asked.workload_id, rank) for rank in ranks]
        parts = [
            await run_in_thread(log.read, status.epoch, offset, 0)
            for log, offset in zip(logs, query.offsets_of(ranks), strict=True)
        ]
        form = query.format_of(ranks)
        headers = [
            (b"content-type", form.content_type if form else TEXT_TYPE),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
            (b"x-log-epoch", str(status.epoch).encode()),
            (b"x-log-offset", ",".join(str(part.offset) for part in parts).encode()),
            (b"x-log-size", ",".join(str(part.size) for part in parts).encode()),
        ]
        self.has_answered = True
        if not query.follow:
            tag = tag_of(repr((self._scope["query_string"], headers)).encode(), status.epoch)
            headers.append((b"etag", tag.encode()))
            if matches(get_header(self._scope, b"if-none-match"), tag):
                await send_response(self._scope, self._send, 304, headers[1:])
                return
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        if form is None:
            start = LogPiece(status.epoch, parts[0].offset, b"")
            sent = self._send_pieces(self._pieces(logs[0], start, query), query.limit)
        else:
            source = self._records(logs, status.epoch, query)
            sent = self._send_records(source, form, query.limit)
        await first_completed(sent, self._until_client_left(), self._until_revoked())
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pieces(
        self, log: RankLog, start: LogPiece, query: LogQuery
    ) -> AsyncGenerator[LogPiece]:
        if not query.follow:
            stored = _read_stored(log, start)
            async with aclosing(stored) as pieces:
                async for piece in pieces:
                    yield piece
            return
        with self._subscribed([log]) as subscriber:
            tail = tail_log(log, start.offset, subscriber, poll_s=self._app.log_poll_s)
            async with asyncio.timeout(FOLLOW_MAX_S), aclosing(tail) as pieces:
                async for piece in pieces:
                    yield piece

    async def _records(
        self, logs: Sequence[RankLog], epoch: int, query: LogQuery
    ) -> AsyncGenerator[LogRecord]:
        offsets = query.offsets_of(tuple(log.rank for log in logs))
        with self._subscribed(logs) as subscriber:
            source = (
                follow_merged(logs, offsets, subscriber, poll_s=self._app.log_poll_s)
                if query.follow
                else read_merged(logs, epoch, offsets)
            )
            async with asyncio.timeout(FOLLOW_MAX_S), aclosing(source) as records:
                async for record in records:
                    yield record

    @contextmanager
    def _subscribed(self, logs: Sequence[RankLog]) -> Iterator[Subscriber]:
        with self._app.broadcaster.subscribe() as subscriber:
            for log in logs:
                subscriber.add(log.topic)
            subscriber.add(f"workload:{logs[0].workload_id}")
            yield subscriber

    async def _send_pieces(self, source: AsyncGenerator[LogPiece], limit: int) -> bool:
        async with aclosing(source):
            async for piece in source:
                data = piece.data[:limit]
                limit -= len(data)
                await self._send({"type": "http.response.body", "body": data, "more_body": True})
                if not limit:
                    break
        return True

    async def _send_records(
        self, source: AsyncGenerator[LogRecord], form: LogFormat, limit: int
    ) -> bool:
        async with aclosing(source):
            async for record in source:
                text = record.text[:limit]
                limit -= len(text)
                data = form.write(replace(record, text=text))
                await self._send({"type": "http.response.body", "body": data, "more_body": True})
                if not limit:
                    break
        return True

    async def _until_client_left(self) -> bool:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        return False

    async def _until_revoked(self) -> bool:
        """Return once the credentials have ended or no longer show the workload."""
        asked = self._asked
        while True:
            await asyncio.sleep(self._app.recheck_s)
            actor = await run_in_thread(self._app.authenticate, self._credentials)
            if actor is None:
                return False
            try:
                await run_in_thread(WorkloadStatus.load, actor, asked.workload_id, asked.kind)
            except DomainError:
                return False


def _detail_scope(scope: Scope) -> Scope:
    """Return the request for the workload itself; a body, if any, has been read by now."""
    return {
        **scope,
        "path": scope["path"].removesuffix("/wait"),
        "raw_path": scope["raw_path"].removesuffix(b"/wait"),
        "query_string": b"",
        "headers": [item for item in scope["headers"] if item[0] not in _BODY_HEADERS],
    }


async def _read_stored(log: RankLog, begin: LogPiece) -> AsyncGenerator[LogPiece]:
    """Yield what one attempt's log holds now."""
    offset = begin.offset
    while (part := await run_in_thread(log.read, begin.epoch, offset, PIECE_MAX)).text:
        yield LogPiece(begin.epoch, part.offset, part.text)
        offset = part.offset + len(part.text)
