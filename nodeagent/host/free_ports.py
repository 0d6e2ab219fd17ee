"""Finds free ports for servers that other programs are about to start."""

import os
import secrets
import socket
from collections import deque
from typing import Final

FIRST: Final = 10_000
COUNT: Final = 10_000
"""The range lies below the ports of outgoing connections and of rendezvous, which could collide."""
RESERVED_MAX: Final = 64
"""Number of picks that a process keeps reserved against others; older ones are in use by then."""
_reserved: Final = deque[int]()


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
