#!/usr/bin/env python3
"""Starts the browser named by `BROWSER` so that it does not hear of changes of the network.

Chromium fails what it is loading (ERR_NETWORK_CHANGED) whenever an interface comes or goes, and
other tests make containers and network namespaces meanwhile. It learns of them by netlink; when
the kernel refuses such sockets, it takes the network as it is. See seccomp(2).
"""

import ctypes
import os
import platform
import struct
import sys
from errno import EAFNOSUPPORT
from socket import AF_NETLINK
from typing import Final

SOCKET_CALL: Final = {"x86_64": 41, "aarch64": 198}
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_NUMBER_AT, _FAMILY_AT = 0, 16  # in `struct seccomp_data`
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | EAFNOSUPPORT
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def refuse_netlink() -> None:
    """Let this process and its children open no netlink socket from now on."""
    steps = (
        (_LOAD, 0, 0, _NUMBER_AT),
        (_JUMP_IF_EQUAL, 0, 3, SOCKET_CALL[platform.machine()]),
        (_LOAD, 0, 0, _FAMILY_AT),
        (_JUMP_IF_EQUAL, 0, 1, AF_NETLINK),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    )
    program = _Program(len(steps), b"".join(struct.pack("HBBI", *step) for step in steps))
    libc = ctypes.CDLL(None, use_errno=True)
    for call in ((_NO_NEW_PRIVILEGES, 1, 0, 0, 0), (_SECCOMP, _FILTER, ctypes.byref(program))):
        if libc.prctl(*call) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    refuse_netlink()
    browser = os.environ["BROWSER"]
    os.execv(browser, [browser, *sys.argv[1:]])
