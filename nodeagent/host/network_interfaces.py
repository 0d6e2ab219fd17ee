"""Finds the network interface that leads to the other nodes, unless it is configured."""

import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from fcntl import ioctl
from ipaddress import ip_address
from typing import Final

_SIOCGIFADDR: Final = 0x8915
_REQUEST: Final = struct.Struct("16s24x")
"""`struct ifreq` of 64-bit Linux; in the answer, bytes 20 to 23 are the address."""
_ADDRESS: Final = slice(20, 24)


def find_interface(address: str, interfaces: Mapping[str, str]) -> str:
    """Return the interface that has the address by which others reach this node; pure.

    Empty if none has it (a host name, the address of a router), and for loopback.
    """
    try:
        known = ip_address(address)
    except ValueError:
        return ""
    return "" if known.is_loopback else interfaces.get(str(known), "")


def list_interface_addresses() -> Mapping[str, str]:
    """Return the first IPv4 address of each interface of this host."""
    found: dict[str, str] = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            with suppress(OSError):  # it has no address, or has disappeared
                answer = ioctl(probe, _SIOCGIFADDR, _REQUEST.pack(name.encode()))
                found.setdefault(socket.inet_ntoa(answer[_ADDRESS]), name)
    return found
