"""A mail server that keeps what it is given: enough of SMTP for one client at a time."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

from typing_extensions import override


@dataclass
class SmtpSink:
    """What has arrived, and where the server is."""

    port: int
    mails: list[EmailMessage] = field(default_factory=list)


class _Session(socketserver.StreamRequestHandler):
    """One connection: greets, agrees to everything, and keeps the mail."""

    @override
    def handle(self) -> None:
        self._say("220 sink")
        for raw in self.rfile:
            command = raw.decode().strip().upper()
            if command == "DATA":
                self._say("354 go on")
                self._take()
                self._say("250 kept")
            elif command == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 ok")

    def _take(self) -> None:
        lines = iter(self.rfile.readline, b".\r\n")
        text = b"".join(line.removeprefix(b".") for line in lines)
        self.server.sink.mails.append(  # type: ignore[attr-defined]
            message_from_bytes(text, policy=policy.default)
        )

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def smtp_sink() -> Iterator[SmtpSink]:
    """Run a mail server for the length of a block."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Session) as server:
        server.daemon_threads = True
        sink = SmtpSink(server.server_address[1])
        server.sink = sink  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield sink
        finally:
            server.shutdown()
            thread.join()
