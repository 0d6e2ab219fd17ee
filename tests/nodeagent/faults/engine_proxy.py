"""Between an agent and its engine: a call can be held before it is made, or its answer after."""

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_CHUNK: Final = 65_536
_START: Final = b"/start HTTP/1."


class EngineProxy:
    """Forwards a Unix socket to the engine's; holds the start of a container on one side of it.

    What is held never goes on: whoever waits for it dies in the middle of the call.
    """

    def __init__(self, path: Path, engine: str) -> None:
        self.url = f"unix://{path}"
        self.has_held = threading.Event()
        self.holds_calls = False
        """Whether a start does not reach the engine."""
        self.holds_answers = False
        """Whether the answer to a start does not reach the agent."""
        self._engine = engine.removeprefix("unix://")
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen()
        self._threads = [threading.Thread(target=self._accept)]
        self._is_closed = threading.Event()
        self._threads[0].start()

    def open(self) -> None:
        """Hold nothing from now on."""
        self.holds_calls = self.holds_answers = False

    def close(self) -> None:
        """End for good."""
        self._is_closed.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def _accept(self) -> None:
        while not self._is_closed.is_set():
            with suppress(OSError):
                near, _ = self._listener.accept()
                thread = threading.Thread(target=self._pump, args=[near])
                self._threads.append(thread)
                thread.start()

    def _pump(self, near: socket.socket) -> None:
        far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        is_held = False
        with near, far, suppress(OSError):
            far.connect(self._engine)
            while not self._is_closed.is_set():
                for source in select.select([near, far], [], [], 0.2)[0]:
                    data = source.recv(_CHUNK)
                    if not data:
                        return
                    if source is near and _START in data.partition(b"\r\n")[0]:
                        is_held = self.holds_calls or self.holds_answers
                        if self.holds_calls:
                            self.has_held.set()
                            continue
                    elif source is far and is_held:
                        self.has_held.set()
                        continue
                    (far if source is near else near).sendall(data)


@contextmanager
def an_engine_proxy(path: Path, engine: str) -> Iterator[EngineProxy]:
    """Open a gate; nothing of it is left afterwards."""
    proxy = EngineProxy(path, engine)
    try:
        yield proxy
    finally:
        proxy.close()
