"""The page's WebSocket `/ws`: doorbells for topics, and logs as they grow.

Close codes: 1003 not a text frame of ours, 1009 too large, 1013 rights cannot be checked now,
4401 not signed in (any more), 4403 a topic is not allowed any more, 4429 too many.
"""

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
from portal.common.asgi import Receive, Scope, Send, header
from portal.common.errors import DomainError, ExhaustedError
from portal.common.origins import Origin
from portal.common.seats import Seats
from portal.common.threads import in_thread
from portal.live import frames
from portal.live.callers import RECHECK_S, Credentials
from portal.live.follow import Log, follow
from portal.live.hub import Hub, Listener
from portal.live.topics import Admission, Topic, TopicKind

SOCKETS_PER_USER_MAX: Final = 10
"""Pages of one user that get news at a time."""
TOPICS_MAX: Final = 200
"""Topics that one page may listen to."""
LOGS_MAX: Final = 8
"""Logs that one page may follow."""
MESSAGES_PER_S: Final = 20
"""Frames that one page may send."""
SEND_TIMEOUT_S: Final = 20.0
"""A reader slower than this is dropped; it comes back and asks for what it missed."""
IDLE_LOOK_S: Final = 3600.0
"""A page's connection looks for news at least this often."""

BAD_FRAME, TOO_LARGE, UNCHECKED = 1003, 1009, 1013
NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY = 4401, 4403, 4429

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Switchboard:
    """What all sockets of the process share."""

    hub: Hub
    portal: Origin
    session_cookie: str
    authenticate: Callable[[Credentials], Actor | None]
    admit: Callable[[Actor, str], Admission]
    newest_seq: Callable[[Topic], int]
    storage_dir: Path
    seats: Seats = field(default_factory=lambda: Seats(SOCKETS_PER_USER_MAX))


