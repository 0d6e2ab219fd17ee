"""Doorbells inside the live process: one Redis reader, any number of local listeners.

A ring says "something about this topic changed, look again"; it carries no data, so rings of one
topic merge and a listener that never looks holds one number per topic, whatever happens.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from portal.common.poke import CHANNEL

UNKNOWN_SEQ: Final = 0
"""Rung when pokes may have been missed: whatever you know, look again."""
BELL: Final = "bell"
READ_TIMEOUT_S: Final = 1.0
"""How long Redis may take to answer."""
HEALTH_CHECK_S: Final = 15
"""Between two looks whether Redis is there."""
RETRY_FIRST_S: Final = 0.2
"""Before Redis is tried again, at first."""
RETRY_MAX_S: Final = 5.0
"""Before Redis is tried again, at most."""

logger = structlog.get_logger(__name__)


class Listener:
    """What one client wants to hear of, and what it has not been told yet."""

    def __init__(self, hub: "Hub") -> None:
        """Listen to nothing yet."""
        self._hub = hub
        self._pending: dict[str, int] = {}
        self._rung = asyncio.Event()
        self.topics: set[str] = set()

    def add(self, topic: str) -> None:
        """Listen to a topic."""
        self.topics.add(topic)
        self._hub.listeners_of[topic].add(self)

    def discard(self, topic: str) -> None:
        """Listen to a topic no longer."""
        self.topics.discard(topic)
        self._pending.pop(topic, None)
        listeners = self._hub.listeners_of[topic]
        listeners.discard(self)
        if not listeners:
            del self._hub.listeners_of[topic]

    def ring(self, topic: str, seq: int) -> None:
        """Take note of a ring; of several for one topic only the newest is kept."""
        self._pending[topic] = seq
        self._rung.set()

    async def rings(self, *, within_s: float) -> dict[str, int]:
        """Return the topics rung since the last call, waiting for one; none when time is over."""
        try:
            async with asyncio.timeout(within_s):
                await self._rung.wait()
        except TimeoutError:
            return {}
        self._rung.clear()
        pending, self._pending = self._pending, {}
        return pending


class Hub:
    """Passes pokes from Redis on to listeners; used from one event loop only."""

    def __init__(self) -> None:
        """Start without listeners."""
        self.listeners_of: defaultdict[str, set[Listener]] = defaultdict(set)

    @contextmanager
    def listen(self) -> Iterator[Listener]:
        """Provide a listener that is forgotten when the block ends."""
        listener = Listener(self)
        try:
            yield listener
        finally:
            for topic in tuple(listener.topics):
                listener.discard(topic)

    def ring(self, topic: str, seq: int = UNKNOWN_SEQ) -> None:
        """Ring one topic in this process."""
        for listener in self.listeners_of.get(topic, ()):
            listener.ring(topic, seq)

    def ring_all(self) -> None:
        """Ring every topic that anybody listens to: something may have been missed."""
        for topic in tuple(self.listeners_of):
            self.ring(topic)

    def deliver(self, message: str) -> None:
        """Ring what one poke names; one that makes no sense is logged and dropped."""
        try:
            for topic, seq in _rings(json.loads(message)):
                self.ring(topic, seq)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            logger.warning("hub.poke_unreadable", error=repr(error))

    async def read(self, redis_url: str) -> None:
        """Read pokes for ever; while Redis is away, ring everything at every try to get it back.

        Pages then fetch every few seconds what they would have been told of.
        """
        pause_s = RETRY_FIRST_S
        while True:
            try:
                async with Redis.from_url(
                    redis_url,
                    decode_responses=True,
                    socket_connect_timeout=RETRY_MAX_S,
                    socket_timeout=RETRY_MAX_S,
                    health_check_interval=HEALTH_CHECK_S,
                ) as redis:
                    async for message in _messages(redis):
                        pause_s = RETRY_FIRST_S
                        if message is None:
                            self.ring_all()
                        else:
                            self.deliver(message)
            except (RedisError, OSError) as error:
                logger.warning("hub.redis_away", error=repr(error), retry_s=pause_s)
                self.ring_all()
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, RETRY_MAX_S)


async def _messages(redis: Redis) -> Any:
    """Yield None once subscribed, then the text of every poke."""
    async with redis.pubsub() as pubsub:
        await pubsub.subscribe(CHANNEL)
        while True:
            message = await pubsub.get_message(timeout=READ_TIMEOUT_S)
            if message is not None and message["type"] == "subscribe":
                yield None
            elif message is not None:
                yield message["data"]


def _rings(poke: dict[str, Any]) -> list[tuple[str, int]]:
    """Return the topics of a poke: those a bell lists, or its own name, such as `node:<id>`."""
    if poke["name"] != BELL:
        return [(str(poke["name"]), UNKNOWN_SEQ)]
    bell = json.loads(poke["payload"])
    return [(str(topic), int(bell["seq"])) for topic in bell["topics"]]
