"""Servers that do what a good one does not: connections cut in the middle, one answer to everything."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from typing_extensions import override


@contextmanager
def answering(status: int, body: bytes, *, location: str = "") -> Iterator[tuple[str, list[str]]]:
    """Answer every GET and HEAD in the same way; return the address, and the paths that were asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        """Has one answer."""

        def do_GET(self) -> None:
            """Note the path and answer."""
            asked.append(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            if location:
                self.send_header("Location", location)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815 — the name of the base class

        @override
        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()


@contextmanager
def breaking(endpoint: str, *, after: int) -> Iterator[tuple[str, list[int]]]:
    """Pass connections on to a server, and cut each after so many bytes of answers."""
    behind = urlsplit(endpoint)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        cut = _Cutter(listener, (behind.hostname or "", behind.port or 0), after)
        threading.Thread(target=cut.serve, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", cut.breaks


@dataclass
class _Cutter:
    listener: socket.socket
    behind: tuple[str, int]
    after: int
    breaks: list[int] = field(default_factory=list)

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._pass_on, args=(client,), daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        with client, socket.create_connection(self.behind) as server:
            threading.Thread(target=_pump, args=(client, server, None), daemon=True).start()
            if (sent := _pump(server, client, self.after)) >= self.after:
                self.breaks.append(sent)


def _pump(source: socket.socket, target: socket.socket, most: int | None) -> int:
    """Pass bytes on until the end, or until that many were; return how many."""
    sent = 0
    with suppress(OSError):
        while (most is None or sent < most) and (data := source.recv(65536)):
            target.sendall(data)
            sent += len(data)
    for each in (source, target):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
    return sent
