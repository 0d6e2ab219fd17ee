"""Ports for servers that are started in a moment by somebody else."""

import os
import secrets
import socket
from collections import deque
from typing import Final

FIRST: Final = 10_000
COUNT: Final = 10_000
"""Below the ports of outgoing connections and of trainings that meet: nobody gets one by chance."""
RESERVED_MAX: Final = 64
"""Picks of one process that no other process gets meanwhile; by then their servers listen."""
_reserved: Final = deque[int]()


def find_free_port(host: str) -> int:
    """Find a port of this address that nobody listens on; raises `OSError` for a foreign address.

    A port that the system picks may be given to any outgoing connection before its server listens.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.bind((host, 0))
    while True:
        port = FIRST + secrets.randbelow(COUNT)
        if _is_free(family, host, port) and reserve_port(port):
            return port


def reserve_port(port: int) -> bool:
    """Keep a port from all others on this machine who pick one, until its server listens.

    The mark is a name among abstract sockets: the kernel takes it away with its process.
    """
    marker = socket.socket(socket.AF_UNIX)
    try:
        marker.bind(f"\0berth-port-{port}")
    except OSError:
        marker.close()
        return False
    _reserved.append(marker.detach())
    if len(_reserved) > RESERVED_MAX:
        os.close(_reserved.popleft())
    return True


def _is_free(family: socket.AddressFamily, host: str, port: int) -> bool:
    with socket.socket(family) as probe:
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
