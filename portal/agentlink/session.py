"""The server end of a node's WebSocket: heartbeats in, desired states out, in order.

Close codes: 1003 not a message of the protocol, 1009 too large, 1013 the server cannot answer now,
4403 the node is not (any longer) enrolled, 4406 another protocol version, 4409 replaced by a newer
connection of the same node, 4410 two hosts use the identity of this node.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import Final, Protocol
from uuid import UUID

import structlog
from django.db import DatabaseError

from portal.agentlink.logs import append_log
from portal.agentlink.samples import read_samples
from portal.common.asgi.types import Message, Receive, Scope, Send, get_header, send_response
from portal.common.concurrency import first_completed, run_in_thread
from portal.execution.logs import LogStore
from portal.execution.samples import SampleStore
from wire.codec import FRAME_MAX, BadFrameError, decode_from_agent, encode
from wire.logs import LogChunk
from wire.messages import Desired, Heartbeat, Nudge, Refused
from wire.opening import OPENING_HEADER
from wire.samples import Telemetry
from wire.values import Message as WireMessage

HEARTBEAT_GAP_S: Final = 0.02
"""Least time between two heartbeats of a node; a faster agent is delayed, not refused."""
SILENCE_MAX_S: Final = 60.0
"""Without a message for so long the link of a node is closed."""
RECHECK_S: Final = 4.0
"""Between two checks of a node's key."""
SEND_TIMEOUT_S: Final = 20.0
"""A node that takes a message slower than this is disconnected."""
IDLE_S: Final = 3600.0
"""Longest wait for a notification before asking for the next."""

BAD_FRAME, TOO_LARGE, UNAVAILABLE = 1003, 1009, 1013
NOT_OURS, OTHER_PROTOCOL, REPLACED, TWO_HOSTS = 4403, 4406, 4409, 4410
GONE: Final = 1000

_FATAL: Final = {
    "node_unknown": NOT_OURS,
    "unsupported_protocol": OTHER_PROTOCOL,
    "identity_used_twice": TWO_HOSTS,
}
_BEARER: Final = "Bearer "

logger = structlog.get_logger(__name__)


class TopicSubscriber(Protocol):
    """A subscriber of topics; see `portal.live.broadcast`."""

    def add(self, topic: str) -> None:
        """Subscribe to a topic."""

    async def wait_topics(self, *, within_s: float) -> dict[str, int]:
        """Return the topics published since the last call; none when time is over."""


def _admit_every_agent(_node_id: UUID, _opening: str) -> bool:
    """Admit the client that has the key."""
    return True


async def _announce_nothing(_node_id: UUID) -> None:
    """Announce no link: there are no other processes."""


