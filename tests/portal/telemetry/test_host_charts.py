"""The host of a node is charted beside its cards: what it used, of what it has."""

from datetime import timedelta
from typing import Any

import pytest

from portal.common.clock import freeze, now, to_millis
from portal.execution.samples import CardUse, HostUse, NodeSample
from portal.inventory.models import Node
from portal.telemetry import services
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_user
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

HOST_METRICS = ["cpu", "memory", "disk", "disk_read", "disk_write", "received", "sent"]
MIB = 1024 * 1024


def a_host(second: int, **fields: int | None) -> HostUse:
    """Return what a host of 4 processors tells: half of it busy, a MiB read a second, nothing sent."""
    told: dict[str, int | None] = {
        "cpus": 4,
        "cpu_ms": 2000 * second,
        "memory_used_mib": 100 + second,
        "memory_mib": 4096,
        "disk_used_mib": 70,
        "disk_mib": 900,
        "read_bytes": MIB * second,
        "written_bytes": 0,
        "rx_bytes": 2 * MIB * second,
        "tx_bytes": None,
    }
    return HostUse(**{**told, **fields})


def record(node: Node, *hosts: HostUse | None, every_s: int = 10) -> None:
    """Record samples that end now, each with the cards of the node."""
    end, cards = (
        now(),
        tuple(CardUse(uuid=card.uuid, power_mw=1000) for card in node.accelerators.all()),
    )
    samples = tuple(
        NodeSample(
            at=to_millis(end - timedelta(seconds=every_s * ago)),
            host=host,
            cards=cards,
        )
        for ago, host in zip(range(len(hosts) - 1, -1, -1), hosts, strict=True)
    )
    services.record_samples(node.pk, samples)


def host_lines(shown: Any, node: Node) -> dict[str, Any]:
    """Return the lines of the host by their metric."""
    return {one["metric"]: one for one in shown["series"] if one["subject"] == str(node.pk)}


def known(line: Any) -> list[float]:
    return [value for value in line["values"] if value is not None]


def chart_of(subject: str, query: str = "") -> Any:
    return json_of(browser(a_user()).get(f"{API}/telemetry?{subject}{query}"))


def test_lines_of_the_host_follow_those_of_the_cards() -> None:
    node = a_node(a_pool(), cards=2)
    record(node, a_host(0), a_host(10), a_host(20))

    shown = chart_of(f"node={node.pk}", "&step_s=10")

    lines = host_lines(shown, node)
    assert [one["metric"] for one in shown["series"][-len(HOST_METRICS) :]] == HOST_METRICS
    assert {one["title"] for one in lines.values()} == {node.name}
    assert {name: (known(one), one["limit"]) for name, one in lines.items()} == {
        "cpu": ([2000, 2000], 4000),
        "memory": ([100, 110, 120], 4096),
        "disk": ([70, 70, 70], 900),
        "disk_read": ([MIB, MIB], None),
        "disk_write": ([0, 0], None),
        "received": ([2 * MIB, 2 * MIB], None),
        "sent": ([], None),
    }
    powers = [known(one) for one in shown["series"] if one["metric"] == "power"]
    assert powers == [[1, 1, 1]] * 2


def test_charts_of_a_card_and_of_pools_have_no_host() -> None:
    node = a_node(a_pool(), cards=1)
    record(node, a_host(0), a_host(10))

    for subject in (f"card={node.accelerators.get().pk}", f"pool={node.pool_id}", "cluster=true"):
        shown = chart_of(subject)
        assert {one["metric"] for one in shown["series"]}.isdisjoint(HOST_METRICS)


def test_a_node_without_cards_has_charts_of_its_host() -> None:
    node = a_node(a_pool(), cards=0)
    record(node, a_host(0), a_host(10))

    shown = chart_of(f"node={node.pk}", "&step_s=10")

    assert list(host_lines(shown, node)) == HOST_METRICS
    assert known(host_lines(shown, node)["cpu"]) == [2000]


def test_an_agent_that_measures_no_host_leaves_gaps_and_no_limits() -> None:
    node = a_node(a_pool(), cards=1)
    record(node, None, None)

    lines = host_lines(chart_of(f"node={node.pk}"), node)

    assert {name: (known(one), one["limit"]) for name, one in lines.items()} == {
        name: ([], None) for name in HOST_METRICS
    }


def test_the_newest_limit_holds_and_a_boot_is_a_gap() -> None:
    node = a_node(a_pool(), cards=1)
    record(node, a_host(90, memory_mib=2048), a_host(5), a_host(15, cpus=None))

    lines = host_lines(chart_of(f"node={node.pk}", "&step_s=10"), node)

    assert (lines["memory"]["limit"], lines["cpu"]["limit"]) == (4096, 4000)
    assert known(lines["cpu"]) == [2000]


def test_a_rolled_up_history_of_the_host_goes_on_with_what_is_newer() -> None:
    noon = now().replace(minute=0, second=0, microsecond=0)
    node = a_node(a_pool(), cards=1)
    for minutes, used in ((-150, 10), (-90, 20), (-10, 30)):
        with freeze(noon + timedelta(minutes=minutes)):
            record(node, a_host(0, memory_used_mib=used))
        with freeze(noon + timedelta(minutes=minutes + 5)):
            services.roll_up()
    with freeze(noon + timedelta(minutes=4)):
        record(node, a_host(0, memory_used_mib=40))
    with freeze(noon + timedelta(minutes=10)):
        services.roll_up()
        since = (noon - timedelta(days=7)).strftime("%Y-%m-%dT%H:%M:%SZ")
        shown = chart_of(f"node={node.pk}", f"&since={since}")

    assert shown["step_s"] == 3600
    assert known(host_lines(shown, node)["memory"]) == [10, 20, 30, 40]
    assert host_lines(shown, node)["memory"]["limit"] == 4096
