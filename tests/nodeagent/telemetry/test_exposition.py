"""What Prometheus reads of a node is what was measured, and nothing where nothing was."""

import asyncio

from aiohttp import ClientSession
from prometheus_client.parser import text_string_to_metric_families

from nodeagent.core.state import Container, ContainerKey
from nodeagent.ports import ContainerUsage
from nodeagent.telemetry.exposition import build_registry, render_metrics
from nodeagent.telemetry.feed import TelemetryFeed
from nodeagent.telemetry.metrics_server import MetricsServer
from nodeagent.telemetry.reading import NodeReading
from tests.fakes.node_ports import MemoryLink
from tests.fakes.portal import FakePortal
from tests.waiting import wait_until_async
from wire.facts import AcceleratorFacts
from wire.samples import HostSample
from wire.words import Device, Phase

KEY = ContainerKey("a.0", 3)


def a_feed() -> TelemetryFeed:
    """Return a feed that has seen a host, two cards and one container, which holds the first card."""
    cards = tuple(
        AcceleratorFacts(
            uuid=f"GPU-{index}",
            index=index,
            vendor="NVIDIA",
            model="H100",
            memory_mib=81920,
            utilisation_pct=30 + index,
            memory_used_mib=2048,
            power_mw=70_500 if index == 0 else None,
            energy_mj=10**9,
        )
        for index in range(2)
    )
    holder = Container(KEY, (Device("GPU-0", 81920),), Phase.RUNNING)
    feed = TelemetryFeed(MemoryLink(FakePortal()), every_ms=10_000)
    used = ContainerUsage(cpu_ms=1500, memory_mib=2)
    host = HostSample(cpus=8, cpu_ms=2500, memory_used_mib=3, memory_mib=4, rx_bytes=9)
    feed.add_reading(NodeReading(5000, cards, (holder,), {KEY: used}, {}, host))
    return feed


def values(text: str) -> dict[tuple[str, str], float]:
    """Return every value by the name of its metric and its card or container."""
    return {
        (item.name, item.labels.get("UUID", item.labels.get("allocation", ""))): item.value
        for family in text_string_to_metric_families(text)
        for item in family.samples
    }


def test_names_of_cards_are_those_of_the_dcgm_exporter() -> None:
    found = values(render_metrics(build_registry("n1", a_feed())).decode())

    assert found["DCGM_FI_DEV_GPU_UTIL", "GPU-1"] == 31
    assert found["DCGM_FI_DEV_FB_USED", "GPU-0"] == 2048
    assert found["DCGM_FI_DEV_POWER_USAGE", "GPU-0"] == 70.5
    assert ("DCGM_FI_DEV_POWER_USAGE", "GPU-1") not in found
    assert found["DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "GPU-0"] == 1e9
    assert found["berth_card_ok", "GPU-0"] == 1


def test_a_container_has_figures_of_its_own() -> None:
    found = values(render_metrics(build_registry("n1", a_feed())).decode())

    assert found["berth_container_cpu_seconds", "a.0"] == 1.5
    assert found["berth_container_memory_bytes", "a.0"] == 2 * 1024 * 1024
    assert found["berth_container_gpu_utilisation_ratio", "a.0"] == 0.3
    assert ("berth_container_received_bytes", "a.0") not in found


def test_a_host_has_names_like_those_of_the_node_exporter() -> None:
    found = values(render_metrics(build_registry("n1", a_feed())).decode())

    assert found["berth_host_cpus", ""] == 8
    assert found["berth_host_cpu_seconds_total", ""] == 2.5
    assert found["berth_host_memory_used_bytes", ""] == 3 * 1024 * 1024
    assert found["berth_host_memory_size_bytes", ""] == 4 * 1024 * 1024
    assert found["berth_host_network_receive_bytes_total", ""] == 9
    assert ("berth_host_network_transmit_bytes_total", "") not in found
    assert ("berth_host_filesystem_size_bytes", "") not in found


def test_nothing_is_said_before_the_first_look() -> None:
    feed = TelemetryFeed(MemoryLink(FakePortal()), every_ms=10_000)

    assert render_metrics(build_registry("n1", feed)) == b""


async def test_the_endpoint_answers_on_loopback() -> None:
    server = MetricsServer(build_registry("n1", a_feed()), "127.0.0.1", 0)
    serving = asyncio.create_task(server.run())
    try:
        await wait_until_async(lambda: server.port != 0, within_s=60)
        async with (
            ClientSession() as client,
            client.get(f"http://127.0.0.1:{server.port}/metrics") as answer,
        ):
            text = await answer.text()
            kind = answer.headers["Content-Type"]
    finally:
        serving.cancel()
        await asyncio.wait({serving})
    assert kind.startswith("text/plain")
    assert values(text)["DCGM_FI_DEV_GPU_UTIL", "GPU-0"] == 30
