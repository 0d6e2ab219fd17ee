"""The page's WebSocket `/ws`: topics to fetch again, new points of charts, logs as they grow."""

import asyncio
import codecs
from collections.abc import Callable, Coroutine
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import structlog
from channels.generic.websocket import AsyncWebsocketConsumer
from django.db import DatabaseError

from portal.common.actor import Actor
from portal.common.asgi.connection_limiter import ConnectionLimiter
from portal.common.asgi.problems import send_problem
from portal.common.asgi.types import Receive, Scope, Send, get_header
from portal.common.concurrency import run_in_thread
from portal.common.errors import DomainError, ExhaustedError
from portal.common.frames import BadPageFrameError, PageFrame
from portal.common.notifications import RIGHTS
from portal.common.origins import Origin
from portal.live import frames
from portal.live.authentication import (
    FOREIGN_PAGE,
    RECHECK_S,
    Authenticate,
    RequestCredentials,
)
from portal.live.broadcast import Broadcaster, Subscriber
from portal.live.folder_watches import FolderWatches
from portal.live.frames import PageCloseCode
from portal.live.log_tail import RankLog, tail_log
from portal.live.rights_checks import RightsChecks
from portal.live.topics import Subscription, Topic, TopicKind

SOCKETS_PER_USER_MAX: Final = 10
"""Pages of one user that get news at a time."""
TOPICS_MAX: Final = 200
"""Topics that one page may listen to."""
LOGS_MAX: Final = 8
"""Logs that one page may follow."""
FOLDERS_MAX: Final = 8
"""Folders of files that one page may follow."""
MESSAGES_PER_S: Final = 20
"""Frames that one page may send."""
SEND_TIMEOUT_S: Final = 20.0
"""A slower reader is disconnected; the page connects again and fetches what it missed."""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class SocketContext:
    """What all sockets of the process share."""

    broadcaster: Broadcaster
    portal: Origin
    session_cookie: str
    authenticate: Authenticate
    authorize_subscription: Callable[[Actor, str], Subscription]
    get_newest_seq: Callable[[Topic], int]
    storage_dir: Path
    limiter: ConnectionLimiter = field(
        default_factory=lambda: ConnectionLimiter(SOCKETS_PER_USER_MAX)
    )
    recheck_s: float = RECHECK_S
    send_timeout_s: float = SEND_TIMEOUT_S
    rights: RightsChecks = field(init=False)
    folders: FolderWatches = field(init=False)

    def __post_init__(self) -> None:
        """Share the checks of rights and the looks at folders among the sockets."""
        folders = FolderWatches(self.broadcaster, self.storage_dir)
        object.__setattr__(self, "folders", folders)
        object.__setattr__(self, "rights", RightsChecks(self.authenticate, self.recheck_s))


