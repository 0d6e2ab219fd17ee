"""One request of a client: held, sent to a replica, sent to another if the first gave nothing, metered.

What a client has got a byte of is never asked for again.
"""

import asyncio
from collections.abc import AsyncIterator
from enum import Enum
from io import BytesIO
from typing import Final

import structlog
from aiohttp import ClientError, SocketTimeoutError

from portal.common.asgi.types import Receive, Scope, Send, get_header
from portal.common.clock import now
from portal.common.errors import DomainError
from portal.inference.answers import Answer, ClientStalledError
from portal.inference.bodies import (
    READ_MAX,
    BodySlowError,
    BodyTooLargeError,
    ClientGoneError,
    RequestBody,
)
from portal.inference.holding import RequestRefusedError, open_request
from portal.inference.openai import Prepared, Usage, prepare_request
from portal.inference.passing import EVENT_STREAM, CutError, NoAnswerError, Passing
from portal.inference.plane import CalledService, Plane
from portal.inference.refusals import Refusal
from portal.inference.replicas import OpenRequest, RoutedReplica
from portal.inference.upstream import (
    OpenPort,
    Target,
    is_metered,
    request_headers,
    send_request,
)
from portal.serving_usage.routes import KeyRoute

ATTEMPTS_MAX: Final = 3
"""Replicas that a request is sent to, one after the other."""
WATCH_AFTER_S: Final = 0.05
"""When it is first looked whether a client has left."""
PIECE_MAX: Final = 1024 * 1024
"""Bytes of a body that are written at once."""
_SERVER_ERRORS: Final = 500
logger = structlog.get_logger(__name__)


class RequestOutcome(Enum):
    """How a request ended, as it is counted."""

    COMPLETED = "completed"
    FAILED = "failed"
    REFUSED = "refused"
    LEFT = "left"
    """The client did not wait for it."""


class _Cancelled(Enum):
    """Why a request was cancelled by the gateway itself."""

    CLIENT_GONE = "client_gone"
    DRAINED = "drained"


