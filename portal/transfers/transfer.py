"""One request for bytes of files: its caller, the volume or job it is about, its body and its answer."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar
from uuid import UUID

from portal.common.actor import Actor
from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.asgi.types import Header, Receive, Scope, Send, send_response
from portal.common.concurrency import run_in_thread, with_own_connection
from portal.common.errors import DeniedError, DomainError
from portal.common.origins import Origin
from portal.jobs.outputs import OpenedOutputs, open_outputs
from portal.live.authentication import RECHECK_S, Authenticate, RequestCredentials
from portal.volumes.file_access import OpenedVolume, open_to_read, open_to_write
from portal.volumes.growth import GrowthLedger

TRANSFERS_PER_USER_MAX: Final = 32
"""Uploads and downloads of one user at a time, in one live process."""
FILE_THREADS_MAX: Final = 8
"""Threads that read and write files; the database has others, so that slow storage blocks no sign-in."""
PIECE: Final = 1024 * 1024
"""Bytes that are written or read in one step; about twice that is in memory for each transfer."""
BODY_SILENT_MAX_S: Final = 60.0
"""How long the sender of a file may be silent."""

P = ParamSpec("P")
T = TypeVar("T")
Check = Callable[[Actor, UUID, Path], T]
"""Returns what an actor may reach of a volume or job; raises `DomainError` if it may not."""


class ClientLeftError(Exception):
    """The connection broke before the body was whole; what has come is kept."""


class FileThreads(ThreadPoolExecutor):
    """Threads for reading and writing files; what asks the database for long has others."""

    def __init__(self) -> None:
        """Start none before they are needed."""
        super().__init__(FILE_THREADS_MAX, "files")

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a blocking function in a thread; it has ended when this returns, also when cancelled."""
        call = partial(function, *args, **kwargs)
        future = asyncio.wrap_future(self.submit(with_own_connection, call))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            await asyncio.wait([future])
            raise


@dataclass(frozen=True, slots=True)
class TransferContext:
    """What all transfers of the process share."""

    portal: Origin
    session_cookie: str
    authenticate: Authenticate
    storage_dir: Path
    threads: FileThreads
    ledger: GrowthLedger = field(default_factory=GrowthLedger)
    limiter: ConnectionLimiter = field(
        default_factory=lambda: ConnectionLimiter(TRANSFERS_PER_USER_MAX)
    )
    recheck_s: float = RECHECK_S
    silent_max_s: float = BODY_SILENT_MAX_S


class Transfer:
    """One request for the bytes of a volume, or of the outputs of a job."""

    def __init__(
        self,
        context: TransferContext,
        scope: Scope,
        receive: Receive,
        send: Send,
        named: Mapping[str, Any],
    ) -> None:
        """Nothing is checked yet; the handler says whether it will read or write."""
        self.context = context
        self.scope = scope
        self.named = named
        """What the path names."""
        self.has_answered = False
        self._receive = receive
        self._send = send
        self.target_id: UUID = named.get("volume_id") or named["workload_id"]
        self._check: Check[object] = open_to_read
        self.credentials = RequestCredentials.from_scope(scope, context.session_cookie)

    async def open(self, actor: Actor, *, writes: bool, snapshot: str = "") -> OpenedVolume:
        """Return the volume, or a snapshot of it; raises as `portal.volumes.file_access` does."""
        check = open_to_write if writes else partial(open_to_read, snapshot=snapshot)
        return await self._admit(actor, check)

    async def open_outputs(self, actor: Actor) -> OpenedOutputs:
        """Return the outputs of the job; raises as `portal.jobs.outputs` does."""
        return await self._admit(actor, open_outputs)

    async def _admit(self, actor: Actor, check: Check[T]) -> T:
        """Make the check that `until_revoked` repeats."""
        self._check = check
        return await run_in_thread(check, actor, self.target_id, self.context.storage_dir)

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function that reads or writes files in a thread."""
        return await self.context.threads.run(function, *args, **kwargs)

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the body; all that has come before the connection broke, too.

        Raises:
            ClientLeftError: it broke.
            TimeoutError: nothing came for a long time.
        """
        pending = bytearray()
        has_more = True
        while has_more:
            async with asyncio.timeout(self.context.silent_max_s):
                message = await self._receive()
            if message["type"] == "http.disconnect":
                if pending:
                    yield bytes(pending)
                raise ClientLeftError
            pending += message.get("body", b"")
            has_more = message.get("more_body", False)
            if len(pending) >= PIECE or (pending and not has_more):
                yield bytes(pending)
                pending.clear()

    async def answer(self, status: int, headers: Iterable[Header] = ()) -> None:
        """Answer without a body."""
        self.has_answered = True
        await send_response(self.scope, self._send, status, [_NO_STORE, *headers])

    async def begin(self, status: int, headers: Iterable[Header]) -> None:
        """Begin an answer with a body."""
        self.has_answered = True
        start = {"type": "http.response.start", "status": status, "headers": [_NO_STORE, *headers]}
        await self._send(start)

    async def send(self, data: bytes, *, is_last: bool = False) -> None:
        """Send a part of the body; returns when the client has taken most of it."""
        await self._send({"type": "http.response.body", "body": data, "more_body": not is_last})

    async def until_client_left(self) -> None:
        """Return once the client has closed the connection."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def until_revoked(self) -> None:
        """Raise `DeniedError` once the caller may not do this any more; a check that fails counts not."""
        while True:
            await asyncio.sleep(self.context.recheck_s)
            actor = await run_in_thread(self.context.authenticate, self.credentials)
            if actor is None:
                raise DeniedError("denied")
            try:
                await self._admit(actor, self._check)
            except DomainError as error:
                raise DeniedError("denied") from error


Serve = Callable[[Transfer, Actor], Awaitable[None]]
"""Serves one request of an actor."""

_NO_STORE: Final = (b"cache-control", b"no-store")