class LiveConsumer(AsyncWebsocketConsumer):
    """One page's socket. It sends what to fetch again; of charts and logs what is new."""

    def __init__(self, *, context: SocketContext) -> None:
        """Keep the context; nothing is held before the handshake."""
        super().__init__()
        self._context = context
        self._held = ExitStack()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._subscriptions: dict[str, Subscription] = {}
        self._bucket = _TokenBucket(MESSAGES_PER_S)
        self._is_open = False
        self._sending_since: float | None = None
        """Since when the page has taken no frame, while one is being sent."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the socket to its end and release what it held; pages of other sites get none."""
        if not self._context.portal.is_origin(get_header(scope, b"origin")):
            await send_problem(scope, send, FOREIGN_PAGE)
            return
        try:
            await self._supervise(super().__call__(scope, receive, send))
        finally:
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)
            self._held.close()

    async def connect(self) -> None:
        """Accept the page, and begin to watch its rights."""
        self._credentials = RequestCredentials.from_scope(self.scope, self._context.session_cookie)
        actor = await run_in_thread(self._context.authenticate, self._credentials)
        await self.accept()
        self._is_open = True
        if actor is None:
            await self._disconnect(PageCloseCode.NOT_SIGNED_IN)
        elif not self._held.enter_context(self._context.limiter.acquire(actor.user_id)):
            await self._disconnect(PageCloseCode.TOO_MANY)
        else:
            self._actor = actor
            self._subscriber = self._held.enter_context(self._context.broadcaster.subscribe())
            self._start("topics", self._forward_topics())
            self._start("rights", self._watch_rights())

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Act on one frame of the page; a bad one ends the socket."""
        if not self._is_open:
            return  # sent before the page saw our close frame
        if not self._bucket.take(asyncio.get_running_loop().time()):
            await self._disconnect(PageCloseCode.TOO_MANY)
        elif bytes_data is not None or text_data is None:
            await self._disconnect(PageCloseCode.BAD_FRAME)
        elif len(text_data) > frames.FRAME_MAX:
            await self._disconnect(PageCloseCode.TOO_LARGE)
        else:
            await self._act_on(text_data)

    async def _act_on(self, text: str) -> None:
        try:
            frame = frames.decode_frame(text)
        except BadPageFrameError:
            await self._disconnect(PageCloseCode.BAD_FRAME)
            return
        match frame:
            case frames.Subscribe():
                for wanted in frame.topics:
                    await self._subscribe(wanted)
            case frames.Unsubscribe():
                for topic in frame.topics:
                    self._unsubscribe(topic)
            case frames.LivePing():
                await self._send(frames.LivePong())

    async def _subscribe(self, wanted: frames.TopicRequest) -> None:
        name = wanted.topic
        self._unsubscribe(name)
        try:
            if len(self._subscriptions) >= TOPICS_MAX:
                raise ExhaustedError("too_many_topics", limit=TOPICS_MAX)
            authorize = self._context.authorize_subscription
            subscription = await run_in_thread(authorize, self._actor, name)
            self._subscriptions[name] = subscription
            await self._begin(subscription.topic, wanted.seq or 0)
        except DomainError as error:
            self._unsubscribe(name)
            await self._send(frames.SubscriptionRefused(topic=name, code=error.code))

    async def _begin(self, topic: Topic, known: int) -> None:
        if topic.kind is TopicKind.LOG:
            self._require_fewer(topic.kind, LOGS_MAX)
            await self._send(frames.Subscribed(topic=topic.name, seq=0, quiet_ms=0))
            self._start(topic.name, self._forward_log(topic, known))
        elif topic.kind is TopicKind.FILES:
            self._require_fewer(topic.kind, FOLDERS_MAX)
            self._subscriber.add(topic.name)
            self._start(topic.name, self._follow_folder(topic))
        else:
            # Before the number is read, so that no change falls in between.
            self._subscriber.add(topic.name)
            seq = await run_in_thread(self._context.get_newest_seq, topic)
            quiet_ms = int(self._context.broadcaster.quiet_s(topic.name) * 1000)
            await self._send(frames.Subscribed(topic=topic.name, seq=seq, quiet_ms=quiet_ms))

    def _require_fewer(self, kind: TopicKind, most: int) -> None:
        if sum(name.startswith(f"{kind}:") for name in self._tasks) >= most:
            raise ExhaustedError("too_many_topics", limit=most)

    async def _follow_folder(self, topic: Topic) -> None:
        """Have the folder looked at until cancelled."""
        with self._context.folders.watched(topic):
            quiet_ms = int(await self._context.folders.quiet_s(topic) * 1000)
            await self._send(frames.Subscribed(topic=topic.name, seq=0, quiet_ms=quiet_ms))
            await asyncio.Event().wait()

    def _unsubscribe(self, name: str) -> None:
        if self._subscriptions.pop(name, None) is None:
            return
        self._subscriber.discard(name)
        if task := self._tasks.pop(name, None):
            task.cancel()

    async def _forward_topics(self) -> None:
        while True:
            for topic, seq in (await self._subscriber.wait_topics()).items():
                waiting = self._subscriber.take_frames(topic)
                for text in waiting or (frames.encode_invalidation(topic, seq),):
                    await self._send_text(text)

    async def _forward_log(self, topic: Topic, offset: int) -> None:
        log = RankLog(self._context.storage_dir, topic.id, topic.rank)
        with self._context.broadcaster.subscribe() as subscriber:
            subscriber.add(log.topic)
            await self._send_pieces(log, offset, subscriber)

    async def _send_pieces(self, log: RankLog, offset: int, subscriber: Subscriber) -> None:
        epoch, decoder = -1, _text_decoder()
        async for piece in tail_log(log, offset, subscriber):
            if piece.epoch != epoch:
                epoch, decoder = piece.epoch, _text_decoder()
            begun = len(decoder.getstate()[0])  # bytes of a character that the last piece cut
            text = decoder.decode(piece.data)
            start = piece.offset - begun
            await self._send(frames.LogText(topic=log.topic, epoch=epoch, offset=start, text=text))

    async def _watch_rights(self) -> None:
        with self._context.broadcaster.subscribe() as changes:
            changes.add(f"{RIGHTS}:{self._actor.user_id}")
            await self._watch_rights_by(changes)

    async def _watch_rights_by(self, changes: Subscriber) -> None:
        while True:
            actor = await self._context.rights.next_check(self._credentials, changes)
            self._check_reader()
            if actor is None:
                await self._disconnect(PageCloseCode.NOT_SIGNED_IN)
                return
            self._actor = actor
            if not all(item.audience.includes(actor) for item in self._subscriptions.values()):
                await self._disconnect(PageCloseCode.NOT_ALLOWED)
                return

    async def _send(self, frame: PageFrame) -> None:
        await self._send_text(frames.encode_frame(frame))

    async def _send_text(self, text: str) -> None:
        if self._is_open:
            # No time-out here: a timer costs as much as a frame. `_check_reader` sees to it.
            if self._sending_since is None:
                self._sending_since = asyncio.get_running_loop().time()
            await self.send(text)
            self._sending_since = None

    def _check_reader(self) -> None:
        """Raise TimeoutError if the page has taken no frame for too long."""
        since = self._sending_since
        if since is None:
            return
        if asyncio.get_running_loop().time() - since > self._context.send_timeout_s:
            raise TimeoutError("the page takes no frames")

    async def _disconnect(self, code: int) -> None:
        if self._is_open:
            self._is_open = False
            await self.close(code)

    def _start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        self._tasks[name] = asyncio.create_task(self._supervise(work))

    async def _supervise(self, work: Coroutine[Any, Any, None]) -> None:
        """Disconnect when the work cannot continue; the page connects again and catches up."""
        try:
            await work
        except (DatabaseError, TimeoutError, OSError) as error:
            logger.warning("live.socket_dropped", error=repr(error))
            with suppress(OSError):
                await self._disconnect(PageCloseCode.UNCHECKED)


class _TokenBucket:
    """A rate limit: `per_s` messages a second, and as many at once after a pause."""

    def __init__(self, per_s: int) -> None:
        self._per_s = per_s
        self._tokens = float(per_s)
        self._at: float | None = None

    def take(self, now: float) -> bool:
        """Take one token; False when there is none."""
        passed = 0.0 if self._at is None else now - self._at
        self._tokens = min(self._per_s, self._tokens + passed * self._per_s) - 1
        self._at = now
        return self._tokens >= 0


def _text_decoder() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-8")("replace")
