"""Metrics for Prometheus: queues, pools, quotas, nodes, and cards as last reported.

Names of cards are those of the DCGM exporter. Labels are bounded by what operators create: pools,
groups, nodes and cards; never users or workloads. Amounts are in base units.
"""

from collections.abc import Iterator
from typing import Final

from django.db.models import Count, F
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from typing_extensions import override

from portal import VERSION
from portal.fleet.capacity import load_fleet_for_system
from portal.fleet.health import check_readiness
from portal.inventory.models import Accelerator, Node, Pool
from portal.quotas.models import Quota
from portal.workloads.models import Workload
from scheduler.core.model.states import TERMINAL, AcceleratorState, NodeState

SERIES_MAX: Final = 20_000
"""Cards, and rows of quotas, in one answer; more are left out."""
_CARD_LABELS: Final = ("gpu", "UUID", "modelName", "Hostname", "pool", "simulated")
_QUOTA_LABELS: Final = ("group", "pool", "resource")


class PlatformCollector(Collector):
    """Reads the database at each scrape, in a fixed number of queries."""

    @override
    def collect(self) -> Iterator[Metric]:
        """Yield every metric."""
        yield from _platform()
        yield from _work()
        yield from _pools()
        yield from _quotas()
        yield from _cards()


def render_metrics() -> bytes:
    """Return the metrics as text, version 0.0.4 of the format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(PlatformCollector())
    return generate_latest(registry)


def _platform() -> Iterator[Metric]:
    found = check_readiness()
    info = GaugeMetricFamily("berth_info", "Version of the portal.", labels=["version"])
    info.add_metric([VERSION], 1)
    yield info
    yield GaugeMetricFamily("berth_redis_up", "Whether Redis answers.", found.redis)
    if found.scheduler_age_s is not None:
        yield GaugeMetricFamily(
            "berth_scheduler_pass_age_seconds",
            "Since the last scheduling pass.",
            found.scheduler_age_s,
        )
    nodes = GaugeMetricFamily("berth_nodes", "Nodes by state.", labels=["pool", "state"])
    rows = Node.objects.values_list("pool__name", "state").annotate(count=Count("id"))
    for pool, state, count in rows.order_by("pool__name", "state"):
        nodes.add_metric([pool, state], count)
    yield nodes


def _work() -> Iterator[Metric]:
    family = GaugeMetricFamily(
        "berth_workloads", "Work that has not ended.", labels=["pool", "kind", "state"]
    )
    ended = [state.value for state in TERMINAL]
    rows = Workload.objects.exclude(state__in=ended).order_by("pool__name", "kind", "state")
    for pool, kind, state, count in rows.values_list("pool__name", "kind", "state").annotate(
        count=Count("id")
    ):
        family.add_metric([pool, kind, state], count)
    yield family


def _pools() -> Iterator[Metric]:
    stocks = load_fleet_for_system()
    values: dict[str, GaugeMetricFamily] = {
        "gpus_total": _of_pools("berth_pool_gpus", "GPUs of the pool."),
        "gpus_free": _of_pools("berth_pool_gpus_free", "GPUs that no work holds."),
        "slices_total": _of_pools("berth_pool_slices", "Slices of shared cards."),
        "slices_free": _of_pools("berth_pool_slices_free", "Slices that nobody holds."),
        "waiting": _of_pools("berth_queue_length", "Work that waits for the pool."),
    }
    for pool_id, name in Pool.objects.order_by("name").values_list("id", "name"):
        capacity = stocks.count_capacity(pool_id)
        for field, family in values.items():
            family.add_metric([name], getattr(capacity, field))
    yield from values.values()


def _of_pools(name: str, text: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, labels=["pool"])


def _quotas() -> Iterator[Metric]:
    used = GaugeMetricFamily("berth_quota_used", "Held now.", labels=_QUOTA_LABELS)
    deserved = GaugeMetricFamily("berth_quota_deserved", "The share.", labels=_QUOTA_LABELS)
    ceiling = GaugeMetricFamily(
        "berth_quota_ceiling", "Never exceeded; no line is no ceiling.", labels=_QUOTA_LABELS
    )
    rows = Quota.objects.order_by("group__name", "pool__name", "resource").values_list(
        "group__name", "pool__name", "resource", "used", "deserved", "ceiling"
    )
    for group, pool, resource, *amounts in rows[:SERIES_MAX]:
        for family, amount in zip((used, deserved, ceiling), amounts, strict=True):
            if amount is not None:
                family.add_metric([group, pool or "", resource], amount)
    yield from (used, deserved, ceiling)


def _cards() -> Iterator[Metric]:
    busy = GaugeMetricFamily("DCGM_FI_DEV_GPU_UTIL", "GPU utilisation (in %).", labels=_CARD_LABELS)
    memory = GaugeMetricFamily(
        "DCGM_FI_DEV_FB_USED", "Framebuffer memory used (in MiB).", labels=_CARD_LABELS
    )
    healthy = GaugeMetricFamily("berth_card_ok", "1 when it may take work.", labels=_CARD_LABELS)
    rows = (
        Accelerator.objects.exclude(node__state=NodeState.RETIRED)
        .annotate(node_name=F("node__name"), pool_name=F("pool__name"))
        .order_by("node_name", "index")
    )
    for card in rows[:SERIES_MAX]:
        simulated = "true" if card.is_simulated else "false"
        labels = [
            str(card.index), card.uuid, card.model, card.node_name, card.pool_name, simulated,
        ]  # fmt: skip
        healthy.add_metric(labels, card.state == AcceleratorState.OK)
        if card.utilisation_pct is not None:
            busy.add_metric(labels, card.utilisation_pct)
        if card.memory_used_mib is not None:
            memory.add_metric(labels, card.memory_used_mib)
    yield from (busy, memory, healthy)
