"""A Jupyter kernel's WebSocket, spoken as JupyterLab speaks it: `v1.kernel.websocket.jupyter.org`.

A message is a table of 8-byte little-endian offsets, then the channel's name and the parts header,
parent header, metadata, content and buffers.
"""

import json
import os
from itertools import accumulate, pairwise
from typing import Any

from aiohttp import ClientWebSocketResponse

from tests.waiting import PATIENCE_S

PROTOCOL = "v1.kernel.websocket.jupyter.org"


async def execute(socket: ClientWebSocketResponse, code: str) -> str:
    """Run a cell and return what it printed."""
    message_id = os.urandom(8).hex()
    await socket.send_bytes(_request(message_id, code))
    printed, is_idle, has_reply = "", False, False
    while not (is_idle and has_reply):
        channel, header, parent, _, content = unpacked(
            await socket.receive_bytes(timeout=PATIENCE_S)
        )
        if parent.get("msg_id") != message_id:
            continue
        has_reply = has_reply or channel == "shell"
        is_idle = is_idle or content.get("execution_state") == "idle"
        if header["msg_type"] == "stream":
            printed += content["text"]
    return printed


def packed(channel: str, *parts: Any) -> bytes:
    """Return a message in its binary form."""
    body = [channel.encode(), *(json.dumps(part).encode() for part in parts)]
    table = 8 * (len(body) + 2)
    offsets = list(accumulate((len(piece) for piece in body), initial=table))
    numbers = [len(offsets), *offsets]
    return b"".join([*(number.to_bytes(8, "little") for number in numbers), *body])


def unpacked(message: bytes) -> tuple[Any, ...]:
    """Return channel, header, parent header, metadata and content of a message."""
    count = int.from_bytes(message[:8], "little")
    table = [int.from_bytes(message[8 * i : 8 * i + 8], "little") for i in range(1, count + 1)]
    channel, *parts = (message[a:b] for a, b in pairwise(table[:6]))
    return channel.decode(), *(json.loads(part) for part in parts)


def _request(message_id: str, code: str) -> bytes:
    header = {
        "msg_id": message_id,
        "msg_type": "execute_request",
        "username": "test",
        "session": "test",
        "date": "",
        "version": "5.3",
    }
    content = {
        "code": code,
        "silent": False,
        "store_history": False,
        "user_expressions": {},
        "allow_stdin": False,
        "stop_on_error": True,
    }
    return packed("shell", header, {}, {}, content)
