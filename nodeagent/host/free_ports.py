"""Finds free ports for servers that other programs are about to start."""

import os
import secrets
import socket
from collections import deque
from time import monotonic
from typing import Final

FIRST: Final = 10_000
COUNT: Final = 10_000
"""The range lies below the ports of outgoing connections and of rendezvous, which could collide."""
RESERVED_S: Final = 60.0
"""For how long a process keeps a pick reserved against others; its server listens by then."""
_reserved: Final = deque[tuple[float, int]]()
"""When each was reserved, and the descriptor that reserves it; the oldest first."""


def find_free_port(host: str) -> int:
    """Return a port of this address that is free; raises `OSError` for a foreign address.

    A port picked by the kernel may be given to an outgoing connection before its server listens.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.bind((host, 0))
    while True:
        port = FIRST + secrets.randbelow(COUNT)
        if _is_free(family, host, port) and reserve_port(port):
            return port


def reserve_port(port: int) -> bool:
    """Reserve a port against other processes that pick one, until its server listens.

    The reservation is an abstract socket name, which the kernel removes with the process.
    """
    while _reserved and monotonic() - _reserved[0][0] > RESERVED_S:
        os.close(_reserved.popleft()[1])
    marker = socket.socket(socket.AF_UNIX)
    try:
        marker.bind(f"\0berth-port-{port}")
    except OSError:
        marker.close()
        return False
    _reserved.append((monotonic(), marker.detach()))
    return True


def _is_free(family: socket.AddressFamily, host: str, port: int) -> bool:
    with socket.socket(family) as probe:
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
