"""The ASGI application of uploads and downloads: who calls, what is asked, refusals in words.

A transfer takes minutes, so it is served here and not by the few threads of the web process.
"""

from dataclasses import replace
from typing import Final

from django.db import DatabaseError
from rest_framework.exceptions import APIException

from portal.common.asgi.problems import send_problem
from portal.common.asgi.types import Receive, Scope, Send, get_header, raw_path
from portal.common.concurrency import run_in_thread
from portal.common.errors import DomainError, NotFoundError
from portal.common.rest.live_endpoints import LiveEndpoint, find_endpoint
from portal.common.rest.parsing import require_identity
from portal.common.rest.problems import Problem, to_problem
from portal.live.authentication import FOREIGN_PAGE, UNAUTHENTICATED
from portal.transfers.endpoints import TRANSFER_ENDPOINTS, UPLOAD_ENDPOINTS
from portal.transfers.transfer import (
    TRANSFERS_PER_USER_MAX,
    ClientLeftError,
    Serve,
    Transfer,
    TransferContext,
)
from portal.transfers.tus import TUS_HEADERS, TusRefusedError, describe_server
from portal.volumes.services import mark_changed

_READS: Final = ("GET", "HEAD")
_REFUSALS: Final = (DomainError, APIException, DatabaseError, TimeoutError, TusRefusedError)

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
        found = find_endpoint(TRANSFER_ENDPOINTS, raw_path(scope))
        if found is None:
            raise NotFoundError("page")
        endpoint, named = found
        transfer = Transfer(self._context, scope, receive, send, named)
        problem: Problem | None = None
        try:
            problem = await self._serve(transfer, endpoint)
        except ClientLeftError:
            return
        except _REFUSALS as error:
            if transfer.has_answered:
                raise  # cuts the connection: half a file must not pass for a whole one
            problem = _problem_of(error)
        if problem is not None:
            if endpoint in UPLOAD_ENDPOINTS:
                problem = replace(problem, headers=(*problem.headers, *TUS_HEADERS))
            await send_problem(scope, send, problem)

    async def _serve(self, transfer: Transfer, endpoint: LiveEndpoint[Serve]) -> Problem | None:
        method = transfer.scope["method"]
        operation = endpoint.find(method)
        if operation is None:
            allowed = (("Allow", endpoint.allowed),)
            return Problem(405, "method_not_allowed", {}, headers=allowed)
        if operation.is_public:
            await describe_server(transfer)
            return None
        actor = await run_in_thread(self._context.authenticate, transfer.credentials)
        if actor is None:
            return UNAUTHENTICATED
        if method not in _READS:
            if not self._is_of_our_page(transfer):
                return FOREIGN_PAGE
            require_identity(get_header(transfer.scope, b"content-encoding"))
        with self._context.limiter.acquire(actor.user_id) as is_acquired:
            if not is_acquired:
                return _TOO_MANY
            await operation.serve(transfer, actor)
            if method not in _READS:
                await run_in_thread(mark_changed, transfer.target_id)
        return None

    def _is_of_our_page(self, transfer: Transfer) -> bool:
        """Return whether a write is no other site's: browsers name the origin of every such request."""
        if transfer.credentials.bearer:
            return True
        return self._context.portal.is_origin(get_header(transfer.scope, b"origin"))


def _problem_of(error: Exception) -> Problem:
    if isinstance(error, TusRefusedError):
        return error.problem
    if isinstance(error, TimeoutError):
        return _TOO_SLOW
    return to_problem(error) or _BUSY
