"""The gate between a container's processes and its work: it opens once, by the agent's hand.

A FIFO beside the container's files. Whoever stands before it reads one byte and goes on; when the
agent is gone, the end of the file comes instead, and they end. So an agent that dies while it sets
limits leaves nothing that runs without them. Standard library only: the shim imports this.
"""

import os
import select
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path
from termios import FIONREAD
from typing import Final

READ_MODE: Final = 0o644
"""The work's user may read; only the agent may write."""
OPEN_BYTE: Final = b"\n"
_LENGTH: Final = struct.calcsize("i")


class StartBarrier:
    """The agent's side of one gate."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        path.chmod(READ_MODE)
        self._path = path
        # Open for both, so that it does not wait for the other side and always has a writer.
        self._descriptor: int | None = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def open(self) -> None:
        """Let the work begin. The name goes first: a gate that has one was never opened."""
        if self._descriptor is not None:
            self._path.unlink()
            os.write(self._descriptor, OPEN_BYTE)

    @property
    def is_passed(self) -> bool:
        """Whether somebody has gone through: a byte that nobody has read goes with its last holder."""
        if self._descriptor is None:
            return True
        answer = ioctl(self._descriptor, FIONREAD, bytes(_LENGTH))
        return not any(answer)

    def close(self) -> None:
        """Let go: whoever still stands before it ends."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


@contextmanager
def hold_barrier(path: Path) -> Iterator[StartBarrier]:
    """Hold a gate; when it is left unopened, what waits before it ends."""
    barrier = StartBarrier(path)
    try:
        yield barrier
    finally:
        barrier.close()


def wait_at_barrier(descriptor: int, seconds: float) -> bool | None:
    """Wait a moment before a gate: True once it is open, False when it never will be."""
    try:
        return os.read(descriptor, 1) == OPEN_BYTE
    except BlockingIOError:  # a writer lives and has said nothing yet
        select.select([descriptor], [], [], seconds)
        return None
