"""The ASGI application of uploads and downloads: who calls, what is asked, refusals in words.

A transfer takes minutes, so it is served here and not by the few threads of the web process.
"""

import re
from dataclasses import replace
from typing import Final
from urllib.parse import unquote
from uuid import UUID

from django.db import DatabaseError
from rest_framework.exceptions import APIException

from portal.common.actor import Actor
from portal.common.asgi import Receive, Scope, Send, get_header, raw_path
from portal.common.asgi_problems import send_problem
from portal.common.concurrency import run_in_thread
from portal.common.errors import DomainError, NotFoundError
from portal.common.rest.parsing import require_identity
from portal.common.rest.problems import Problem, to_problem
from portal.live.files.downloads import (
    serve_archive,
    serve_content,
    serve_output,
    serve_outputs_archive,
)
from portal.live.files.transfer import (
    TRANSFERS_PER_USER_MAX,
    ClientLeftError,
    Transfer,
    TransferContext,
)
from portal.live.files.tus import TUS_HEADERS, TusRefusedError, describe_server, serve_upload
from portal.live.files.unpacking import serve_unpacking

_UUID: Final = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_OF_VOLUME: Final = (
    rf"volumes/(?P<volume>{_UUID})/"
    rf"(?:(?P<what>content|archive)|uploads(?:/(?P<upload>{_UUID}))?)"
)
_OF_JOB: Final = rf"jobs/(?P<job>{_UUID})/outputs(?:-archive|/(?P<output>.+))"
TRANSFER_PATH: Final = re.compile(rf"/api/v1/(?:{_OF_VOLUME}|{_OF_JOB})")
_READS: Final = ("GET", "HEAD")
_ALLOWED: Final = {
    "content": _READS,
    "archive": (*_READS, "POST", "PUT"),
    "output": _READS,
    "outputs-archive": _READS,
}
"""Methods of everything but uploads, which answer for themselves."""
_REFUSALS: Final = (DomainError, APIException, DatabaseError, TimeoutError, TusRefusedError)

_UNAUTHENTICATED: Final = Problem(
    401, "not_authenticated", {}, headers=(("WWW-Authenticate", 'Bearer realm="berth"'),)
)
_FOREIGN_PAGE: Final = Problem(403, "csrf_failed", {})
_TOO_MANY: Final = Problem(
    429, "too_many_transfers", {"limit": TRANSFERS_PER_USER_MAX}, headers=(("Retry-After", "5"),)
)
_BUSY: Final = Problem(503, "busy", {}, headers=(("Retry-After", "2"),))
_TOO_SLOW: Final = Problem(408, "request_too_slow", {})


class FileTransfers:
    """Uploads and downloads of files in volumes, and downloads of the outputs of jobs."""

    def __init__(self, context: TransferContext) -> None:
        """Keep what all transfers share."""
        self._context = context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or answer with a problem document."""
        named = TRANSFER_PATH.fullmatch(raw_path(scope))
        if named is None:
            raise NotFoundError("page")
        target_id = UUID(named["volume"] or named["job"])
        transfer = Transfer(self._context, scope, receive, send, target_id)
        what, which = _asked(named)
        problem: Problem | None = None
        try:
            problem = await self._serve(transfer, what, which)
        except ClientLeftError:
            return
        except _REFUSALS as error:
            if transfer.has_answered:
                raise  # cuts the connection: half a file must not pass for a whole one
            problem = _problem_of(error)
        if problem is not None:
            if what == "upload":
                problem = replace(problem, headers=(*problem.headers, *TUS_HEADERS))
            await send_problem(scope, send, problem)

    async def _serve(self, transfer: Transfer, what: str, which: str) -> Problem | None:
        method = transfer.scope["method"]
        if what == "upload" and method == "OPTIONS":
            await describe_server(transfer)
            return None
        allowed = _ALLOWED.get(what)
        if allowed and method not in allowed:
            named = ", ".join(allowed)
            return Problem(405, "method_not_allowed", {}, headers=(("Allow", named),))
        actor = await run_in_thread(self._context.authenticate, transfer.credentials)
        if actor is None:
            return _UNAUTHENTICATED
        if method not in _READS:
            if not self._is_of_our_page(transfer):
                return _FOREIGN_PAGE
            require_identity(get_header(transfer.scope, b"content-encoding"))
        with self._context.limiter.acquire(actor.user_id) as is_acquired:
            if not is_acquired:
                return _TOO_MANY
            await _dispatch(transfer, actor, what, which)
        return None

    def _is_of_our_page(self, transfer: Transfer) -> bool:
        """Return whether a write is no other site's: browsers name the origin of every such request."""
        if transfer.credentials.bearer:
            return True
        return self._context.portal.is_origin(get_header(transfer.scope, b"origin"))


def _asked(named: re.Match[str]) -> tuple[str, str]:
    """Return what a request is for, and which upload or output it names."""
    if named["volume"]:
        return named["what"] or "upload", named["upload"] or ""
    if named["output"]:
        return "output", unquote(named["output"], errors="surrogateescape")
    return "outputs-archive", ""


async def _dispatch(transfer: Transfer, actor: Actor, what: str, which: str) -> None:
    if what == "content":
        await serve_content(transfer, actor)
    elif what == "archive" and transfer.scope["method"] == "PUT":
        await serve_unpacking(transfer, actor)
    elif what == "archive":
        await serve_archive(transfer, actor)
    elif what == "output":
        await serve_output(transfer, actor, which)
    elif what == "outputs-archive":
        await serve_outputs_archive(transfer, actor)
    else:
        await serve_upload(transfer, actor, UUID(which) if which else None)


def _problem_of(error: Exception) -> Problem:
    if isinstance(error, TusRefusedError):
        return error.problem
    if isinstance(error, TimeoutError):
        return _TOO_SLOW
    return to_problem(error) or _BUSY
