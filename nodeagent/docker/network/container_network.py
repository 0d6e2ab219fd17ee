"""The network of a node's containers, with the egress rules in front of it.

No container starts before both are there. The rules are checked again with every sample, because a
reload of the host's firewall may have removed them.
"""

import asyncio
import socket
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from ipaddress import AddressValueError, IPv4Address, IPv4Network
from pathlib import Path
from typing import Any, Final

import structlog
from docker.errors import APIError, NotFound

from nodeagent.docker.engine.client import CALL_S, ENGINE_ERRORS, DockerEngine, connect_engine
from nodeagent.docker.network.egress import (
    EgressPolicy,
    bridge_name,
    gang_bridge_prefix,
    marker_chain,
    render_removal,
    render_ruleset,
    table_name,
)
from nodeagent.docker.network.gangs import HOST_NETWORK
from nodeagent.host.clock import SystemClock
from nodeagent.ports import InspectionFindings, StartError
from wire.facts import NodeFault
from wire.words import ExitCause

log = structlog.get_logger()

LABEL: Final = "berth.network"
BRIDGE_OPTION: Final = "com.docker.network.bridge.name"
NFT_S: Final = 10
FRESH_MS: Final = 5_000
"""How long a check of the rules is valid for the next start."""
CONFLICT: Final = 409
ROUTES: Final = Path("/proc/net/route")
RESOLV_CONF: Final = Path("/etc/resolv.conf")
FILTERS_BRIDGES: Final = Path("/proc/sys/net/bridge/bridge-nf-call-iptables")

UNENFORCED: Final = "egress_unenforced"
OPEN: Final = "egress_open"
SHARED: Final = "network_shared"

Addresses = Callable[[str], tuple[IPv4Network, ...]]
Nft = Callable[[Sequence[str], str], str]
"""Arguments and input of `nft`; returns its error message, empty on success."""


@dataclass(frozen=True, slots=True)
class EgressScope:
    """Where containers may connect to, and what of the environment must stay hidden."""

    policy: EgressPolicy
    is_enforced: bool = True
    """Off means that everything may be reached; the node reports that."""
    portal_host: str = ""
    """Name or address of the portal: hidden from work, which does not need it."""


class EgressUnenforcedError(Exception):
    """The rules are not in force and cannot be set; the message says why."""


NFT_MISSING: Final = "nft is not installed"


def run_nft(arguments: Sequence[str], text: str) -> str:
    """Run `nft` of this host; needs root."""
    try:
        done = subprocess.run(
            ["nft", *arguments],
            input=text,
            capture_output=True,
            text=True,
            timeout=NFT_S,
            check=False,
        )
    except FileNotFoundError:
        return NFT_MISSING
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"nft: {error}"
    return "" if done.returncode == 0 else done.stderr.strip() or f"nft: {done.returncode}"


class ContainerNetwork:
    """One network in one engine; several nodes may share it. Also an `Inspection`."""

    def __init__(
        self,
        engine: DockerEngine,
        name: str,
        scope: EgressScope,
        nft: Nft = run_nft,
        addresses: Addresses | None = None,
    ) -> None:
        """`addresses` resolves a host's name; it returns nothing while that is impossible."""
        self._engine = engine
        self._name = name
        self._scope = scope
        self._nft = nft
        self._lock = asyncio.Lock()
        self._verified_at: int | None = None
        self._addresses = addresses or _addresses
        self._portal: tuple[IPv4Network, ...] = ()

    async def ensure_ready(self) -> None:
        """Make sure that network and rules are in force; raises `StartError`, or `APIError`."""
        if self._name == HOST_NETWORK:
            return
        try:
            async with self._lock:
                if not self._is_fresh():
                    await self._verify()
        except EgressUnenforcedError as error:
            raise StartError(ExitCause.NODE_FAULT, f"{UNENFORCED}: {error}") from error

    async def inspect(self) -> InspectionFindings:
        """Check network and rules again, and return what is wrong with them."""
        if self._name == HOST_NETWORK:
            return _one_fault(SHARED, "work is on the host's own network", is_blocking=False)
        try:
            async with self._lock:
                await self._verify()
        except EgressUnenforcedError as error:
            return _one_fault(UNENFORCED, str(error), is_blocking=True)
        except APIError as error:
            return _one_fault(UNENFORCED, str(error.explanation or error), is_blocking=True)
        if not self._scope.is_enforced:
            return _one_fault(OPEN, "nothing is hidden from work on this node", is_blocking=False)
        return InspectionFindings()

    def _is_fresh(self) -> bool:
        return (
            self._verified_at is not None and SystemClock().now_ms() - self._verified_at < FRESH_MS
        )

    async def _verify(self) -> None:
        self._verified_at = None
        now = SystemClock().now_ms()
        bridge = await self._engine.call(lambda: ensure_bridge(self._engine, self._name))
        if self._scope.is_enforced:
            await asyncio.to_thread(self._enforce, bridge)
        self._verified_at = now

    def _enforce(self, bridge: str) -> None:
        """Check whether exactly these rules are set, and set them when not."""
        # When the name server is silent, the last answer counts: nothing is opened.
        self._portal = self._addresses(self._scope.portal_host) or self._portal
        policy, gangs = complete_policy(self._scope, self._portal), gang_bridge_prefix(self._name)
        chain = ["list", "chain", "inet", table_name(bridge), marker_chain(bridge, gangs, policy)]
        if self._nft(chain, ""):
            complaint = self._nft(["-f", "-"], render_ruleset(bridge, gangs, policy))
            if complaint:
                raise EgressUnenforcedError(complaint)
            log.info("egress.enforced", bridge=bridge)
        if FILTERS_BRIDGES.exists() and FILTERS_BRIDGES.read_text().strip() != "1":
            raise EgressUnenforcedError(
                f"{FILTERS_BRIDGES} is off: neighbours on a bridge are not kept apart"
            )


