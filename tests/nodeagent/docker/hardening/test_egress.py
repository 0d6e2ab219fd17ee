"""Where work can connect to, tried from inside real containers; and that it is the rules' doing."""

import asyncio
import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any, Final
from uuid import uuid1

import docker
import pytest
from docker.models.containers import Container

from deploy.onebox.engine import EngineEndpoint as OwnEngine
from nodeagent.core.state import ContainerKey
from nodeagent.docker.containers.container_spec import container_name
from nodeagent.docker.engine.client import DockerEngine
from nodeagent.docker.network.container_network import (
    ContainerNetwork,
    EgressScope,
    ensure_bridge,
    remove_network,
)
from nodeagent.docker.network.egress import EgressPolicy, parse_allow_rule, table_name
from nodeagent.docker.network.gangs import gang_network_name
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.ports import ContainerOrder, StartError
from tests.nodeagent.docker.hardening import outside
from tests.nodeagent.docker.hardening.conftest import Node
from tests.nodeagent.docker.hardening.image import PYTHON
from tests.waiting import PATIENCE_S, wait_until
from wire.messages import ContainerSpec
from wire.words import ExitCause

pytestmark = pytest.mark.docker

PROBE: Final = Path(__file__).with_name("egress_probe.py").read_text()
SERVES: Final = (PYTHON, "-c", outside.SERVER, "0.0.0.0", "0.0.0.0", str(outside.WEB))
NAME: Final = "example.test"
POLICY: Final = EgressPolicy(
    allowed=(parse_allow_rule(f"{outside.LISTED}:{outside.WEB}"),),
    hidden=(IPv4Network(outside.PORTAL),),
    resolvers=(outside.RESOLVER,),
)
HIDDEN: Final = (
    "metadata_of_the_cloud",
    "link_local",
    "gateway_of_the_bridge",
    "engine_by_tcp",
    "agent_of_this_node",
    "database_of_this_host",
    "redis_of_this_host",
    "other_node",
    "portal",
    "neighbour",
    "published_port_of_a_neighbour",
    "listed_range_on_another_port",
    "resolver_on_another_port",
)
OPEN: Final = ("internet", "listed_range", "name_service")
GANG: Final = ContainerKey("gang.0", 1)
NEVER: Final = "neighbour"
"""Out of reach without our rules as well: the network itself keeps neighbours apart."""


@dataclass
class Trial:
    """One network with somebody to reach on it."""

    node: Node
    network: str
    bridge: str
    targets: dict[str, list[str | int]]
    published: int
    """Where the neighbour is reached on this host's loopback, as the gateway reaches notebooks."""

    def work_network(self, policy: EgressPolicy, *, is_enforced: bool = True) -> ContainerNetwork:
        """Return what a freshly started agent has."""
        return ContainerNetwork(
            DockerEngine(self.node.host), self.network, EgressScope(policy, is_enforced=is_enforced)
        )

    def answers(self, name: str, network: ContainerNetwork, **spec: Any) -> dict[str, str]:
        """Start work that tries everything, and return what came of it."""
        targets = spec.pop("targets", self.targets)
        order = self.order(name, (PYTHON, "-c", PROBE, json.dumps(targets)), **spec)
        self.start(order, network)
        path = self.node.root / "storage" / "outputs" / order.spec.workload / "egress.json"
        wait_until(path.exists)
        found: dict[str, str] = json.loads(path.read_text())
        path.unlink()
        return found

    def order(
        self, name: str, command: tuple[str, ...], rank: int = 0, ranks: int = 1
    ) -> ContainerOrder:
        """Return an order for a training of the probe's image."""
        spec = {
            "kind": "training",
            "workload": name,
            "name": name,
            "image": "berth/probe:1",
            "command": command,
            "cpu_milli": 1000,
            "memory_mib": 64,
            "rank": rank,
            "ranks": ranks,
            "ranks_here": ranks,
        }
        return ContainerOrder(
            ContainerKey(f"{name}.{rank}", 1), (), ContainerSpec.model_validate(spec)
        )

    def start(self, order: ContainerOrder, network: ContainerNetwork) -> None:
        """Start it as an agent does."""
        settings = replace(self.node.settings, network=self.network, resolvers=(outside.RESOLVER,))
        engine = DockerEngine(self.node.host)
        runtime = DockerRuntime(self.node.root / "containers", settings, engine, network=network)
        asyncio.run(runtime.start(order, lambda *_: None))

    def inspect(self, order: ContainerOrder) -> dict[str, Any]:
        """Return the engine's own words about a container."""
        with OwnEngine(self.node.host).client() as opened:
            name = container_name(self.node.name, order.key)
            found: dict[str, Any] = opened.api.inspect_container(name)
        return found


