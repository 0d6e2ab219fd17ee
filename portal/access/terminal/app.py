"""Terminals of notebooks and jobs: `WS /api/v1/{environments,jobs}/<id>/terminal`."""

import asyncio
from dataclasses import dataclass, field, replace
from uuid import UUID

import structlog
from django.db import DatabaseError
from django.http import QueryDict
from rest_framework.exceptions import APIException

from portal.access import services
from portal.access.services import AccessTarget
from portal.access.sessions import Authorize, ContainerSessions
from portal.access.terminal import frames
from portal.access.terminal.endpoints import TERMINAL_ENDPOINTS, TerminalQuery
from portal.access.terminal.frames import TerminalCloseCode
from portal.access.terminal.session import ReconnectingTerminal, TerminalSocket
from portal.common.actor import Actor
from portal.common.asgi.problems import send_problem
from portal.common.asgi.types import Receive, Scope, Send, get_header, raw_path
from portal.common.concurrency import run_in_thread
from portal.common.errors import DomainError, NotFoundError
from portal.common.origins import Origin
from portal.common.process_ids import owner_of
from portal.common.rest.live_endpoints import find_endpoint
from portal.execution.streams import Shell
from portal.live.authentication import FOREIGN_PAGE, Authenticate, RequestCredentials

logger = structlog.get_logger(__name__)


def get_terminal_owner(scope: Scope) -> str:
    """Return the id of the process that keeps the terminal a page comes back to, or nothing."""
    return owner_of(QueryDict(scope["query_string"]).get("session", ""))


class SignedOutError(DomainError):
    """The credentials are not, or no longer, valid."""


@dataclass(frozen=True, slots=True)
class TerminalApp:
    """The ASGI application of all terminals of the process."""

    portal: Origin
    session_cookie: str
    authenticate: Authenticate
    sessions: ContainerSessions
    process_id: str = ""
    """Begins the name of every terminal, so that a page that comes back finds its process."""
    _terminals: dict[str, ReconnectingTerminal] = field(default_factory=dict)
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one page's connection."""
        credentials = RequestCredentials.from_scope(scope, self.session_cookie)
        if not credentials.bearer and not self.portal.is_origin(get_header(scope, b"origin")):
            await send_problem(scope, send, FOREIGN_PAGE)
            return
        await receive()  # the `websocket.connect` that opens every connection
        await send({"type": "websocket.accept"})
        socket = TerminalSocket(receive, send)
        try:
            await self._serve(scope, socket, credentials)
        except SignedOutError as error:
            await socket.close(
                TerminalCloseCode.NOT_SIGNED_IN, frames.TerminalClosed(code=error.code)
            )
        except DomainError as error:
            refusal = frames.TerminalClosed(code=error.code, params=error.params)
            await socket.close(TerminalCloseCode.REFUSED, refusal)
        except APIException:
            await socket.close(TerminalCloseCode.REFUSED, frames.TerminalClosed(code="invalid"))
        except (DatabaseError, TimeoutError, OSError) as error:
            logger.warning("terminal.failed", error=repr(error))
            await socket.close(
                TerminalCloseCode.UNAVAILABLE, frames.TerminalClosed(code="unchecked")
            )

    async def close(self) -> None:
        """End all terminals, at the end of the process."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(
        self, scope: Scope, socket: TerminalSocket, credentials: RequestCredentials
    ) -> None:
        found = find_endpoint(TERMINAL_ENDPOINTS, raw_path(scope))
        if found is None:
            raise NotFoundError("page")
        kind, workload_id = found[0].operations["GET"].serve, found[1]["workload_id"]
        query = TerminalQuery.read(QueryDict(scope["query_string"]))
        size = query["columns"], query["rows"]
        authorize = self._authorization(scope, credentials, (workload_id, kind, query["rank"]))
        terminal = await self._find_detached(query["session"], authorize)
        is_resumed = terminal is not None
        if terminal is None:
            terminal = await self._start(authorize, size)
        await terminal.attach(socket, authorize, size, is_resumed=is_resumed)

    def _authorization(
        self, scope: Scope, credentials: RequestCredentials, asked: tuple[UUID, str, int]
    ) -> Authorize:
        client = scope.get("client")

        async def authorize() -> tuple[Actor, AccessTarget]:
            actor = await run_in_thread(self.authenticate, credentials)
            if actor is None:
                raise SignedOutError("not_authenticated")
            target = await run_in_thread(services.resolve_target, actor, *asked)
            return replace(actor, address=client[0] if client else ""), target

        return authorize

    async def _find_detached(self, name: str, authorize: Authorize) -> ReconnectingTerminal | None:
        """Return the named session if it is the caller's own and of the same container."""
        terminal = self._terminals.get(name)
        if terminal is None:
            return None
        actor, target = await authorize()
        is_own = actor.user_id == terminal.session.actor.user_id
        is_same = terminal.session.target.container == target.container
        return terminal if is_own and is_same else None

    async def _start(self, authorize: Authorize, size: tuple[int, int]) -> ReconnectingTerminal:
        started: asyncio.Future[ReconnectingTerminal] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._run(started, authorize, size))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await started

    async def _run(
        self,
        started: "asyncio.Future[ReconnectingTerminal]",
        authorize: Authorize,
        size: tuple[int, int],
    ) -> None:
        """Keep a session open until its shell or its page ends it, over all pages' connections."""

        try:
            async with self.sessions.open(authorize, Shell(*size), "terminal") as session:
                terminal = ReconnectingTerminal(session, authorize, self.process_id)
                self._terminals[terminal.name] = terminal
                try:
                    if not started.cancelled():
                        started.set_result(terminal)
                    reason = await self.sessions.run(
                        session,
                        terminal.authorize,
                        terminal.forward_output(),
                        terminal.until_left(),
                    )
                finally:
                    del self._terminals[terminal.name]
                await terminal.close(reason)
        except (DomainError, DatabaseError, TimeoutError, OSError) as error:
            if not started.done():
                started.set_exception(error)
