"""Renders the last reading as Prometheus metrics; GPU metrics have the names of the DCGM exporter.

Those of the host end as the node exporter's do, and begin otherwise: it may run beside this.

The label values are bounded by the cards and containers that are on the node now.
"""

from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.metrics_core import UnknownMetricFamily
from prometheus_client.registry import Collector
from typing_extensions import override

from nodeagent.telemetry.feed import TelemetryFeed
from nodeagent.telemetry.reading import NodeReading
from wire.facts import AcceleratorFacts, AcceleratorHealth
from wire.samples import ContainerSample, HostSample, Sample

BYTES_PER_MIB = 1024 * 1024

CARD_LABELS = ("gpu", "UUID", "modelName", "Hostname", "simulated")
CONTAINER_LABELS = ("allocation", "epoch")
HOST_GAUGES: Final = {
    ("berth_host_cpus", "Processors online."): ("cpus", 1),
    ("berth_host_memory_used_bytes", "Memory that is not available."): (
        "memory_used_mib",
        BYTES_PER_MIB,
    ),
    ("berth_host_memory_size_bytes", "All memory."): ("memory_mib", BYTES_PER_MIB),
    ("berth_host_filesystem_used_bytes", "Where containers and images are."): (
        "disk_used_mib",
        BYTES_PER_MIB,
    ),
    ("berth_host_filesystem_size_bytes", "Where containers and images are."): (
        "disk_mib",
        BYTES_PER_MIB,
    ),
}
HOST_COUNTERS: Final = {
    ("berth_host_cpu_seconds", "Busy time of all processors."): ("cpu_ms", 0.001),
    ("berth_host_disk_read_bytes", "From all physical disks."): ("read_bytes", 1),
    ("berth_host_disk_written_bytes", "To all physical disks."): ("written_bytes", 1),
    ("berth_host_network_receive_bytes", "By all physical interfaces."): ("rx_bytes", 1),
    ("berth_host_network_transmit_bytes", "By all physical interfaces."): ("tx_bytes", 1),
}


class NodeCollector(Collector):
    """Converts the newest reading to metrics; yields none before the first reading."""

    def __init__(self, node: str, feed: TelemetryFeed) -> None:
        self._node = node
        self._feed = feed

    @override
    def collect(self) -> Iterator[Metric]:
        """Yield every metric; values that are not measured are left out."""
        if self._feed.latest is None:
            return
        reading, sample = self._feed.latest
        age = GaugeMetricFamily("berth_sample_time_seconds", "When this node was looked at, UTC.")
        age.add_metric([], reading.at / 1000)
        yield age
        yield from _host(sample.host or HostSample())
        yield from _cards(self._node, reading)
        yield from _containers(sample)


def build_registry(node: str, feed: TelemetryFeed) -> CollectorRegistry:
    """Return a registry with the metrics of this node only."""
    registry = CollectorRegistry()
    registry.register(NodeCollector(node, feed))
    return registry


def render_metrics(registry: CollectorRegistry) -> bytes:
    """Return the metrics in version 0.0.4 of the text format."""
    return generate_latest(registry)


def _host(host: HostSample) -> Iterator[Metric]:
    for kind, rows in ((GaugeMetricFamily, HOST_GAUGES), (CounterMetricFamily, HOST_COUNTERS)):
        for (name, text), (field, unit) in rows.items():
            if (value := getattr(host, field)) is not None:
                yield kind(name, text, value * unit)


def _cards(node: str, reading: NodeReading) -> Iterator[Metric]:
    values = {
        ("DCGM_FI_DEV_GPU_UTIL", "GPU utilisation (in %)."): "utilisation_pct",
        ("DCGM_FI_DEV_FB_USED", "Framebuffer memory used (in MiB)."): "memory_used_mib",
        ("DCGM_FI_DEV_GPU_TEMP", "GPU temperature (in C)."): "temperature_c",
    }
    cards = reading.accelerators
    for (name, text), field in values.items():
        yield _of_cards(name, text, node, [(card, getattr(card, field)) for card in cards])
    power = [(card, None if card.power_mw is None else card.power_mw / 1000) for card in cards]
    yield _of_cards("DCGM_FI_DEV_POWER_USAGE", "Power draw (in W).", node, power)
    energy = UnknownMetricFamily(
        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
        "Total energy consumption since boot (in mJ).",
        labels=CARD_LABELS,
    )
    for card in cards:
        if card.energy_mj is not None:
            energy.add_metric(_card_labels(node, card), card.energy_mj)
    yield energy
    health = GaugeMetricFamily(
        "berth_card_ok", "1 when the card may take work, as its node sees it.", labels=CARD_LABELS
    )
    for card in cards:
        health.add_metric(_card_labels(node, card), card.health is AcceleratorHealth.OK)
    yield health


def _of_cards(
    name: str, text: str, node: str, values: list[tuple[AcceleratorFacts, float | None]]
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, text, labels=CARD_LABELS)
    for card, value in values:
        if value is not None:
            family.add_metric(_card_labels(node, card), value)
    return family


def _card_labels(node: str, card: AcceleratorFacts) -> list[str]:
    simulated = "true" if card.simulated else "false"
    return [str(card.index), card.uuid, card.model, node, simulated]


def _containers(sample: Sample) -> Iterator[Metric]:
    rows: dict[tuple[str, str], list[tuple[ContainerSample, float | None]]] = {
        ("berth_container_cpu_seconds", "Processor time since its start."): [
            (item, item.cpu_ms / 1000) for item in sample.containers
        ],
        ("berth_container_memory_bytes", "Memory that it holds."): [
            (item, item.memory_mib * BYTES_PER_MIB) for item in sample.containers
        ],
        ("berth_container_disk_bytes", "Files that it holds."): [
            (item, None if item.disk_mib is None else item.disk_mib * BYTES_PER_MIB)
            for item in sample.containers
        ],
        ("berth_container_gpu_memory_bytes", "Card memory of its own processes."): [
            (item, None if item.gpu_memory_mib is None else item.gpu_memory_mib * BYTES_PER_MIB)
            for item in sample.containers
        ],
        ("berth_container_gpu_utilisation_ratio", "Own use of its cards, from 0 to 1."): [
            (item, None if item.gpu_utilisation_pct is None else item.gpu_utilisation_pct / 100)
            for item in sample.containers
        ],
        ("berth_container_received_bytes", "Received since its start."): [
            (item, item.rx_bytes) for item in sample.containers
        ],
        ("berth_container_sent_bytes", "Sent since its start."): [
            (item, item.tx_bytes) for item in sample.containers
        ],
    }
    for (name, text), values in rows.items():
        family = GaugeMetricFamily(name, text, labels=CONTAINER_LABELS)
        for item, value in values:
            if value is not None:
                family.add_metric([item.allocation, str(item.epoch)], value)
        yield family
