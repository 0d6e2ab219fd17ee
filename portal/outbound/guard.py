"""Requests to addresses that people have entered: none reaches the networks of the installation itself.

A name is resolved once, every address that it has is checked, and the connection goes to just these
(no DNS rebinding). Redirects are not followed, proxies of the environment are not used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from socket import AddressFamily
from typing import Final
from urllib.parse import urlsplit

from aiohttp import ClientSession, ClientTimeout, TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver
from typing_extensions import override

TIMEOUT_S: Final = 10
"""How long a request may take in all."""
_NAT64: Final = ip_network("64:ff9b::/96")
Networks = Sequence[IPv4Network | IPv6Network]


class ForbiddenAddressError(Exception):
    """The address is, or resolves to, one that must not be reached from the portal."""


@dataclass(frozen=True, slots=True)
class OutboundGuard:
    """Which addresses may be reached: public ones by TLS, and those of allowed networks."""

    networks: Networks
    """Private networks that the installation allows."""
    is_encrypted: bool
    """Whether the request goes by TLS; without it only allowed networks are reached."""

    def allows(self, address: str) -> bool:
        """Return whether an address may be reached."""
        found = _plain(ip_address(address.partition("%")[0]))
        if any(found in network for network in self.networks):
            return True
        return self.is_encrypted and found.is_global and not found.is_multicast

    def require(self, addresses: Sequence[str]) -> None:
        """Raise `ForbiddenAddressError` unless there are addresses, and all may be reached."""
        if not addresses or not all(self.allows(address) for address in addresses):
            raise ForbiddenAddressError


class GuardedResolver(AbstractResolver):
    """Resolves names as the host does, and refuses those with a forbidden address."""

    def __init__(self, guard: OutboundGuard) -> None:
        """Keep the guard."""
        self._guard = guard
        self._names = ThreadedResolver()

    @override
    async def resolve(
        self, host: str, port: int = 0, family: AddressFamily = AddressFamily.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the addresses of a name; raises `ForbiddenAddressError`."""
        found = await self._names.resolve(host, port, family)
        self._guard.require([each["host"] for each in found])
        return found

    @override
    async def close(self) -> None:
        """Release nothing: there is nothing to release."""


async def post_guarded(
    url: str, body: bytes, headers: Mapping[str, str], networks: Networks
) -> int:
    """Send a POST request and return the status of its answer; the body of the answer is not read.

    Raises:
        ForbiddenAddressError: the address must not be reached.
        TimeoutError, aiohttp.ClientError: it was not reached, or did not answer in time.
    """
    parts = urlsplit(url)
    guard = OutboundGuard(networks, is_encrypted=parts.scheme == "https")
    if is_address(parts.hostname or ""):  # which is not resolved
        guard.require([parts.hostname or ""])
    connector = TCPConnector(resolver=GuardedResolver(guard), use_dns_cache=False)
    timeout = ClientTimeout(total=TIMEOUT_S)
    async with (
        ClientSession(connector=connector, timeout=timeout, trust_env=False) as session,
        session.post(url, data=body, headers=headers, allow_redirects=False) as answer,
    ):
        return answer.status


def is_address(host: str) -> bool:
    """Return whether a host is an IP address and no name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _plain(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that an IPv6 address stands for, else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or address
