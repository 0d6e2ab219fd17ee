"""What the gateway itself answers below a notebook's path: `berth/status` and `berth/keep`.

The extension in JupyterLab asks here; the container never sees these requests, and holds no key to the
portal. The grant in the cookie says who asks. What changes something also needs the token of the
notebook's server, which only pages of this notebook carry: other work on this origin has a cookie sent
along, too, but not this. See ADR 60.
"""

import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from django.db import DatabaseError

from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.asgi.problems import SEALED, send_problem
from portal.common.asgi.types import Receive, Scope, Send, get_header, raw_path, send_response
from portal.common.concurrency import run_in_thread
from portal.common.errors import DeniedError, DomainError, NotFoundError
from portal.common.rest.problems import Problem, to_problem
from portal.common.work_kinds import KINDS, WebEndpoint
from portal.endpoints.values import Endpoint, base_path
from portal.gateway.error_pages import page_language

PLACE: Final = "berth/"
"""Below a notebook's path: answered here, never by the notebook."""
REQUESTS_MAX: Final = 4
"""Requests at a time about one notebook, of its owner and of each colleague."""

_BUSY: Final = Problem(429, "too_many_requests", {"wait_s": 1}, headers=(("Retry-After", "1"),))

ReadStatus = Callable[[str, UUID, str], dict[str, Any] | None]
Keep = Callable[[str, UUID], None]


@dataclass(frozen=True, slots=True)
class LabDesk:
    """Answers JupyterLab's questions about its notebook; its functions are called in a thread."""

    read_status: ReadStatus = lambda *_: None
    keep: Keep = lambda *_: None
    _requests: ConnectionLimiter = field(default_factory=lambda: ConnectionLimiter(REQUESTS_MAX))

    def is_for(self, workload_id: UUID, endpoint: Endpoint, scope: Scope) -> bool:
        """Return whether a request is answered here."""
        place = f"{base_path(workload_id)}{PLACE}"
        has_lab = KINDS[endpoint.kind].endpoint is WebEndpoint.SERVER
        return has_lab and raw_path(scope).startswith(place)

    async def answer(
        self,
        workload_id: UUID,
        secret: str,
        endpoint: Endpoint,
        ends: tuple[Scope, Receive, Send],
    ) -> None:
        """Answer a request whose grant opens the notebook, and whose origin was checked."""
        scope, _, send = ends
        with self._requests.acquire((workload_id, endpoint.access.visitor)) as is_acquired:
            if not is_acquired:
                await send_problem(scope, send, _BUSY)
                return
            try:
                shown = await self._serve(workload_id, secret, endpoint, scope)
            except (DomainError, DatabaseError, TimeoutError) as error:
                problem = to_problem(error) or Problem(503, "busy", {})
                await send_problem(scope, send, problem)
                return
        headers = [
            (b"content-type", b"application/json"),
            (b"cache-control", b"no-store"),
            SEALED,
            (b"cross-origin-resource-policy", b"same-origin"),
            (b"x-content-type-options", b"nosniff"),
        ]
        await send_response(scope, send, 200, headers, json.dumps(shown).encode())

    async def _serve(
        self, workload_id: UUID, secret: str, endpoint: Endpoint, scope: Scope
    ) -> dict[str, Any]:
        name = raw_path(scope).removeprefix(f"{base_path(workload_id)}{PLACE}")
        match scope.get("method"), name:
            case "GET", "status":
                pass
            case "POST", "keep":
                _require_own_page(endpoint, scope)
                await run_in_thread(self.keep, secret, workload_id)
            case _:
                raise NotFoundError("page")
        status = await run_in_thread(self.read_status, secret, workload_id, page_language(scope))
        if status is None:
            raise NotFoundError("workload")
        return status


def _require_own_page(endpoint: Endpoint, scope: Scope) -> None:
    """Refuse a caller that is not a page of the owner's JupyterLab itself."""
    sent = get_header(scope, b"authorization").encode()
    if endpoint.access.visitor or not hmac.compare_digest(
        sent, f"token {endpoint.policy.token}".encode()
    ):
        raise DeniedError("denied")
