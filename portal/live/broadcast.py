"""Topics inside the live process: one Redis subscription, any number of local subscribers.

A message says that something about a topic has changed; messages of one topic merge. Of nodes it names
the changed ones: their frames wait for a slow subscriber, a few of each topic, and become such a message
when there are more.
"""

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from portal.common.notifications import CHANNEL, RIGHTS, UNKNOWN_SEQ
from portal.common.redis_client import own_channel
from portal.live.frames import ChangedRows, encode_frame

READ_TIMEOUT_S: Final = 1.0
"""How long Redis may take to answer."""
HEALTH_CHECK_S: Final = 15
"""Between two checks that Redis is there."""
REMEMBERED_MAX: Final = 10_000
"""Topics whose last change is known; older changes are forgotten."""
FRAMES_MAX: Final = 8
"""Frames of one topic that wait for a subscriber; a page with more to catch up asks for all of it."""
RETRY_FIRST_S: Final = 0.2
"""Before Redis is tried again, at first."""
RETRY_MAX_S: Final = 5.0
"""Before Redis is tried again, at most."""

logger = structlog.get_logger(__name__)


class Subscriber:
    """The topics of one client, and those published since it last asked."""

    def __init__(self, broadcaster: "Broadcaster") -> None:
        """Start without topics."""
        self._broadcaster = broadcaster
        self._pending: dict[str, int] = {}
        self._frames: dict[str, list[str]] = {}
        """Of topics whose pending change is nothing but these."""
        self._taken: dict[str, list[str]] = {}
        """Those of the topics that `wait_topics` returned last."""
        self._has_pending = asyncio.Event()
        self.topics: set[str] = set()

    def add(self, topic: str) -> None:
        """Subscribe to a topic."""
        self.topics.add(topic)
        self._broadcaster.subscribers_of[topic].add(self)

    def discard(self, topic: str) -> None:
        """End the subscription to a topic, if there is one."""
        self.topics.discard(topic)
        self._pending.pop(topic, None)
        self._frames.pop(topic, None)
        subscribers = self._broadcaster.subscribers_of[topic]
        subscribers.discard(self)
        if not subscribers:
            del self._broadcaster.subscribers_of[topic]

    def put(self, topic: str, seq: int) -> None:
        """Keep a change until the next `wait_topics`; the newest of a topic replaces others."""
        self._pending[topic] = seq
        self._frames.pop(topic, None)
        self._has_pending.set()

    def put_frame(self, topic: str, frame: str) -> None:
        """Keep a frame until it is taken, unless the topic is to be fetched again anyway."""
        if topic not in self._pending:
            self._pending[topic], self._frames[topic] = UNKNOWN_SEQ, []
            self._has_pending.set()
        waiting = self._frames.get(topic)
        if waiting is not None and len(waiting) == FRAMES_MAX:
            self.put(topic, UNKNOWN_SEQ)
        elif waiting is not None:
            waiting.append(frame)

    def take_frames(self, topic: str) -> list[str]:
        """Return the frames that are all that is new in a topic of the last `wait_topics`."""
        return self._taken.pop(topic, [])

    async def wait_topics(self, *, within_s: float | None = None) -> dict[str, int]:
        """Return the topics published since the last call with their sequence numbers.

        Waits for one if there is none; empty when the time is over, if there is a limit.
        """
        if not self._pending and within_s is None:
            await self._has_pending.wait()
        elif not self._pending:
            try:
                async with asyncio.timeout(within_s):
                    await self._has_pending.wait()
            except TimeoutError:
                return {}
        self._has_pending.clear()
        pending, self._pending = self._pending, {}
        self._taken, self._frames = self._frames, {}
        return pending


class Broadcaster:
    """Passes messages from Redis on to subscribers; used from one event loop only."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without subscribers."""
        self.subscribers_of: defaultdict[str, set[Subscriber]] = defaultdict(set)
        self._clock = clock
        self._complete_since = clock()
        self._published_at: dict[str, float] = {}

    @contextmanager
    def subscribe(self) -> Iterator[Subscriber]:
        """Provide a subscriber that is removed at the end of the block."""
        subscriber = Subscriber(self)
        try:
            yield subscriber
        finally:
            for topic in tuple(subscriber.topics):
                subscriber.discard(topic)

    def publish(self, topic: str, seq: int = UNKNOWN_SEQ) -> None:
        """Notify this process's subscribers of one topic."""
        self._note_change(topic)
        for subscriber in self.subscribers_of.get(topic, ()):
            subscriber.put(topic, seq)

    def publish_rows(self, topic: str, rows: list[str]) -> None:
        """Notify this process's subscribers of one topic that these rows of it changed."""
        self._note_change(topic)
        if subscribers := self.subscribers_of.get(topic):
            frame = encode_frame(ChangedRows(topic=topic, seq=UNKNOWN_SEQ, rows=rows))
            for subscriber in subscribers:
                subscriber.put_frame(topic, frame)

    def publish_all(self) -> None:
        """Notify all subscribers of all their topics: messages may have been missed.

        But not of rights, which are checked every few seconds without it: all at once is too much.
        """
        self._complete_since = self._clock()
        for topic in tuple(self.subscribers_of):
            if not topic.startswith(RIGHTS):
                self.publish(topic)

    def _note_change(self, topic: str) -> None:
        self._published_at.pop(topic, None)
        self._published_at[topic] = self._clock()
        if len(self._published_at) > REMEMBERED_MAX:
            oldest = next(iter(self._published_at))
            self._complete_since = self._published_at.pop(oldest)

    def quiet_s(self, topic: str) -> float:
        """Return for how long nothing has been published about a topic, as far as is known."""
        since = max(self._published_at.get(topic, 0.0), self._complete_since)
        return self._clock() - since

    def dispatch(self, message: str) -> None:
        """Publish the topics of one Redis message; an unreadable one is logged and dropped."""
        try:
            body = json.loads(message)
            seq = int(body["seq"])
            topics = [str(topic) for topic in body["topics"]]
            rows = [
                (topic, [str(row) for row in changed])
                for topic, changed in body.get("rows", {}).items()
            ]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            logger.warning("broadcast.unreadable", error=repr(error))
            return
        for topic in topics:
            self.publish(topic, seq)
        for topic, changed in rows:
            self.publish_rows(topic, changed)

    async def run(self, redis_url: str) -> None:
        """Read messages until cancelled.

        While Redis is away every attempt to reach it publishes all topics, so that pages fetch
        every few seconds what they would otherwise have been notified of.
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
                    async for message in _read_messages(redis):
                        pause_s = RETRY_FIRST_S
                        if message is None:
                            self.publish_all()
                        else:
                            self.dispatch(message)
            except (RedisError, OSError) as error:
                logger.warning("broadcast.redis_away", error=repr(error), retry_s=pause_s)
                self.publish_all()
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, RETRY_MAX_S)


async def _read_messages(redis: Redis) -> AsyncGenerator[Any]:
    """Yield None once subscribed, then the text of every message."""
    async with redis.pubsub() as pubsub:
        await pubsub.subscribe(own_channel(redis, CHANNEL))
        while True:
            message = await pubsub.get_message(timeout=READ_TIMEOUT_S)
            if message is not None and message["type"] == "subscribe":
                yield None
            elif message is not None:
                yield message["data"]