class LiveConsumer(AsyncWebsocketConsumer):
    """One page's socket. Pages are told what to fetch again, never what changed."""

    def __init__(self, *, switchboard: Switchboard) -> None:
        """Remember what is shared; nothing is held before the handshake."""
        super().__init__()
        self._board = switchboard
        self._held = ExitStack()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._admissions: dict[str, Admission] = {}
        self._allowance = _Allowance(MESSAGES_PER_S)
        self._is_open = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the socket to its end and let go of what it held, however it ends."""
        try:
            await self._supervise(super().__call__(scope, receive, send))
        finally:
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)
            self._held.close()

    async def connect(self) -> None:
        """Accept pages of our own origin; refuse strangers before the handshake ends."""
        if not self._board.portal.is_origin(header(self.scope, b"origin")):
            await self.close()
            return
        self._credentials = Credentials.of(self.scope, self._board.session_cookie)
        actor = await in_thread(self._board.authenticate, self._credentials)
        await self.accept()
        self._is_open = True
        if actor is None:
            await self._hang_up(NOT_SIGNED_IN)
        elif not self._held.enter_context(self._board.seats.take(actor.user_id)):
            await self._hang_up(TOO_MANY)
        else:
            self._actor = actor
            self._listener = self._held.enter_context(self._board.hub.listen())
            self._start("rings", self._pass_on_rings())
            self._start("rights", self._watch_rights())

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Act on one frame of the page; a bad one ends the socket."""
        if not self._is_open:
            return  # what was under way when the close was sent
        if not self._allowance.spend(asyncio.get_running_loop().time()):
            await self._hang_up(TOO_MANY)
        elif bytes_data is not None or text_data is None:
            await self._hang_up(BAD_FRAME)
        elif len(text_data) > frames.FRAME_MAX:
            await self._hang_up(TOO_LARGE)
        else:
            await self._act_on(text_data)

    async def _act_on(self, text: str) -> None:
        try:
            frame = frames.decode(text)
        except frames.BadFrameError:
            await self._hang_up(BAD_FRAME)
            return
        match frame:
            case frames.Subscribe():
                for wanted in frame.topics:
                    await self._subscribe(wanted)
            case frames.Unsubscribe():
                for topic in frame.topics:
                    self._unsubscribe(topic)
            case frames.Ping():
                await self._send(frames.Pong())

    async def _subscribe(self, wanted: frames.Wanted) -> None:
        name = wanted.topic
        self._unsubscribe(name)
        try:
            if len(self._admissions) >= TOPICS_MAX:
                raise ExhaustedError("too_many_topics", limit=TOPICS_MAX)
            admission = await in_thread(self._board.admit, self._actor, name)
            self._admissions[name] = admission
            await self._begin(admission.topic, wanted.seq or 0)
        except DomainError as error:
            self._unsubscribe(name)
            await self._send(frames.Refused(topic=name, code=error.code))

    async def _begin(self, topic: Topic, known: int) -> None:
        if topic.kind is TopicKind.LOG:
            if sum(name.startswith(TopicKind.LOG) for name in self._tasks) >= LOGS_MAX:
                raise ExhaustedError("too_many_topics", limit=LOGS_MAX)
            await self._send(frames.Subscribed(topic=topic.name, seq=0))
            self._start(topic.name, self._pass_on_log(topic, known))
        else:
            # Listened to before the number is read, so that nothing falls in between.
            self._listener.add(topic.name)
            seq = await in_thread(self._board.newest_seq, topic)
            await self._send(frames.Subscribed(topic=topic.name, seq=seq))

    def _unsubscribe(self, name: str) -> None:
        if self._admissions.pop(name, None) is None:
            return
        self._listener.discard(name)
        if task := self._tasks.pop(name, None):
            task.cancel()

    async def _pass_on_rings(self) -> None:
        while True:
            for topic, seq in (await self._listener.rings(within_s=IDLE_LOOK_S)).items():
                await self._send(frames.Ring(topic=topic, seq=seq))

    async def _pass_on_log(self, topic: Topic, offset: int) -> None:
        log = Log(self._board.storage_dir, topic.id, topic.rank)
        with self._board.hub.listen() as listener:
            listener.add(log.topic)
            await self._send_pieces(log, offset, listener)

    async def _send_pieces(self, log: Log, offset: int, listener: Listener) -> None:
        epoch, decoder = -1, _text_decoder()
        async for piece in follow(log, offset, listener):
            if piece.epoch != epoch:
                epoch, decoder = piece.epoch, _text_decoder()
            begun = len(decoder.getstate()[0])  # bytes of a character that the last piece cut
            text = decoder.decode(piece.data)
            start = piece.offset - begun
            await self._send(frames.Log(topic=log.topic, epoch=epoch, offset=start, text=text))

    async def _watch_rights(self) -> None:
        while True:
            await asyncio.sleep(RECHECK_S)
            actor = await in_thread(self._board.authenticate, self._credentials)
            if actor is None:
                await self._hang_up(NOT_SIGNED_IN)
                return
            self._actor = actor
            if not all(item.audience.includes(actor) for item in self._admissions.values()):
                await self._hang_up(NOT_ALLOWED)
                return

    async def _send(self, frame: frames.Frame) -> None:
        if self._is_open:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await self.send(frames.encode(frame))

    async def _hang_up(self, code: int) -> None:
        if self._is_open:
            self._is_open = False
            await self.close(code)

    def _start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        self._tasks[name] = asyncio.create_task(self._supervise(work))

    async def _supervise(self, work: Coroutine[Any, Any, None]) -> None:
        """Hang up when the work cannot go on: the page comes back and asks for what it missed."""
        try:
            await work
        except (DatabaseError, TimeoutError, OSError) as error:
            logger.warning("live.socket_dropped", error=repr(error))
            with suppress(OSError):
                await self._hang_up(UNCHECKED)


class _Allowance:
    """A token bucket: `per_s` messages a second, and as many at once after a pause."""

    def __init__(self, per_s: int) -> None:
        self._per_s = per_s
        self._left = float(per_s)
        self._at: float | None = None

    def spend(self, now: float) -> bool:
        """Take one message out of the allowance; False when it is used up."""
        passed = 0.0 if self._at is None else now - self._at
        self._left = min(self._per_s, self._left + passed * self._per_s) - 1
        self._at = now
        return self._left >= 0


def _text_decoder() -> codecs.IncrementalDecoder:
    return codecs.getincrementaldecoder("utf-8")("replace")
