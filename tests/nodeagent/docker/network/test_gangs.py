"""On which network the ranks of one gang meet. No engine needed."""

from collections.abc import Callable
from contextlib import nullcontext
from http import HTTPStatus
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docker.errors import APIError
from requests import Response

from nodeagent.app.composition import find_gang_interface
from nodeagent.config import AgentConfig
from nodeagent.docker.containers.container_spec import (
    DockerRuntimeSettings,
    create_options,
    resolve_rendezvous,
)
from nodeagent.docker.network import gang_networks
from nodeagent.docker.network.gang_networks import GangNetworks
from nodeagent.docker.network.gangs import GangSettings, gang_network_options
from nodeagent.host.network_interfaces import list_interface_addresses
from nodeagent.ports import StartError
from tests.fakes.work import SLEEPS, an_order
from wire.words import ExitCause

HOSTS = ("10.0.0.7", "10.0.0.8")
NAMES = ("rank-0.job.e1", "rank-1.job.e1")


def a_node(
    gang_network: str = "", *, network: str = "berth", interface: str = ""
) -> DockerRuntimeSettings:
    gang = GangSettings(gang_network, interface)
    return DockerRuntimeSettings("gpu-1", Path("/srv"), "10.0.0.7", network, 1000, 8_000, gang=gang)


def options(settings: DockerRuntimeSettings, **spec: Any) -> dict[str, Any]:
    given = {"rank": 1, "ranks": 2, "ranks_here": 1, "hosts": HOSTS, **spec}
    return create_options(settings, an_order(SLEEPS, **given), None, ())


def test_ranks_on_one_node_have_a_network_of_their_own() -> None:
    found = options(a_node(), ranks_here=2)

    assert found["network"] == "berth-gang-job-1"
    assert found["networking_config"]["berth-gang-job-1"]["Aliases"] == ["rank-1.job.e1"]
    assert found["environment"]["MASTER_ADDR"] == NAMES[0]
    assert found["environment"]["BERTH_HOSTS"] == ",".join(NAMES)


def test_without_a_way_to_other_nodes_a_gang_across_them_is_refused() -> None:
    with pytest.raises(StartError, match="no network leads") as refused:
        options(a_node())

    assert refused.value.cause is ExitCause.START_FAILED


def test_nodes_that_share_an_engine_share_the_gangs_network() -> None:
    assert options(a_node("engine"))["network"] == "berth-gang-job-1"


def test_a_network_that_spans_the_nodes_is_joined_under_a_name_of_the_attempt() -> None:
    found = options(a_node("overlay-1"))

    assert found["network"] == "overlay-1"
    assert found["networking_config"]["overlay-1"]["Aliases"] == ["rank-1.job.e1"]


@pytest.mark.parametrize(
    "settings", [a_node("host", interface="ib0"), a_node(network="host", interface="ib0")]
)
def test_on_the_hosts_own_network_ranks_meet_at_the_addresses_of_their_nodes(
    settings: DockerRuntimeSettings,
) -> None:
    found = options(settings, master_address=HOSTS[0])

    assert found["network_mode"] == "host"
    assert "network" not in found
    env = found["environment"]
    assert (env["MASTER_ADDR"], env["GLOO_SOCKET_IFNAME"]) == (HOSTS[0], "ib0")


@pytest.mark.parametrize(
    ("address", "interface"),
    [
        ("10.0.0.7", "eth0"),
        ("10.0.0.9", ""),
        ("127.0.0.1", ""),
        ("gpu-1.example.org", ""),
    ],
)
def test_unless_it_is_named_ranks_take_the_interface_with_the_address_of_their_node(
    address: str, interface: str
) -> None:
    carried = {"127.0.0.1": "lo", "172.17.0.1": "docker0", "10.0.0.7": "eth0"}

    def chosen(**docker: str) -> str:
        values = {"name": "gpu-1", "portal_url": "http://portal", "state_dir": "/s"}
        config = AgentConfig.model_validate(
            {**values, "storage_dir": "/d", "advertise_address": address, "docker": docker}
        )
        return find_gang_interface(config, carried)

    assert chosen(gang_network="host") == chosen(network="host") == interface
    assert chosen(gang_network="host", gang_interface="ib0") == "ib0"
    assert chosen(gang_network="overlay-1") == ""


def test_this_host_tells_which_interface_carries_an_address() -> None:
    assert list_interface_addresses()["127.0.0.1"] == "lo"


def test_only_gangs_leave_the_usual_network() -> None:
    for spec in ({"ranks": 1, "rank": 0}, {"kind": "environment"}):
        assert options(a_node("overlay-1"), **spec)["network"] == "berth"


def test_own_networks_are_told_by_label_and_bridge() -> None:
    found = gang_network_options("berth-gang-job-1", "bg0beef")

    bridge = found["options"]["com.docker.network.bridge.name"]
    assert bridge.startswith("bg0beef")
    assert len(bridge) <= 15
    assert found["labels"] == {"berth.gang": "berth-gang-job-1"}


def test_the_meeting_is_the_same_for_every_rank() -> None:
    orders = [an_order(SLEEPS, rank=rank, ranks=2, ranks_here=2) for rank in range(2)]

    assert {resolve_rendezvous(a_node(), order).hosts for order in orders} == {NAMES}


class _EngineOfTwoNodes:
    """Another node creates the network at the same time: its bridge is taken, and it is seen later."""

    def __init__(self, looks: int) -> None:
        self._looks = looks
        self.slow_client = SimpleNamespace(
            networks=SimpleNamespace(create=self._create),
            api=SimpleNamespace(networks=self._list),
        )

    async def call(self, work: Callable[[], Any], _: float) -> Any:
        return work()

    def _list(self, names: list[str]) -> list[dict[str, Any]]:
        self._looks -= 1
        return [] if self._looks > 0 else [{"Name": names[0], "Id": "1", "Created": "now"}]

    def _create(self, name: str, **_: Any) -> None:
        answer = Response()
        answer.status_code = HTTPStatus.FORBIDDEN
        raise APIError(f"cannot create network {name}: networks have same bridge name", answer)


@pytest.mark.parametrize(("looks", "is_made"), [(3, True), (1000, False)])
async def test_a_network_that_another_node_is_just_creating_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, looks: int, *, is_made: bool
) -> None:
    monkeypatch.setattr(gang_networks, "APPEAR_S", 0.0)
    engine: Any = _EngineOfTwoNodes(looks)
    networks = GangNetworks(engine, GangSettings("engine"), "bg")
    with nullcontext() if is_made else pytest.raises(APIError):
        await networks.ensure(an_order(SLEEPS, rank=1, ranks=2, hosts=HOSTS))
