"""Series for charts: what cards and workloads used, in steps, for whoever may see it."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.common.actor import Actor
from portal.common.clock import millis, now
from portal.common.errors import InvalidError, NotFoundError
from portal.inventory.models import Accelerator
from portal.inventory.selectors import node_by_id, pool_by_id
from portal.telemetry.tables import CARD, EPOCH, LEVELS, WORK, Kind, Level, select
from portal.workloads.models import Allocation
from portal.workloads.selectors import one_visible_to

POINTS_MAX: Final = 1500
"""Points of one curve."""
POINTS_WANTED: Final = 360
ATTEMPTS_MAX: Final = 500
"""Attempts of one workload whose curves are shown."""
CARDS_MAX: Final = 4096
"""Of a pool whose mean is asked for."""
_SPARE: Final = timedelta(minutes=5)
"""So that an hour asked for a moment ago is not a moment too old."""

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """Which time, in which steps, out of which tables."""

    begin: datetime
    end: datetime
    step: timedelta
    level: Level

    @property
    def times(self) -> list[int]:
        """Return the beginnings of all steps, in milliseconds."""
        step_ms = self.step // timedelta(milliseconds=1)
        return list(range(millis(self.begin), millis(self.end), step_ms))


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
class _Line:
    """How one column becomes a line: its name for people, its unit, and a factor."""

    metric: str
    unit: str
    factor: float = 1.0
    is_summed: bool = True
    """Over several cards: a sum, or else a mean."""


_LINES: Final[Mapping[str, Mapping[str, _Line]]] = {
    CARD.name: {
        "utilisation_pct": _Line("gpu_utilisation", "percent", is_summed=False),
        "memory_mib": _Line("gpu_memory", "mebibytes"),
        "power_mw": _Line("power", "watts", 0.001),
        "temperature_c": _Line("temperature", "celsius", is_summed=False),
    },
    WORK.name: {
        "memory_mib": _Line("memory", "mebibytes"),
        "disk_mib": _Line("disk", "mebibytes"),
        "gpu_memory_mib": _Line("gpu_memory", "mebibytes"),
        "gpu_utilisation_pct": _Line("gpu_utilisation", "percent", is_summed=False),
        # Milliseconds of processor time a second are thousandths of a processor.
        "cpu_ms": _Line("cpu", "milli"),
        "rx_bytes": _Line("received", "bytes_per_second"),
        "tx_bytes": _Line("sent", "bytes_per_second"),
    },
}


def span_of(since: datetime | None, until: datetime | None, step_s: int | None) -> Span:
    """Choose steps and tables for a time; raises `InvalidError` for more than a chart can show."""
    end = min(until or now(), now())
    begin = since or end - timedelta(hours=1)
    if begin >= end:
        raise InvalidError("time_empty")
    wanted = timedelta(seconds=step_s or _step_s((end - begin).total_seconds()))
    if (end - begin) / wanted > POINTS_MAX:
        raise InvalidError("too_many_points", limit=POINTS_MAX)
    level = _level(begin, wanted)
    # Tables that are still there may be coarser than what was asked for.
    step = max(wanted, level.step)
    begin = EPOCH + (begin - EPOCH) // step * step
    return Span(begin, end, step, level)


def of_node(node_id: UUID, span: Span) -> list[Series]:
    """Return the lines of every card of a node."""
    cards = node_by_id(node_id).accelerators.order_by("index")
    return _of_cards({card.pk: f"{card.index}" for card in cards}, span)


def of_card(card_id: UUID, span: Span) -> list[Series]:
    """Return the lines of one card."""
    card = Accelerator.objects.filter(pk=card_id).first()
    if card is None:
        raise NotFoundError("accelerator")
    return _of_cards({card.pk: f"{card.index}"}, span)


def of_pool(pool_id: UUID, span: Span) -> list[Series]:
    """Return the mean utilisation of a pool's cards, and the sums of what they use."""
    pool = pool_by_id(pool_id)
    cards = list(pool.accelerators.order_by("id").values_list("id", flat=True)[:CARDS_MAX])
    return _lines(CARD, _read(CARD, cards, span), lambda _: "pool", {"pool": pool.name}, span)


def of_workload(actor: Actor, workload_id: UUID, span: Span) -> list[Series]:
    """Return the lines of every rank of a visible workload, over all of its attempts."""
    workload = one_visible_to(actor, workload_id)
    attempts = Allocation.objects.filter(workload=workload).order_by("-id")
    ranks = dict(attempts.values_list("id", "rank")[:ATTEMPTS_MAX])
    titles = {str(rank): str(rank) for rank in sorted(set(ranks.values()))}
    rows = _read(WORK, list(ranks), span)
    return _lines(WORK, rows, lambda series: str(ranks[series]), titles, span)


def _of_cards(cards: Mapping[UUID, str], span: Span) -> list[Series]:
    titles = {str(pk): title for pk, title in cards.items()}
    return _lines(CARD, _read(CARD, list(cards), span), str, titles, span)


def _step_s(seconds: float) -> int:
    """Return the round step that gives a chart about as many points as it has room for."""
    # Not shorter than nodes look, or every other step would be empty.
    steps = (15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 86400)
    return next((step for step in steps if seconds / step <= POINTS_WANTED), 86400)


def _level(begin: datetime, step: timedelta) -> Level:
    """Return the coarsest table that is fine enough, or else the finest that goes back so far."""
    far = [level for level in LEVELS if begin >= now() - level.kept - _SPARE] or [LEVELS[-1]]
    fine = [level for level in far if level.step <= step]
    return fine[-1] if fine else far[0]


def _read(kind: Kind, series: Collection[UUID], span: Span) -> list[Row]:
    """Return the buckets of some series, with one step before, which rates are counted from."""
    if not series:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            select(kind, span.level, span.step),
            [list(series), span.begin - span.step, span.end],
        )
        return list(cursor.fetchall())


def _lines(
    kind: Kind,
    rows: Sequence[Row],
    subject_of: Callable[[UUID], str],
    titles: Mapping[str, str],
    span: Span,
) -> list[Series]:
    """Put buckets into lines by subject; a metric that nobody measured has a line of nulls."""
    times = span.times
    place = {moment: position for position, moment in enumerate(times)}
    found: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    for series, bucket, *values in rows:
        position = place.get(millis(bucket))
        if position is None:
            continue
        for column, value in zip(kind.columns, values, strict=True):
            if value is not None:
                found[subject_of(series), column, position].append(value)
    return [
        Series(
            subject,
            title,
            line.metric,
            line.unit,
            [_together(found.get((subject, column, at)), line) for at in range(len(times))],
        )
        for subject, title in titles.items()
        for column, line in _LINES[kind.name].items()
    ]


def _together(values: Sequence[float] | None, line: _Line) -> float | None:
    if not values:
        return None
    total = sum(values) if line.is_summed else sum(values) / len(values)
    return round(float(total) * line.factor, 2)