def ensure_bridge(engine: DockerEngine, name: str) -> str:
    """Return the interface of a network, which is created when it is missing; blocks."""
    networks = engine.slow_client.networks
    try:
        found = networks.get(name).attrs
    except NotFound:
        bridge = bridge_name(name, str(engine.quick_client.info().get("ID", "")))
        found = _create_network(networks, name, bridge)
    if found["Driver"] != "bridge":
        raise EgressUnenforcedError(f"network {name} is no bridge: the rules cannot be in its path")
    return str((found.get("Options") or {}).get(BRIDGE_OPTION) or f"br-{found['Id'][:12]}")


def remove_network(host: str, name: str, nft: Nft = run_nft) -> None:
    """Remove network and rules unless containers are on it; for a node that stops all its work."""
    if name == HOST_NETWORK:
        return
    try:
        with closing(connect_engine(host, CALL_S)) as client:
            network = client.networks.get(name)
            if LABEL not in (network.attrs.get("Labels") or {}):
                return
            network.remove()
    except ENGINE_ERRORS as error:
        log.info("network.kept", network=name, error=str(error))
        return
    bridge = network.attrs["Options"][BRIDGE_OPTION]
    complaint = nft(["-f", "-"], render_removal(bridge))
    if complaint:
        log.warning("egress.kept", bridge=bridge, error=complaint)


def complete_policy(scope: EgressScope, portal: Collection[IPv4Network] = ()) -> EgressPolicy:
    """Add what this host knows: its name servers, the networks it is in, the portal's addresses."""
    policy = scope.policy
    return replace(
        policy,
        resolvers=policy.resolvers or _name_servers(RESOLV_CONF),
        hidden=(*policy.hidden, *_own_networks(), *portal),
    )


def _create_network(networks: Any, name: str, bridge: str) -> dict[str, Any]:
    """Create the network: its containers cannot reach each other, and it has no IPv6."""
    options = {BRIDGE_OPTION: bridge, "com.docker.network.bridge.enable_icc": "false"}
    try:
        made = networks.create(
            name,
            driver="bridge",
            check_duplicate=True,
            enable_ipv6=False,
            labels={LABEL: name},
            options=options,
        )
    except APIError as error:
        if error.status_code != CONFLICT:
            raise
        made = networks.get(name)
    made.reload()
    found: dict[str, Any] = made.attrs
    return found


def _name_servers(path: Path) -> tuple[str, ...]:
    """Return those that containers inherit: the engine queries those on the host's loopback itself."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    fields = [line.split() for line in lines]
    servers = [item[1] for item in fields if len(item) > 1 and item[0] == "nameserver"]
    return tuple(server for server in servers if _is_outside(server))


def _is_outside(text: str) -> bool:
    try:
        return not IPv4Address(text).is_loopback
    except AddressValueError:
        return False


def _own_networks(table: Path = ROUTES) -> tuple[IPv4Network, ...]:
    """Return the networks that this host is in: with other nodes, their engines and databases."""
    try:
        rows = [line.split() for line in table.read_text(encoding="ascii").splitlines()[1:]]
    except OSError:
        return ()
    found = {
        IPv4Network((_address(destination), str(_address(mask))))
        for _, destination, gateway, _, _, _, _, mask, *_ in rows
        if int(gateway, 16) == 0 and int(mask, 16) != 0
    }
    return tuple(sorted(found))


def _address(text: str) -> IPv4Address:
    """Parse an address as the kernel prints it: hexadecimal, in the host's byte order."""
    return IPv4Address(int(text, 16).to_bytes(4, sys.byteorder))


def _addresses(host: str) -> tuple[IPv4Network, ...]:
    if not host:
        return ()
    try:
        found = socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_STREAM)
    except OSError:
        return ()
    return tuple(sorted({IPv4Network(item[4][0]) for item in found}))


def _one_fault(code: str, detail: str, *, is_blocking: bool) -> InspectionFindings:
    return InspectionFindings(
        faults=(NodeFault(code=code, detail=detail[:200], is_blocking=is_blocking),)
    )
