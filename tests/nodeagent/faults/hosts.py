"""Two hosts on one machine: network namespaces, each with a cable of its own to the portal's side.

The engine is shared (its socket is a file); whose a container is, its label says. What happens to a
cable happens to packets, so neither side is told anything that a real fault would not tell.
"""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import Final

NETWORK: Final = IPv4Network("198.18.0.0/15")
"""Kept for tests of networks (RFC 2544): nothing else uses it."""
CABLE: Final = "gang0"
ADDRESSES: Final = ("198.51.100.1", "198.51.100.2")
"""Kept for documentation (RFC 5737), and on the one cable between the hosts only."""


@dataclass(frozen=True, slots=True)
class Host:
    """One network namespace and the cable that leads into it."""

    name: str
    outer: str
    """The portal's end of the cable."""
    portal: IPv4Address
    """The portal's address on this cable."""
    address: IPv4Address

    def command(self, *command: str, boot_id: str = "") -> list[str]:
        """Return the command as it runs on this host, with another boot id than the machine's."""
        inside = ["ip", "netns", "exec", self.name]
        if not boot_id:
            return [*inside, *command]
        bind = 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"'
        return [*inside, "sh", "-c", bind, boot_id, *command]

    def cut(self) -> None:
        """Pull the cable: nothing passes in either direction, and nobody is told."""
        _run("ip", "link", "set", self.outer, "down")

    def mute(self) -> None:
        """Drop what the host sends; what is sent to it arrives."""
        self._drop("output", "daddr")

    def deafen(self) -> None:
        """Drop what is sent to the host; what it sends arrives."""
        self._drop("input", "saddr")

    def heal(self) -> None:
        """Let everything pass again."""
        _run("ip", "link", "set", self.outer, "up")
        _run("ip", "netns", "exec", self.name, "nft", "flush", "ruleset")

    def _drop(self, hook: str, side: str) -> None:
        chain = f"type filter hook {hook} priority 0\n ip {side} {self.portal} drop"
        table = f"table inet fault {{\n chain {hook} {{\n {chain}\n }}\n }}"
        _run("ip", "netns", "exec", self.name, "nft", table)


@contextmanager
def a_host(number: int) -> Iterator[Host]:
    """Make a host with its cable; nothing of it is left afterwards."""
    # Two addresses of its own for each host of each process that tests.
    places = list(NETWORK.subnets(new_prefix=30))
    place = places[(os.getpid() * 8 + number) % len(places)]
    portal, address = list(place.hosts())
    name, outer = f"berth-{os.getpid()}-{number}", f"bn{os.getpid() % 10**7}-{number}"
    inner = "eth0"
    _run("ip", "netns", "add", name)
    try:
        _run("ip", "link", "add", outer, "type", "veth", "peer", "name", inner, "netns", name)
        _run("ip", "address", "add", f"{portal}/30", "dev", outer)
        _run("ip", "link", "set", outer, "up")
        _run("ip", "-n", name, "address", "add", f"{address}/30", "dev", inner)
        for device in (inner, "lo"):
            _run("ip", "-n", name, "link", "set", device, "up")
        yield Host(name, outer, portal, address)
    finally:
        _run("ip", "netns", "delete", name)
        subprocess.run(["ip", "link", "delete", outer], capture_output=True, check=False)


@contextmanager
def a_cable(hosts: Sequence[Host]) -> Iterator[None]:
    """Lay a cable between two hosts; each calls its end `CABLE`."""
    near, far = [["name", CABLE, "netns", host.name] for host in hosts]
    _run("ip", "link", "add", *near, "type", "veth", "peer", *far)
    try:
        for host, address in zip(hosts, ADDRESSES, strict=True):
            _run("ip", "-n", host.name, "address", "add", f"{address}/30", "dev", CABLE)
            _run("ip", "-n", host.name, "link", "set", CABLE, "up")
        yield
    finally:
        _run("ip", "-n", hosts[0].name, "link", "delete", CABLE)


@contextmanager
def a_bridge(host: Host) -> Iterator[None]:
    """Give a host the bridge that Docker makes: of the same name and address on every host."""
    _run("ip", "-n", host.name, "link", "add", "docker0", "type", "bridge")
    try:
        _run("ip", "-n", host.name, "address", "add", "172.17.0.1/16", "dev", "docker0")
        _run("ip", "-n", host.name, "link", "set", "docker0", "up")
        yield
    finally:
        _run("ip", "-n", host.name, "link", "delete", "docker0")


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"