class Relay:
    """One request with a valid key, from its body to its entry in the meters."""

    def __init__(
        self,
        ends: tuple[Scope, Receive, Send],
        plane: Plane,
        service: CalledService,
        key: KeyRoute,
        target: Target,
    ) -> None:
        """Bind the client's ends and what is asked for."""
        self._scope, self._receive, send = ends
        self._plane = plane
        self._service = service
        self._key = key
        self._target = target
        self._method: str = self._scope["method"]
        self._is_metered = is_metered(self._method, target, service.route.protocol)
        self._answer = Answer(self._scope, send, service.route.protocol)
        self._body = RequestBody(self._scope, self._receive)
        self._prepared = Prepared(b"")
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self._task = asyncio.current_task()
        self._watch: asyncio.Task[None] | asyncio.TimerHandle | None = None
        """What looks whether the client leaves, or begins to after a moment: most answers come before."""
        self._cancelled: _Cancelled | None = None
        self._outcome = RequestOutcome.COMPLETED
        self._passing: Passing | None = None
        """How the answer of the replica that was asked last comes; None before any was."""

    async def run(self, open_port: OpenPort) -> None:
        """Relay the request to its end."""
        try:
            await self._run(open_port)
        except asyncio.CancelledError:
            if self._cancelled is None or self._task is None:
                raise
            self._task.uncancel()
            self._outcome = RequestOutcome.LEFT
            if self._cancelled is _Cancelled.DRAINED:
                await self._end_with(RequestOutcome.FAILED, Refusal(503, "replica_drained"))
        except (ClientGoneError, ClientStalledError):
            self._outcome = RequestOutcome.LEFT
        finally:
            self._note_end()

    async def _run(self, open_port: OpenPort) -> None:
        try:
            await self._read_body()
            await self._ask(open_port)
        except RequestRefusedError as refused:
            outcome = RequestOutcome.REFUSED if self._passing is None else RequestOutcome.FAILED
            await self._end_with(outcome, refused.refusal)
        except BodyTooLargeError:
            refusal = Refusal(413, "body_too_large", {"limit": READ_MAX})
            await self._end_with(RequestOutcome.REFUSED, refusal)
        except BodySlowError:
            await self._end_with(RequestOutcome.REFUSED, Refusal(408, "request_too_slow"))
        except CutError:
            await self._end_with(RequestOutcome.FAILED, Refusal(502, "replica_lost"))

    async def _read_body(self) -> None:
        await self._body.read(must_be_whole=self._is_metered)
        if self._body.is_whole:
            self._start_watch()
        if self._is_metered:
            self._prepared = prepare_request(self._target.path, self._body.data)
        else:
            wants_events = EVENT_STREAM in get_header(self._scope, b"accept")
            self._prepared = Prepared(self._body.data, is_stream=wants_events)

    async def _ask(self, open_port: OpenPort) -> None:
        """Ask one replica after the other, until one has given something."""
        tried = dict[RoutedReplica, float]()
        held = self._answer if self._prepared.is_stream else None
        for _ in range(ATTEMPTS_MAX):
            opened = await open_request(self._service, tried, began=self._began, answer=held)
            opened.on_cut = self._end_drained
            try:
                await self._attempt(opened, open_port)
            except NoAnswerError:
                tried[opened.replica] = self._loop.time()
                self._service.replicas.take_out(opened.replica)
                if not self._body.is_whole:
                    break
            else:
                return
            finally:
                self._service.replicas.end(opened)
        raise RequestRefusedError(Refusal(502, "replica_lost"))

    async def _attempt(self, opened: OpenRequest, open_port: OpenPort) -> None:
        """Ask one replica; raises `NoAnswerError` if it gave nothing, `CutError` if not all."""
        route = opened.replica.route
        headers = request_headers(self._scope, is_metered=self._is_metered)
        passing = self._passing = Passing(self._answer, self._prepared, is_metered=self._is_metered)
        try:
            upstream = await open_port(route.container, route.port)
            data = _payload(self._prepared.body) if self._body.is_whole else self._streamed()
            async with send_request(
                upstream, self._method, self._target, headers, data
            ) as response:
                is_good = response.status < _SERVER_ERRORS
                self._service.replicas.note_answer(opened.replica, is_good=is_good)
                await passing.run(response)
        except (ClientError, OSError, DomainError) as error:
            if self._body.fault is not None:
                raise self._body.fault from error
            logger.info("inference.no_answer", port=route.port, error=repr(error))
            if self._answer.has_content:
                raise CutError from error
            if isinstance(error, SocketTimeoutError):
                raise RequestRefusedError(Refusal(504, "replica_slow")) from error
            raise NoAnswerError from error
        if passing.has_failed:
            self._outcome = RequestOutcome.FAILED

    async def _streamed(self) -> AsyncIterator[bytes]:
        async for part in self._body.stream():
            yield part
        self._start_watch()

    async def _end_with(self, outcome: RequestOutcome, refusal: Refusal) -> None:
        self._outcome = outcome
        await self._answer.refuse(refusal)

    def _start_watch(self) -> None:
        self._watch = self._loop.call_later(WATCH_AFTER_S, self._begin_watch)

    def _begin_watch(self) -> None:
        self._watch = asyncio.ensure_future(self._watch_client())

    async def _watch_client(self) -> None:
        """End the request when its client leaves: nobody reads what a replica would continue to compute."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._cancel(_Cancelled.CLIENT_GONE)

    def _end_drained(self) -> None:
        self._cancel(_Cancelled.DRAINED)

    def _cancel(self, cause: _Cancelled) -> None:
        if self._cancelled is None and not self._answer.is_over and self._task is not None:
            self._cancelled = cause
            self._task.cancel()

    def _note_end(self) -> None:
        """Enter the request into the meters."""
        if self._watch is not None:
            self._watch.cancel()
        counts, present = self._service.counts, self._loop.time()
        counts.completed += self._outcome is RequestOutcome.COMPLETED
        counts.failed += self._outcome is RequestOutcome.FAILED
        counts.refused += self._outcome is RequestOutcome.REFUSED
        if (passing := self._passing) is None:
            return
        if self._outcome is RequestOutcome.COMPLETED:
            counts.note_time(counts.latency, present - self._began)
        if passing.first_byte_at is not None:
            counts.note_time(counts.first_byte, passing.first_byte_at - self._began)
        usage = passing.usage() if self._is_metered else Usage()
        self._plane.limits.charge(self._key, usage.prompt_tokens + usage.completion_tokens, present)
        self._plane.keys.add(
            self._service.route.service_id,
            self._key.key_id,
            now(),
            usage,
            is_failed=self._outcome is RequestOutcome.FAILED,
        )


def _payload(body: bytes) -> bytes | BytesIO | None:
    """Return a body as the client library takes it; a large one in pieces, so that others get their turn."""
    return (body if len(body) <= PIECE_MAX else BytesIO(body)) or None
