"""`python -m bench.serve.backend PORT DELAY_MS`: a server that costs next to nothing.

It answers every request with 100 bytes after a delay, on OpenAI's path with tokens, as a stream if asked.
"""

import asyncio
import json
import re
import sys
from typing import Final, cast

import uvloop
from typing_extensions import override

_TOKENS: Final = {"usage": {"prompt_tokens": 7, "completion_tokens": 5}}
_PIECE: Final = {"choices": [{"delta": {"content": "word "}}]}
_LENGTH: Final = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
STREAMED: Final = 8
"""Pieces of a stream; the delay is before each."""


def _whole(kind: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


_PLAIN: Final = _whole("text/plain", b"x" * 100)
_CHAT: Final = _whole("application/json", json.dumps({"choices": [], **_TOKENS}).encode())
_STREAM: Final = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
)


def _event(data: object) -> bytes:
    text = data if isinstance(data, str) else json.dumps(data)
    body = f"data: {text}\n\n".encode()
    return f"{len(body):x}\r\n".encode() + body + b"\r\n"


class _Server(asyncio.Protocol):
    """Knows requests by the end of their head, and bodies by their length."""

    def __init__(self, delay_s: float) -> None:
        self._delay_s = delay_s
        self._received = b""
        self._transport: asyncio.WriteTransport | None = None

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)  # uvloop's has another base

    @override
    def data_received(self, data: bytes) -> None:
        data = self._received = self._received + data
        head, end, body = data.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if not end or (length and len(body) < int(length[1])):
            return
        self._received = b""
        if b'"stream": true' in data or b'"stream":true' in data:
            events = [*[_event(_PIECE)] * STREAMED, _event(_TOKENS), _event("[DONE]")]
            self._later(_STREAM + events[0], [*events[1:-1], events[-1] + b"0\r\n\r\n"])
        else:
            self._later(_CHAT if b"/v1/" in data else _PLAIN, [])

    def _later(self, now: bytes, rest: list[bytes]) -> None:
        if self._delay_s:
            asyncio.get_running_loop().call_later(self._delay_s, self._write, now, rest)
        else:
            self._write(now, rest)

    def _write(self, now: bytes, rest: list[bytes]) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(now)
            if rest:
                self._later(rest[0], rest[1:])


async def main() -> None:
    """Serve until killed."""
    port, delay_s = int(sys.argv[1]), float(sys.argv[2]) / 1000
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Server(delay_s), "127.0.0.1", port, backlog=2048)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main())
