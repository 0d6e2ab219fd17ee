"""A TCP proxy between an agent and the portal that can be cut like a cable."""

import select
import socket
import threading
from contextlib import suppress
from typing import Final

_CHUNK: Final = 65_536


class WireCutter:
    """Forwards every connection to one port until it is cut; while cut it refuses all."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._is_cut = threading.Event()
        self._is_closed = threading.Event()
        self._pipes: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break every connection and let no new one through."""
        self._is_cut.set()
        self._drop_all()

    def heal(self) -> None:
        """Let connections through again."""
        self._is_cut.clear()

    def close(self) -> None:
        """End for good."""
        self._is_closed.set()
        self._listener.close()
        self._drop_all()

    def _accept(self) -> None:
        while not self._is_closed.is_set():
            with suppress(OSError):
                near, _ = self._listener.accept()
                if self._is_cut.is_set():
                    near.close()
                else:
                    self._connect(near)

    def _connect(self, near: socket.socket) -> None:
        try:
            far = socket.create_connection(("127.0.0.1", self._target_port), timeout=5)
        except OSError:
            near.close()
            return
        self._pipes |= {near, far}
        threading.Thread(target=self._pump, args=(near, far), daemon=True).start()

    def _pump(self, near: socket.socket, far: socket.socket) -> None:
        with near, far, suppress(OSError, ValueError):
            while not self._is_cut.is_set():
                for source in select.select([near, far], [], [], 1)[0]:
                    data = source.recv(_CHUNK)
                    if not data:
                        return
                    if source is near:
                        far.sendall(self._addressed(data))
                    else:
                        near.sendall(data)
        self._pipes -= {near, far}

    def _addressed(self, data: bytes) -> bytes:
        """Put the portal's own address into a request: it refuses any other."""
        if not data.startswith((b"GET ", b"POST ")):
            return data
        mine, portal = f"127.0.0.1:{self.port}", f"127.0.0.1:{self._target_port}"
        return data.replace(mine.encode(), portal.encode())

    def _drop_all(self) -> None:
        for pipe in list(self._pipes):
            with suppress(OSError):
                pipe.shutdown(socket.SHUT_RDWR)
