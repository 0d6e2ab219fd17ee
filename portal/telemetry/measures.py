"""Which columns become lines of charts, and the new points of those lines as pages get them. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from operator import itemgetter
from typing import Any, Final

from portal.common.clock import to_millis
from portal.telemetry.tables import CARD, MINUTE, NODE, POOL, WORK, SeriesKind

TAIL_STEP_MAX: Final = MINUTE.step
"""Longest step of which pages compute the newest values themselves; longer ones are asked for."""
TAIL_STEPS: Final = 2
"""Steps before the present one of which pages get the samples, for those that come late."""
TAIL_MIN: Final = timedelta(minutes=1)
"""The least that these steps are together."""

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


@dataclass(frozen=True, slots=True)
class TailColumn:
    """How pages turn one value of samples into a line, as the server does for whole steps."""

    metric: str
    factor: float
    is_counter: bool
    """Its rise a second is shown, since the step before; of others the mean of a step."""
    is_summed: bool


@dataclass(frozen=True, slots=True)
class TailSeries:
    """The samples of one card, attempt or node: moment in milliseconds, then a value for each column."""

    id: str
    subject: str
    points: list[list[int | None]]


@dataclass(frozen=True, slots=True)
class Tail:
    """Samples that pages add new ones to. Of every step that begins after `since` they are complete."""

    since: int
    columns: list[TailColumn]
    series: list[TailSeries]


def tail_columns(*kinds: SeriesKind) -> list[TailColumn]:
    """Return the columns of a tail's points, in their order."""
    return [
        TailColumn(metric.name, metric.factor, column in kind.counters, metric.is_summed)
        for kind in kinds
        for column, metric in METRICS[kind.name].items()
    ]


def tail_series(
    kind: SeriesKind, rows: Iterable[Row], subjects: Mapping[Any, str]
) -> list[TailSeries]:
    """Return rows of series, moment and all columns of a kind by their series, in the order of time.

    Values of a node stand behind the columns of its cards, which come with the same topic.
    """
    places = [kind.columns.index(column) for column in METRICS[kind.name]]
    ahead = [None] * len(_CARD_METRICS) if kind is NODE else []
    points: defaultdict[Any, list[list[int | None]]] = defaultdict(list)
    for series, at, values in sorted(rows, key=itemgetter(0, 1)):
        points[series].append([to_millis(at), *ahead, *(values[place] for place in places)])
    return [TailSeries(f"{key}", subjects[key], found) for key, found in points.items()]


def pushed(series: Sequence[TailSeries], after: int | None) -> dict[str, Any]:
    """Return new points as they are sent to pages."""
    shown = [{"id": one.id, "subject": one.subject, "points": one.points} for one in series]
    return {"after": after, "series": shown}
