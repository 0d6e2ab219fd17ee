"""The WebSocket to the portal; reconnects with jittered pauses."""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from random import SystemRandom
from typing import Final

import aiohttp
import structlog

from nodeagent.link.identity import NodeCredentials
from nodeagent.ports import LinkListener
from wire.codec import FRAME_MAX, BadFrameError, decode_to_agent, encode
from wire.messages import Desired, FromAgent, ToAgent
from wire.opening import OPENING_HEADER, LinkOpening

log = structlog.get_logger()

LINK_PATH: Final = "/node/v1/link"
PAUSE_S_MAX: Final = 5.0
PAUSE_S_FIRST: Final = 0.2
CONNECT_S: Final = 10.0
PING_S: Final = 10.0
"""A peer that answers no ping within half of this is gone, even if its socket looks open."""
OUTBOX_MAX: Final = 256


class WebSocketLink:
    """The `Link` port over aiohttp."""

    def __init__(
        self, portal_url: str, credentials: NodeCredentials, boot_id: str = "", instance: str = ""
    ) -> None:
        """The two ids tell the portal which agent this is, where several have the node's key."""
        self._boot_id = boot_id
        self._instance = instance
        self._was_answered = False
        self._url = portal_url.rstrip("/") + LINK_PATH
        self._credentials = credentials
        self._outbox: asyncio.Queue[FromAgent] | None = None
        self._has_new_key = asyncio.Event()
        credentials.subscribe(self._has_new_key.set)

    async def run(self, listener: LinkListener) -> None:
        """Keep the link open; each reconnect waits a random time of up to five seconds."""
        random = SystemRandom()
        failures = 0
        async with aiohttp.ClientSession() as session:
            while True:
                try:
                    if await self._serve(session, listener):
                        failures = 0
                except aiohttp.WSServerHandshakeError as error:
                    if error.status == HTTPStatus.CONFLICT:
                        log.warning("link.refused", reason="another agent has this node's identity")
                    else:
                        log.info("link.failed", url=self._url, error=str(error))
                except (aiohttp.ClientError, TimeoutError, OSError) as error:
                    log.info("link.failed", url=self._url, error=str(error) or repr(error))
                pause_s = min(PAUSE_S_MAX, PAUSE_S_FIRST * 2**failures)
                failures = min(failures + 1, 10)
                await asyncio.sleep(random.uniform(0, pause_s))

    def send(self, message: FromAgent) -> bool:
        """Queue a message; drop it if the link is closed or its queue full, as the protocol allows."""
        if self._outbox is None or self._outbox.full():
            return False
        self._outbox.put_nowait(message)
        return True

    async def _serve(self, session: aiohttp.ClientSession, listener: LinkListener) -> bool:
        """Use one connection until it ends; returns whether the portal ever sent anything on it."""
        has_heard = False
        self._has_new_key.clear()
        async with asyncio.timeout(CONNECT_S):
            socket = await session.ws_connect(
                self._url,
                headers=self._headers(),
                heartbeat=PING_S,
                max_msg_size=FRAME_MAX,
                autoclose=True,
            )
        async with socket:
            log.info("link.opened", url=self._url)
            self._outbox = asyncio.Queue(OUTBOX_MAX)
            writer = asyncio.create_task(_write(socket, self._outbox))
            renewal = asyncio.create_task(self._close_for_new_key(socket))
            listener.opened()
            try:
                async for frame in socket:
                    message = _deliver(frame, listener)
                    has_heard |= message is not None
                    self._was_answered |= isinstance(message, Desired)
            finally:
                self._outbox = None
                writer.cancel()
                renewal.cancel()
                listener.closed()
                log.info("link.closed", code=socket.close_code)
        return has_heard

    def _headers(self) -> Mapping[str, str]:
        headers = self._credentials.headers()
        if not self._instance:
            return headers
        opening = LinkOpening(self._boot_id, self._instance, self._was_answered)
        return {**headers, OPENING_HEADER: opening.to_header()}

    async def _close_for_new_key(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        """Close the connection when the key changes: the next one authenticates with the new key."""
        await self._has_new_key.wait()
        await socket.close()


async def _write(
    socket: aiohttp.ClientWebSocketResponse, outbox: "asyncio.Queue[FromAgent]"
) -> None:
    """Send what is queued, in order, until the connection ends."""
    while True:
        message = await outbox.get()
        try:
            await socket.send_str(encode(message))
        except (aiohttp.ClientError, OSError):
            return


def _deliver(frame: aiohttp.WSMessage, listener: LinkListener) -> ToAgent | None:
    """Pass one frame on and return it; what cannot be read is logged and changes nothing."""
    if frame.type is not aiohttp.WSMsgType.TEXT:
        return None
    try:
        message = decode_to_agent(frame.data)
    except BadFrameError as error:
        log.warning("link.bad_frame", error=str(error))
        return None
    listener.received(message)
    return message
