"""A receiver of webhooks: keeps what it is sent, and answers as it is told."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from typing_extensions import override


@dataclass
class Receiver:
    """Where the server is, what has arrived, and the statuses of the next answers; then 204."""

    port: int
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address of the hook."""
        return f"http://127.0.0.1:{self.port}/hook?token=top-secret"


class _Request(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        receiver: Receiver = self.server.receiver  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        receiver.received.append(({k.lower(): v for k, v in self.headers.items()}, body))
        status = receiver.statuses.pop(0) if receiver.statuses else 204
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("Location", receiver.url)
        self.send_header("Content-Length", "0")
        self.end_headers()

    @override
    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Run a receiver for the length of a block."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Request) as server:
        receiver = Receiver(server.server_address[1])
        server.receiver = receiver  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()