@dataclass(frozen=True, slots=True)
class NodeLink:
    """The ASGI application of `/node/v1/link`; one session per node at a time."""

    authenticate: Callable[[str], UUID | None]
    receive_heartbeat: Callable[[UUID, Heartbeat], Desired | Refused]
    store_log: LogStore
    record_samples: SampleStore
    subscribe: Callable[[], AbstractContextManager[TopicSubscriber]]
    announce_link: Callable[[UUID], Awaitable[None]] = _announce_nothing
    """Reports a new link to the other live processes, which close an earlier one."""
    admit: Callable[[UUID, str], bool] = _admit_every_agent
    """Returns whether an agent with the node's key may open a link, by what its header says of it."""
    recheck_s: float = RECHECK_S
    _sessions: dict[UUID, "_Session"] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection of a node until it ends."""
        key = get_header(scope, b"authorization").removeprefix(_BEARER)
        try:
            node_id = await run_in_thread(self.authenticate, key)
        except (DatabaseError, TimeoutError):
            await send_response(scope, send, 503, [(b"retry-after", b"2")])
            return
        if node_id is None:
            await send_response(scope, send, 401, [(b"www-authenticate", b"Bearer")])
            return
        opening = get_header(scope, OPENING_HEADER.lower().encode())
        if not await self._admits(node_id, opening):
            # It must not close the link of the agent that was there before it.
            await send_response(scope, send, 409, [(b"retry-after", b"5")])
            return
        session = _Session(self, node_id, key, receive, send)
        self.drop_link(node_id)
        self._sessions[node_id] = session
        try:
            await self.announce_link(node_id)
            await session.run()
        finally:
            if self._sessions.get(node_id) is session:
                del self._sessions[node_id]

    async def _admits(self, node_id: UUID, opening: str) -> bool:
        try:
            return await run_in_thread(self.admit, node_id, opening)
        except (DatabaseError, TimeoutError):
            return True  # its heartbeats are judged as well

    def drop_link(self, node_id: UUID) -> None:
        """Close the connection of a node, which has made a newer one."""
        if earlier := self._sessions.get(node_id):
            earlier.replaced.set()

    async def send_to(self, node_id: UUID, message: WireMessage) -> bool:
        """Send a message to a node; return whether it is connected here and took it."""
        session = self._sessions.get(node_id)
        if session is None:
            return False
        try:
            await session.send(message)
        except (TimeoutError, OSError):
            return False
        return True


class _Session:
    """One connection of one node."""

    def __init__(
        self, link: NodeLink, node_id: UUID, key: str, receive: Receive, send: Send
    ) -> None:
        self.replaced = asyncio.Event()
        self._link = link
        self._node_id = node_id
        self._key = key
        self._receive = receive
        self._send = send
        self._next_heartbeat_at = 0.0

    async def run(self) -> None:
        """Answer messages until either side has a reason to close the connection."""
        await self._receive()  # the `websocket.connect` that opens every connection
        await self._send({"type": "websocket.accept"})
        logger.info("node.linked", node=str(self._node_id))
        code = await first_completed(
            self._answer_messages(),
            self._forward_wakes(),
            self._watch_rights(),
            self._until_replaced(),
        )
        logger.info("node.unlinked", node=str(self._node_id), code=code)
        with suppress(OSError, RuntimeError):  # the node may have closed first
            await self._send({"type": "websocket.close", "code": code})

    async def _answer_messages(self) -> int:
        """Answer one message after the other; return the close code."""
        try:
            while (message := await self._next_message())["type"] == "websocket.receive":
                code = await self._answer(message)
                if code is not None:
                    return code
        except (DatabaseError, TimeoutError, OSError) as error:
            logger.warning("node.unanswered", node=str(self._node_id), error=repr(error))
            return UNAVAILABLE
        return GONE

    async def _next_message(self) -> Message:
        async with asyncio.timeout(SILENCE_MAX_S):
            return await self._receive()

    async def _answer(self, message: Message) -> int | None:
        frame: str | None = message.get("text")
        if frame is None:
            return await self._refuse(BAD_FRAME, "binary_frame")
        if len(frame) > FRAME_MAX:
            return await self._refuse(TOO_LARGE, "frame_too_large")
        try:
            received = decode_from_agent(frame)
        except BadFrameError as error:
            logger.warning("node.bad_frame", node=str(self._node_id), error=str(error)[:200])
            return await self._refuse(BAD_FRAME, "bad_frame")
        if isinstance(received, LogChunk):
            ack = await run_in_thread(append_log, self._link.store_log, self._node_id, received)
            await self.send(ack)
            return None
        if isinstance(received, Telemetry):
            await self._record(received)
            return None
        return await self._answer_heartbeat(received)

    async def _record(self, telemetry: Telemetry) -> None:
        """Record samples if that is possible now: a gap in a chart must not close the link."""
        try:
            samples = read_samples(telemetry)
            await run_in_thread(self._link.record_samples, self._node_id, samples)
        except (DatabaseError, TimeoutError) as error:
            logger.warning("telemetry.lost", node=str(self._node_id), error=repr(error))

    async def _answer_heartbeat(self, heartbeat: Heartbeat) -> int | None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(self._next_heartbeat_at - loop.time())
        self._next_heartbeat_at = loop.time() + HEARTBEAT_GAP_S
        # The reply binds allocations: it is sent only after its transaction has committed.
        reply = await run_in_thread(self._link.receive_heartbeat, self._node_id, heartbeat)
        await self.send(reply)
        return _FATAL.get(reply.code) if isinstance(reply, Refused) else None

    async def _refuse(self, close_code: int, reason: str) -> int:
        await self.send(Refused(code=reason))
        return close_code

    async def _forward_wakes(self) -> int:
        with self._link.subscribe() as subscriber:
            subscriber.add(f"node:{self._node_id}")
            while True:
                if await subscriber.wait_topics(within_s=IDLE_S):
                    try:
                        await self.send(Nudge())
                    except (TimeoutError, OSError):
                        return GONE

    async def _watch_rights(self) -> int:
        while True:
            await asyncio.sleep(self._link.recheck_s)
            try:
                node_id = await run_in_thread(self._link.authenticate, self._key)
            except (DatabaseError, TimeoutError):
                return UNAVAILABLE
            if node_id != self._node_id:
                return NOT_OURS

    async def _until_replaced(self) -> int:
        await self.replaced.wait()
        return REPLACED

    async def send(self, message: WireMessage) -> None:
        """Send one message; raises when the node does not take it in time."""
        async with asyncio.timeout(SEND_TIMEOUT_S):
            await self._send({"type": "websocket.send", "text": encode(message)})
