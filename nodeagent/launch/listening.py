"""Ports for servers that are started in a moment by somebody else."""

import secrets
import socket
from typing import Final

FIRST: Final = 10_000
COUNT: Final = 10_000
"""Below the ports of outgoing connections and of trainings that meet: nobody gets one by chance."""


def free_port(host: str) -> int:
    """Find a port of this address that nobody listens on; raises `OSError` for a foreign address.

    A port that the system picks may be given to any outgoing connection before its server listens.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.bind((host, 0))
    while True:
        port = FIRST + secrets.randbelow(COUNT)
        if _is_free(family, host, port):
            return port


def _is_free(family: socket.AddressFamily, host: str, port: int) -> bool:
    with socket.socket(family) as probe:
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