def _removed(container: Container) -> None:
    with suppress(docker.errors.NotFound):
        container.remove(force=True)


@pytest.fixture(scope="module")
def trial(
    node: Node, engine: OwnEngine, client: docker.DockerClient, probe_image: str
) -> Iterator[Trial]:
    """A network of its own with a neighbour on it, in a world with everything to reach."""
    name = f"berth-{uuid1().hex[:8]}"
    with ExitStack() as stack:
        stack.enter_context(outside.world())
        stack.callback(remove_network, engine.url, name)
        bridge = ensure_bridge(DockerEngine(engine.url), name)
        config = client.networks.get(name).attrs["IPAM"]["Config"][0]
        gateway = config["Gateway"]
        stack.enter_context(outside.serving(gateway, gateway))
        # The stubs know one address for each port, the SDK as many as there are.
        both: Any = [(outside.NEAR, 0), ("127.0.0.1", 0)]
        neighbour = client.containers.create(
            probe_image,
            list(SERVES),
            network=name,
            ports={f"{outside.WEB}/tcp": both},
        )
        stack.callback(_removed, neighbour)
        neighbour.start()
        neighbour.reload()
        settings = neighbour.attrs["NetworkSettings"]
        ports = {
            row["HostIp"]: int(row["HostPort"]) for row in settings["Ports"][f"{outside.WEB}/tcp"]
        }
        targets: dict[str, list[str | int]] = {
            "metadata_of_the_cloud": [outside.METADATA, 80],
            "link_local": [outside.LINK_LOCAL, 80],
            "gateway_of_the_bridge": [gateway, 80],
            "engine_by_tcp": [gateway, 2375],
            "agent_of_this_node": [outside.NEAR, 80],
            "database_of_this_host": [outside.NEAR, 5432],
            "redis_of_this_host": [outside.NEAR, 6379],
            "other_node": [outside.OTHER_NODE, 80],
            "portal": [outside.PORTAL, 443],
            "neighbour": [settings["Networks"][name]["IPAddress"], outside.WEB],
            "published_port_of_a_neighbour": [outside.NEAR, ports[outside.NEAR]],
            "listed_range_on_another_port": [outside.LISTED, 80],
            "resolver_on_another_port": [outside.RESOLVER, 80],
            "internet": [outside.INTERNET, outside.WEB],
            "listed_range": [outside.LISTED, outside.WEB],
            "name_service": [NAME],
        }
        yield Trial(node, name, bridge, targets, ports["127.0.0.1"])
        for left in client.containers.list(all=True, filters={"label": f"berth.node={node.name}"}):
            _removed(left)
        for network in client.networks.list(names=[gang_network_name(GANG)]):
            network.remove()


@pytest.fixture(scope="module")
def unfiltered(trial: Trial) -> dict[str, str]:
    """What work reaches without our rules."""
    targets = {name: at for name, at in trial.targets.items() if name != NEVER}
    return trial.answers(
        "unfiltered", trial.work_network(POLICY, is_enforced=False), targets=targets
    )


@pytest.fixture(scope="module")
def filtered(trial: Trial, unfiltered: dict[str, str]) -> dict[str, str]:
    """What work reaches with them."""
    return trial.answers("filtered", trial.work_network(POLICY))


