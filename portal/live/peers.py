"""The other live processes: which there are, and requests to the one that holds a node's link.

Each announces its address in Redis and listens to a channel. Messages are signed with the secret
key, so that access to Redis alone opens no stream. With Redis away each process serves what it
holds itself.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

import structlog
from django.core import signing
from redis.asyncio import BlockingConnectionPool, Redis
from redis.exceptions import RedisError

from portal.common.process_ids import new_process_id
from portal.common.redis_client import own_channel
from wire.codec import BadFrameError, decode_to_agent, encode
from wire.messages import OpenStream
from wire.values import Message as WireMessage

CHANNEL: Final = "berth:peers"
KEY_PREFIX: Final = "berth:live:"
ANNOUNCED_S: Final = 30
"""How long a live process that ended without notice still counts as present."""
ANNOUNCE_EVERY_S: Final = 10.0
"""Between two announcements of a live process."""
TAKEN_WITHIN_S: Final = 3.0
"""How long the holder of a link may take to say that it has sent a message on."""
VALID_S: Final = 300
"""Age of a signed message that is still read; more than clocks of hosts differ."""
RETRY_S: Final = 1.0
"""Between two attempts to reach Redis, and how long a notice to the others may take."""
TIMEOUT_S: Final = 5.0
"""How long Redis may take to connect or to answer."""
CONNECTIONS_MAX: Final = 16
"""Connections of one live process to Redis for this; further requests wait for one."""
_SALT: Final = "portal.live.peers"

SendToNode = Callable[[UUID, WireMessage], Awaitable[bool]]
logger = structlog.get_logger(__name__)


class Peers:
    """The live processes that share a Redis; this is one of them."""

    def __init__(
        self,
        redis_url: str,
        url: str,
        *,
        send_here: SendToNode,
        drop_link: Callable[[UUID], None],
    ) -> None:
        """Connect on first use only.

        `url` is where the others reach this process. `send_here` sends over a link of this process
        and returns False without one; `drop_link` closes one whose node has come back elsewhere.
        """
        self.id = new_process_id()
        """Beginning of the name of everything that only this process can serve."""
        self._url = url
        self._send_here = send_here
        self._drop_link = drop_link
        self._taken: dict[str, asyncio.Future[None]] = {}
        self._redis = Redis.from_pool(
            BlockingConnectionPool.from_url(
                redis_url,
                max_connections=CONNECTIONS_MAX,
                timeout=TIMEOUT_S,
                decode_responses=True,
                socket_connect_timeout=TIMEOUT_S,
                socket_timeout=TIMEOUT_S,
            )
        )
        self._channel = own_channel(self._redis, CHANNEL)

    async def send_to(self, node_id: UUID, message: WireMessage) -> bool:
        """Send a message to a node, through another process if that one holds its link."""
        if await self._send_here(node_id, message):
            return True
        if not isinstance(message, OpenStream):
            return False
        taken = asyncio.get_running_loop().create_future()
        self._taken[message.stream] = taken
        try:
            async with asyncio.timeout(TAKEN_WITHIN_S):
                asked = {"node": str(node_id), "message": encode(message)}
                if not await self._publish(asked):
                    return False
                await taken
        except (TimeoutError, RedisError, OSError):
            return False
        finally:
            del self._taken[message.stream]
        return True

    async def announce_link(self, node_id: UUID) -> None:
        """Tell the others that a node is linked here: a link of it that they hold is dead."""
        try:
            async with asyncio.timeout(RETRY_S):
                await self._publish({"linked": str(node_id)})
        except (RedisError, OSError) as error:
            logger.warning("peers.redis_away", error=repr(error))

    async def find_url(self, peer_id: str) -> str | None:
        """Return where another process is reached; None when it is gone or Redis is away."""
        try:
            announced = await self._redis.get(KEY_PREFIX + peer_id)
            body = signing.loads(str(announced or ""), salt=_SALT, max_age=VALID_S)
        except (RedisError, OSError, signing.BadSignature):
            return None
        return str(body["url"]) if body.get("id") == peer_id else None

    async def run(self) -> None:
        """Announce this process and serve requests of the others until cancelled."""
        try:
            await asyncio.gather(self._retry(self._announce), self._retry(self._listen))
        finally:
            with suppress(RedisError, OSError, TimeoutError):
                async with asyncio.timeout(RETRY_S):
                    await self._redis.unlink(KEY_PREFIX + self.id)
            await self._redis.aclose()

    async def _retry(self, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await work()
            except (RedisError, OSError) as error:
                logger.warning("peers.redis_away", error=repr(error))
            await asyncio.sleep(RETRY_S)

    async def _announce(self) -> None:
        while True:
            announced = signing.dumps({"id": self.id, "url": self._url}, salt=_SALT)
            await self._redis.set(KEY_PREFIX + self.id, announced, ex=ANNOUNCED_S)
            await asyncio.sleep(ANNOUNCE_EVERY_S)

    async def _listen(self) -> None:
        served: set[asyncio.Task[None]] = set()
        try:
            async with self._redis.pubsub() as pubsub:
                await pubsub.subscribe(self._channel)
                while True:
                    message = await pubsub.get_message(timeout=RETRY_S)
                    if message is not None and message["type"] == "message":
                        task = asyncio.create_task(self._serve(message["data"]))
                        served.add(task)
                        task.add_done_callback(served.discard)
        finally:
            for task in served:
                task.cancel()

    async def _serve(self, signed: str) -> None:
        """Serve one message of another process; an unreadable one is logged and dropped."""
        try:
            body = signing.loads(signed, salt=_SALT, max_age=VALID_S)
            if body["from"] == self.id:
                return
            if "taken" in body:
                self._note_taken(body["taken"])
            elif "linked" in body:
                self._drop_link(UUID(body["linked"]))
            else:
                await self._pass_on(UUID(body["node"]), decode_to_agent(body["message"]))
        except (signing.BadSignature, BadFrameError, KeyError, ValueError) as error:
            logger.warning("peers.unreadable", error=repr(error))
        except (RedisError, OSError) as error:
            logger.warning("peers.redis_away", error=repr(error))

    def _note_taken(self, stream: str) -> None:
        taken = self._taken.get(stream)
        if taken is not None and not taken.done():
            taken.set_result(None)

    async def _pass_on(self, node_id: UUID, message: WireMessage) -> None:
        """Send a request to a node that is linked here, and tell the one that asked."""
        if isinstance(message, OpenStream) and await self._send_here(node_id, message):
            await self._publish({"taken": message.stream})

    async def _publish(self, body: Mapping[str, Any]) -> int:
        """Publish to the others; return how many listen."""
        signed = signing.dumps({"from": self.id, **body}, salt=_SALT)
        return int(await self._redis.publish(self._channel, signed)) - 1
