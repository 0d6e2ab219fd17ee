"""The world around a node: a network namespace behind a cable, with everything in it to reach."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final
from uuid import uuid1

NEAR: Final = "10.213.0.1"
"""The host's own end of the cable."""
OTHER_NODE: Final = "10.213.0.2"
LISTED: Final = "10.213.7.7"
"""In a private range that the operator listed."""
RESOLVER: Final = "10.213.0.53"
METADATA: Final = "169.254.169.254"
LINK_LOCAL: Final = "169.254.7.7"
INTERNET: Final = "203.0.113.10"
PORTAL: Final = "203.0.113.20"
FAR: Final = (OTHER_NODE, LISTED, RESOLVER, METADATA, LINK_LOCAL, INTERNET, PORTAL)
WEB: Final = 443
TCP_PORTS: Final = (80, 443, 2375, 5432, 6379)
SERVER: Final = """
import select, socket, sys
kind, backlog = socket.SOCK_STREAM, 16
servers = []
for port in map(int, sys.argv[3:]):
    server = socket.socket(socket.AF_INET, kind)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((sys.argv[1], port))
    server.listen(backlog)
    servers.append(server)
names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
names.bind((sys.argv[2], 53))
print("ready", flush=True)
while True:
    for ready in select.select([*servers, names], [], [])[0]:
        if ready is names:
            question, asker = names.recvfrom(512)
            head = question[:2] + b"\\x81\\x80" + question[4:6] + b"\\0\\1\\0\\0\\0\\0"
            body = question[12:question.index(b"\\0", 12) + 5]
            answer = b"\\xc0\\x0c\\0\\1\\0\\1\\0\\0\\0\\x3c\\0\\4\\xcb\\0\\x71\\x0a"
            names.sendto(head + body + answer, asker)
        else:
            ready.accept()[0].close()
"""
"""Accepts on some ports, and names everything 203.0.113.10 on port 53."""


@contextmanager
def world() -> Iterator[None]:
    """Have the outside there, and servers on this host; nothing of it is left."""
    mark = uuid1().hex[:6]
    space, near, far = f"berth-far-{mark}", f"bn{mark}", f"bf{mark}"
    with ExitStack() as stack:
        _ip("netns", "add", space)
        stack.callback(_ip, "netns", "del", space)
        _ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", space)
        stack.callback(_ip, "link", "del", near, check=False)
        _ip("addr", "add", f"{NEAR}/24", "dev", near)
        _ip("link", "set", near, "up")
        inside = ("-n", space)
        _ip(*inside, "link", "set", "lo", "up")
        for address in FAR:
            prefix = "24" if address == OTHER_NODE else "32"
            _ip(*inside, "addr", "add", f"{address}/{prefix}", "dev", far)
        _ip(*inside, "link", "set", far, "up")
        _ip(*inside, "route", "add", "default", "via", NEAR)
        for address in (LISTED, METADATA, LINK_LOCAL, INTERNET, PORTAL):
            _ip("route", "add", f"{address}/32", "via", OTHER_NODE)
        stack.enter_context(serving("0.0.0.0", RESOLVER, ("ip", "netns", "exec", space)))
        stack.enter_context(serving(NEAR, NEAR))
        yield


@contextmanager
def serving(address: str, names: str, prefix: Sequence[str] = ()) -> Iterator[None]:
    """Accept connections on an address and answer names on another, here or where `prefix` leads."""
    command = [*prefix, sys.executable, "-c", SERVER, address, names, *map(str, TCP_PORTS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            yield
        finally:
            server.kill()


def _ip(*arguments: str, check: bool = True) -> None:
    subprocess.run(["ip", *arguments], check=check, capture_output=True)
