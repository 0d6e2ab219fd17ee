"""A lock of this host by a node's identity: one agent, wherever its folder is.

A state directory may have been copied with the node's key in it, and two agents with one identity would
run all work twice. The lock is a name of the kernel's for sockets: it needs no folder that both must
know, ends with the process that holds it, and is seen by all processes in the host's network namespace,
as agents in containers are (`network_mode: host`). One in another namespace is found by the portal.
"""

import errno
import socket
from typing import Final

_NAME: Final = "\0berth-agent/{node_id}"


class HostLock:
    """A lock that is held until the process that took it ends, however it ends."""

    def __init__(self, node_id: str) -> None:
        self._name = _NAME.format(node_id=node_id)
        self._held: socket.socket | None = None

    def try_acquire(self) -> bool:
        """Take the lock; False when another process holds it."""
        held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            held.bind(self._name)
        except OSError as error:
            held.close()
            if error.errno != errno.EADDRINUSE:
                raise
            return False
        self._held = held
        return True

    def is_held(self) -> bool:
        """Return whether some process holds the lock."""
        if not self.try_acquire():
            return True
        self.release()
        return False

    def release(self) -> None:
        """Release the lock."""
        if self._held is not None:
            self._held.close()
            self._held = None
