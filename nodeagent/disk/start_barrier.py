"""The start barrier between a container's processes and its work; the agent opens it once.

A FIFO beside the container's files. The first process reads one byte from it and continues. When
the agent has ended, it reads the end of the file and ends as well: an agent that crashes while it
sets limits leaves nothing that runs without them. Standard library only: the shim imports this.
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
    """The agent's side of one start barrier."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        path.chmod(READ_MODE)
        self._path = path
        # Opened for both, so that open() does not wait for a reader, and the FIFO always has a
        # writer.
        self._descriptor: int | None = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def open(self) -> None:
        """Let the work start. The name is removed first: a barrier with a name was never opened."""
        if self._descriptor is not None:
            self._path.unlink()
            os.write(self._descriptor, OPEN_BYTE)

    @property
    def is_passed(self) -> bool:
        """Whether a process has passed: an unread byte is lost when the last holder closes."""
        if self._descriptor is None:
            return True
        answer = ioctl(self._descriptor, FIONREAD, bytes(_LENGTH))
        return not any(answer)

    def close(self) -> None:
        """Close it: a process that still waits at it ends."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


@contextmanager
def hold_barrier(path: Path) -> Iterator[StartBarrier]:
    """Hold a barrier for the length of a block; when it was not opened, what waits at it ends."""
    barrier = StartBarrier(path)
    try:
        yield barrier
    finally:
        barrier.close()


def wait_at_barrier(descriptor: int, seconds: float) -> bool | None:
    """Wait a moment at a barrier: True once it is open, False when it never will be."""
    try:
        return os.read(descriptor, 1) == OPEN_BYTE
    except BlockingIOError:  # a writer exists and has written nothing yet
        select.select([descriptor], [], [], seconds)
        return None
