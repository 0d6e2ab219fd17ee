"""Series for charts: what cards and workloads used, in steps, as far as the actor may see it."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.common.actor import Actor
from portal.common.clock import to_millis
from portal.inventory.selectors import card_visible_to, node_visible_to, pool_visible_to
from portal.telemetry.tables import CARD, WORK, SeriesKind, select_sql
from portal.telemetry.time_axis import TimeAxis
from portal.workloads.models import Allocation
from portal.workloads.selectors import workload_visible_to

ATTEMPTS_MAX: Final = 500
"""Attempts of one workload whose curves are shown."""
CARDS_MAX: Final = 4096
"""Of a pool whose mean is asked for."""

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart; a value for each time, null where nothing was measured."""

    subject: str
    """Id of the card, `pool`, or the rank of a workload."""
    title: str
    metric: str
    unit: str
    values: list[float | None]


@dataclass(frozen=True, slots=True)
class _Metric:
    """How one column becomes a line: the name of the metric, its unit, and a factor."""

    name: str
    unit: str
    factor: float = 1.0
    is_summed: bool = True
    """Over several cards: a sum, or else a mean."""


_METRICS: Final[Mapping[str, Mapping[str, _Metric]]] = {
    CARD.name: {
        "utilisation_pct": _Metric("gpu_utilisation", "percent", is_summed=False),
        "memory_mib": _Metric("gpu_memory", "mebibytes"),
        "power_mw": _Metric("power", "watts", 0.001),
        "temperature_c": _Metric("temperature", "celsius", is_summed=False),
    },
    WORK.name: {
        "memory_mib": _Metric("memory", "mebibytes"),
        "disk_mib": _Metric("disk", "mebibytes"),
        "gpu_memory_mib": _Metric("gpu_memory", "mebibytes"),
        "gpu_utilisation_pct": _Metric("gpu_utilisation", "percent", is_summed=False),
        # Milliseconds of processor time a second are thousandths of a processor.
        "cpu_ms": _Metric("cpu", "milli"),
        "rx_bytes": _Metric("received", "bytes_per_second"),
        "tx_bytes": _Metric("sent", "bytes_per_second"),
    },
}


def node_series(actor: Actor, node_id: UUID, axis: TimeAxis) -> list[Series]:
    """Return the lines of every card of a node."""
    cards = node_visible_to(actor, node_id).accelerators.order_by("index")
    return _card_lines({card.pk: f"{card.index}" for card in cards}, axis)


def card_series(actor: Actor, card_id: UUID, axis: TimeAxis) -> list[Series]:
    """Return the lines of one card."""
    card = card_visible_to(actor, card_id)
    return _card_lines({card.pk: f"{card.index}"}, axis)


def pool_series(actor: Actor, pool_id: UUID, axis: TimeAxis) -> list[Series]:
    """Return the mean utilisation of a pool's cards, and the sums of what they use."""
    pool = pool_visible_to(actor, pool_id)
    cards = list(pool.accelerators.order_by("id").values_list("id", flat=True)[:CARDS_MAX])
    return _lines(CARD, _read(CARD, cards, axis), lambda _: "pool", {"pool": pool.name}, axis)


def workload_series(actor: Actor, workload_id: UUID, axis: TimeAxis) -> list[Series]:
    """Return the lines of every rank of a visible workload, over all of its attempts."""
    workload = workload_visible_to(actor, workload_id)
    attempts = Allocation.objects.filter(workload=workload).order_by("-id")
    ranks = dict(attempts.values_list("id", "rank")[:ATTEMPTS_MAX])
    titles = {str(rank): str(rank) for rank in sorted(set(ranks.values()))}
    rows = _read(WORK, list(ranks), axis)
    return _lines(WORK, rows, lambda series: str(ranks[series]), titles, axis)


def _card_lines(cards: Mapping[UUID, str], axis: TimeAxis) -> list[Series]:
    titles = {str(pk): title for pk, title in cards.items()}
    return _lines(CARD, _read(CARD, list(cards), axis), str, titles, axis)


def _read(kind: SeriesKind, series: Collection[UUID], axis: TimeAxis) -> list[Row]:
    """Return the buckets of some series, with one step before, from which rates are computed."""
    if not series:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            select_sql(kind, axis.resolution, axis.step),
            [list(series), axis.begin - axis.step, axis.end],
        )
        return list(cursor.fetchall())


def _lines(
    kind: SeriesKind,
    rows: Sequence[Row],
    subject_of: Callable[[UUID], str],
    titles: Mapping[str, str],
    axis: TimeAxis,
) -> list[Series]:
    """Arrange buckets as lines by subject; a metric without values has a line of nulls."""
    times = axis.times
    position_of = {moment: position for position, moment in enumerate(times)}
    found: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for series, bucket, *values in rows:
        position = position_of.get(to_millis(bucket))
        if position is None:
            continue
        for column, value in zip(kind.columns, values, strict=True):
            if value is not None:
                found[subject_of(series), column, position].append(value)
    return [
        Series(
            subject,
            title,
            metric.name,
            metric.unit,
            [_combine(found.get((subject, column, at)), metric) for at in range(len(times))],
        )
        for subject, title in titles.items()
        for column, metric in _METRICS[kind.name].items()
    ]


def _combine(values: Sequence[float] | None, metric: _Metric) -> float | None:
    if not values:
        return None
    total = sum(values) if metric.is_summed else sum(values) / len(values)
    return round(float(total) * metric.factor, 2)
