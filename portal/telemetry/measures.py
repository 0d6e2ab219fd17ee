"""Which columns become lines of charts, and their limits. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from portal.telemetry.tables import CARD, NODE, POOL, WORK

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Metric:
    """How one column becomes a line: the name of the metric, its unit, and a factor."""

    name: str
    unit: str
    factor: float = 1.0
    is_summed: bool = True
    """Over several attempts at once: a sum, or else a mean."""


_CARD_METRICS: Final[Mapping[str, Metric]] = {
    "utilisation_pct": Metric("gpu_utilisation", "percent", is_summed=False),
    "memory_mib": Metric("gpu_memory", "mebibytes"),
    "power_mw": Metric("power", "watts", 0.001),
    "temperature_c": Metric("temperature", "celsius", is_summed=False),
}
METRICS: Final[Mapping[str, Mapping[str, Metric]]] = {
    CARD.name: _CARD_METRICS,
    POOL.name: _CARD_METRICS,
    WORK.name: {
        "memory_mib": Metric("memory", "mebibytes"),
        "disk_mib": Metric("disk", "mebibytes"),
        "gpu_memory_mib": Metric("gpu_memory", "mebibytes"),
        "gpu_utilisation_pct": Metric("gpu_utilisation", "percent", is_summed=False),
        # Milliseconds of processor time a second are thousandths of a processor.
        "cpu_ms": Metric("cpu", "milli"),
        "rx_bytes": Metric("received", "bytes_per_second"),
        "tx_bytes": Metric("sent", "bytes_per_second"),
    },
    NODE.name: {
        "cpu_ms": Metric("cpu", "milli"),
        "memory_used_mib": Metric("memory", "mebibytes"),
        "disk_used_mib": Metric("disk", "mebibytes"),
        "read_bytes": Metric("disk_read", "bytes_per_second"),
        "written_bytes": Metric("disk_write", "bytes_per_second"),
        "rx_bytes": Metric("received", "bytes_per_second"),
        "tx_bytes": Metric("sent", "bytes_per_second"),
    },
}
LIMITS: Final[Mapping[str, Mapping[str, tuple[str, int]]]] = {
    NODE.name: {"cpus": ("cpu", 1000), "memory_mib": ("memory", 1), "disk_mib": ("disk", 1)}
}
"""Columns that are the limit of a metric, and by what they are multiplied for it."""