@pytest.mark.parametrize("name", HIDDEN)
def test_c4_hidden_from_work(
    name: str, filtered: dict[str, str], unfiltered: dict[str, str]
) -> None:
    assert filtered[name] != "reached"
    assert name == NEVER or unfiltered[name] == "reached"


@pytest.mark.parametrize("name", OPEN)
def test_open_to_work(name: str, filtered: dict[str, str]) -> None:
    assert filtered[name] == (outside.INTERNET if name == "name_service" else "reached")


def test_gateway_still_reaches_what_is_published(trial: Trial, filtered: object) -> None:
    with socket.create_connection(("127.0.0.1", trial.published), PATIENCE_S) as opened:
        assert opened.recv(1) == b""


def test_closed_internet_leaves_only_what_is_listed(trial: Trial, filtered: object) -> None:
    found = trial.answers("closed", trial.work_network(replace(POLICY, is_internet_open=False)))
    reached = {name for name, outcome in found.items() if outcome == "reached"}
    assert reached == {"listed_range"}


def test_ranks_of_a_gang_reach_each_other_and_nothing_else_that_is_hidden(trial: Trial) -> None:
    network = trial.work_network(POLICY)
    trial.start(trial.order("gang", SERVES, rank=0, ranks=2), network)
    targets = {**trial.targets, "rank": ["rank-0.gang.e1", outside.WEB]}
    found = trial.answers("gang", network, rank=1, ranks=2, targets=targets)
    assert {name for name, outcome in found.items() if outcome == "reached"} == {
        "rank",
        "internet",
        "listed_range",
    }


def test_rules_that_were_swept_away_come_back(trial: Trial, filtered: object) -> None:
    network = trial.work_network(POLICY)
    table = ["inet", table_name(trial.bridge)]
    subprocess.run(["nft", "delete", "table", *table], check=True)
    assert asyncio.run(network.inspect()).faults == ()
    subprocess.run(["nft", "list", "table", *table], check=True, capture_output=True)


def test_nothing_starts_where_the_rules_cannot_be(trial: Trial) -> None:
    network = ContainerNetwork(
        DockerEngine(trial.node.host),
        trial.network,
        EgressScope(POLICY),
        lambda *_: "nft: not found",
    )
    order = trial.order("barred", ("true",))
    with pytest.raises(StartError) as refused:
        trial.start(order, network)
    assert refused.value.cause is ExitCause.NODE_FAULT
    assert refused.value.detail == "egress_unenforced: nft: not found"
    (fault,) = asyncio.run(network.inspect()).faults
    assert (fault.code, fault.is_blocking) == ("egress_unenforced", True)
    with pytest.raises(docker.errors.NotFound):
        trial.inspect(order)


def test_a_node_that_hides_nothing_says_so(trial: Trial) -> None:
    for network, code in (
        (trial.work_network(POLICY, is_enforced=False), "egress_open"),
        (
            ContainerNetwork(DockerEngine(trial.node.host), "host", EgressScope(POLICY)),
            "network_shared",
        ),
    ):
        (fault,) = asyncio.run(network.inspect()).faults
        assert (fault.code, fault.is_blocking) == (code, False)


def test_network_and_rules_go_only_when_nobody_is_on_them(
    trial: Trial, client: docker.DockerClient, filtered: object
) -> None:
    host, table = trial.node.host, ["nft", "list", "table", "inet", table_name(trial.bridge)]
    asyncio.run(trial.work_network(POLICY).ensure_ready())
    remove_network(host, trial.network)
    subprocess.run(table, check=True, capture_output=True)
    for left in client.networks.get(trial.network).containers:
        _removed(left)
    for _ in range(2):
        remove_network(host, trial.network)
    assert subprocess.run(table, check=False, capture_output=True).returncode != 0
    assert client.networks.list(names=[trial.network]) == []
