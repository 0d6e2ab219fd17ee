"""Which network interface of this host leads to the other nodes, where its operator has not said."""

import socket
import struct
from collections.abc import Mapping
from contextlib import suppress
from fcntl import ioctl
from ipaddress import ip_address
from typing import Final

_SIOCGIFADDR: Final = 0x8915
_REQUEST: Final = struct.Struct("16s24x")
"""`struct ifreq` of 64-bit Linux; the answer has the four bytes of the address at 20."""
_ADDRESS: Final = slice(20, 24)


def find_interface(address: str, carried: Mapping[str, str]) -> str:
    """Return the interface that carries the address under which others reach this node; pure.

    Empty where none does (a name, an address of a router), and for loopback, which leads nowhere.
    """
    try:
        known = ip_address(address)
    except ValueError:
        return ""
    return "" if known.is_loopback else carried.get(str(known), "")


def list_interface_addresses() -> Mapping[str, str]:
    """Return the first IPv4 address of each interface of this host, and whose it is."""
    found: dict[str, str] = {}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _, name in socket.if_nameindex():
            with suppress(OSError):  # it has none, or is gone
                answer = ioctl(asked, _SIOCGIFADDR, _REQUEST.pack(name.encode()))
                found.setdefault(socket.inet_ntoa(answer[_ADDRESS]), name)
    return found
