"""How the containers of one gang reach each other; pure.

Frameworks open connections between any two ranks, on ports that are not known before, and send each
other the address of their own interface. So published ports cannot carry them (that address cannot
be reached from outside): the ranks share a network, or use the hosts' own. Alternatives and figures
are in `docs/adr/0020-ranks-share-a-network.md`.
"""

from dataclasses import dataclass
from typing import Any, Final
from zlib import crc32

from docker.types import EndpointConfig

from nodeagent.core.state import ContainerKey
from nodeagent.launch.ranks import RankRendezvous, rendezvous_on_nodes
from nodeagent.ports import ContainerOrder, StartError
from wire.words import ExitCause

HOST_NETWORK: Final = "host"
"""Name of the network of a container that shares its host's."""
SHARED_ENGINE: Final = "engine"
LABEL: Final = "berth.gang"
API_WITH_ALIASES: Final = "1.40"


@dataclass(frozen=True, slots=True)
class GangSettings:
    """How a node's containers reach ranks on other nodes."""

    network: str = ""
    """`host`, `engine` where the nodes share one engine, or the name of a network that spans them;
    empty is none: then only gangs that are on this node alone can run."""
    interface: str = ""
    """Of the hosts, that leads to the others; empty leaves the choice to the frameworks."""


@dataclass(frozen=True, slots=True)
class GangNetwork:
    """The network of one rank."""

    network: str
    is_own: bool
    """Created for this gang alone, and removed with its last container."""
    hosts: tuple[str, ...]
    """Names of all ranks on it, in their order."""
    own_name: str


def gang_network(settings: GangSettings, order: ContainerOrder) -> GangNetwork | None:
    """Return the network that a container shares with its gang; None where it is on the host's.

    Raises `StartError` when the others are on other nodes and no network leads there.
    """
    spec = order.spec
    configured = settings.network
    if not is_gang(order) or configured == HOST_NETWORK:
        return None
    hosts = tuple(_rank_host(order.key, rank) for rank in range(spec.ranks))
    is_own = configured == SHARED_ENGINE or spec.ranks_here == spec.ranks
    if not is_own and not configured:
        raise StartError(ExitCause.START_FAILED, "no network leads to the ranks on other nodes")
    network = gang_network_name(order.key) if is_own else configured
    return GangNetwork(network, is_own, hosts, hosts[spec.rank])


def is_gang(order: ContainerOrder) -> bool:
    """Return whether a container is one of several ranks."""
    return order.spec.kind == "training" and order.spec.ranks > 1


def gang_rendezvous(settings: GangSettings, order: ContainerOrder, hostfile: str) -> RankRendezvous:
    """Return how the ranks reach each other, as this container sees it."""
    gang = gang_network(settings, order)
    if gang is None:
        return rendezvous_on_nodes(order.spec, interface=settings.interface, hostfile=hostfile)
    return RankRendezvous(gang.hosts, hostfile=hostfile)


def gang_create_options(settings: GangSettings, order: ContainerOrder) -> dict[str, Any]:
    """Return the network options of `containers.create` for one of several ranks."""
    gang = gang_network(settings, order)
    if gang is None:
        return {"network_mode": HOST_NETWORK}
    endpoint = EndpointConfig(API_WITH_ALIASES, aliases=[gang.own_name])
    return {"network": gang.network, "networking_config": {gang.network: endpoint}}


def gang_network_name(key: ContainerKey) -> str:
    """Return the name of an attempt's own network: the same for every rank, and for the next agent."""
    workload = key.allocation.rpartition(".")[0]
    return f"berth-gang-{workload}-{key.epoch}"


def gang_network_options(name: str, prefix: str) -> dict[str, Any]:
    """Return the create options of an attempt's network.

    Egress rules match its bridge by `prefix`.
    """
    bridge = f"{prefix}{crc32(name.encode()):08x}"
    return {
        "driver": "bridge",
        "check_duplicate": True,
        "labels": {LABEL: name},
        "options": {
            "com.docker.network.bridge.name": bridge,
            "com.docker.network.bridge.enable_icc": "true",
        },
    }


def _rank_host(key: ContainerKey, rank: int) -> str:
    """Return a rank's host name: of this attempt only, because gangs may share a network."""
    workload = key.allocation.rpartition(".")[0]
    return f"rank-{rank}.{workload}.e{key.epoch}"
