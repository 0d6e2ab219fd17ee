"""Series for charts: what cards and workloads used, in steps, as far as the actor may see it."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Sum
from psycopg import sql

from portal.common.actor import Actor
from portal.common.clock import now, to_millis
from portal.inventory.models import Accelerator
from portal.inventory.selectors import (
    card_visible_to,
    node_visible_to,
    pool_visible_to,
    pools_visible_to,
)
from portal.telemetry.measures import (
    METRICS,
    TAIL_MIN,
    TAIL_STEP_MAX,
    TAIL_STEPS,
    Metric,
    Row,
    Tail,
    tail_columns,
    tail_series,
)
from portal.telemetry.retention import rolled_up_until
from portal.telemetry.tables import (
    CARD,
    EPOCH,
    POOL,
    WINDOW,
    WORK,
    Resolution,
    SeriesKind,
    select_samples_sql,
    select_sql,
    select_total_sql,
)
from portal.telemetry.time_axis import TimeAxis
from portal.workloads.models import Allocation
from portal.workloads.selectors import workload_visible_to
from scheduler.core.model.states import NodeState

ATTEMPTS_MAX: Final = 500
"""Attempts of one workload whose curves are shown."""
RANKS_MAX: Final = 8
"""Ranks of a workload in one answer: more lines than these nobody can tell apart, and each costs as much."""
POOLS_MAX: Final = 1000
"""Pools that are added up as the cluster."""
CLUSTER: Final = "cluster"
"""Subject and title of the cluster's lines."""


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart; a value for each time, null where nothing was measured."""

    subject: str
    """Id of the card or of the pool, `cluster`, or the rank of a workload."""
    title: str
    metric: str
    unit: str
    limit: float | None
    """What it cannot exceed, such as the memory of the card; None where that is not known."""
    values: list[float | None]


@dataclass(frozen=True, slots=True)
class _Subject:
    """What lines are about: its title, and the limits of its metrics by name."""

    title: str
    limits: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines, and what pages continue them with; None where they have to ask again."""

    series: list[Series]
    tail: Tail | None = None


def node_chart(actor: Actor, node_id: UUID, axis: TimeAxis) -> Chart:
    """Return the lines of every card of a node."""
    return _card_lines(node_visible_to(actor, node_id).accelerators.order_by("index"), axis)


def card_chart(actor: Actor, card_id: UUID, axis: TimeAxis) -> Chart:
    """Return the lines of one card."""
    return _card_lines([card_visible_to(actor, card_id)], axis)


def pool_chart(actor: Actor, pool_id: UUID, axis: TimeAxis) -> Chart:
    """Return the means and sums of a pool's cards, by the minute at the finest."""
    pool = pool_visible_to(actor, pool_id)
    return _total_lines([pool.pk], f"{pool.pk}", pool.name, axis)


def cluster_chart(actor: Actor, axis: TimeAxis) -> Chart:
    """Return the means and sums of the cards of all pools that the actor may see."""
    pools = pools_visible_to(actor).order_by("id").values_list("id", flat=True)
    return _total_lines(list(pools[:POOLS_MAX]), CLUSTER, CLUSTER, axis)


def workload_chart(actor: Actor, workload_id: UUID, axis: TimeAxis, first_rank: int = 0) -> Chart:
    """Return the lines of `RANKS_MAX` ranks of a visible workload, over all of their attempts."""
    workload = workload_visible_to(actor, workload_id)
    shown = Allocation.objects.filter(
        workload=workload, rank__gte=first_rank, rank__lt=first_rank + RANKS_MAX
    )
    attempts = list(shown.order_by("-id")[:ATTEMPTS_MAX])
    # Of several attempts of a rank the newest comes first: its limits hold.
    subjects = {
        f"{item.rank}": _Subject(f"{item.rank}", _limits_of(item))
        for item in sorted(attempts, key=lambda item: (item.rank, item.epoch))
    }
    ranks = {item.pk: f"{item.rank}" for item in attempts}
    found = _read(WORK, list(ranks), axis)
    return Chart(_lines(WORK, found, ranks, subjects, axis), _tail(WORK, ranks, axis))


def _limits_of(attempt: Allocation) -> dict[str, float]:
    limits = {
        "cpu": attempt.cpu_milli,
        "memory": attempt.memory_mib,
        "gpu_memory": attempt.total_gpu_memory_mib,
    }
    return {name: float(limit) for name, limit in limits.items() if limit > 0}


def _card_lines(cards: Iterable[Accelerator], axis: TimeAxis) -> Chart:
    subjects = {
        f"{card.pk}": _Subject(f"{card.index}", {"gpu_memory": float(card.memory_mib)})
        for card in cards
    }
    keys = {UUID(subject): subject for subject in subjects}
    found = _read(CARD, list(keys), axis)
    return Chart(_lines(CARD, found, keys, subjects, axis), _tail(CARD, keys, axis))


def _total_lines(pools: Sequence[UUID], subject: str, title: str, axis: TimeAxis) -> Chart:
    cards = Accelerator.objects.filter(pool__in=pools).exclude(node__state=NodeState.RETIRED)
    memory_mib = cards.aggregate(total=Sum("memory_mib"))["total"]
    limits = {"gpu_memory": float(memory_mib)} if memory_mib else {}
    statement = select_total_sql(axis.resolution, axis.step, _columns(POOL))
    found = _fetch(statement, POOL, pools, axis)
    return Chart(_lines(POOL, found, {None: subject}, {subject: _Subject(title, limits)}, axis))


def _read(kind: SeriesKind, series: Collection[UUID], axis: TimeAxis) -> list[Row]:
    """Return the buckets of some series."""
    statement = select_sql(kind, axis.resolution, axis.step, _columns(kind))
    return _fetch(statement, kind, series, axis)


def _columns(kind: SeriesKind) -> tuple[str, ...]:
    """Return the columns that have a line."""
    return tuple(METRICS[kind.name])


def _tail(kind: SeriesKind, subjects: Mapping[UUID, str], axis: TimeAxis) -> Tail | None:
    """Return the samples of the newest steps; None where pages ask for these steps again.

    They are read after the steps: what comes in between is here, and pages count it as new.
    """
    if not axis.is_open or axis.step > TAIL_STEP_MAX:
        return None
    since = axis.floor(axis.end - max(TAIL_STEPS * axis.step, TAIL_MIN))
    since = max(since, axis.begin - axis.step)
    rows: list[Row] = []
    if subjects:
        with connection.cursor() as cursor:
            cursor.execute(select_samples_sql(kind), [list(subjects), since])
            rows = cursor.fetchall()
    return Tail(to_millis(since), tail_columns(kind), tail_series(kind, rows, subjects))


def _fetch(
    statement: sql.Composed, kind: SeriesKind, series: Collection[UUID], axis: TimeAxis
) -> list[Row]:
    """Run a query of buckets, with one step before the axis, from which rates are computed."""
    if not series:
        return []
    parameters: dict[str, Any] = {
        "series": list(series),
        "begin": axis.begin - axis.step,
        "end": axis.end,
        "rolled_up": _rolled_up(kind, axis.resolution),
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def _rolled_up(kind: SeriesKind, resolution: Resolution) -> datetime:
    """Return from when on the finer table is read: never for longer than one run of rolling up."""
    window = WINDOW.get(resolution.name)
    if window is None:
        return now()
    return max(rolled_up_until(kind, resolution) or EPOCH, now() - window)


def _lines(
    kind: SeriesKind,
    rows: Iterable[Row],
    subject_of: Mapping[Any, str],
    subjects: Mapping[str, _Subject],
    axis: TimeAxis,
) -> list[Series]:
    """Arrange rows of `select_sql` as lines; what has no value has a line of nulls."""
    times = [at // 1000 for at in axis.times]
    found: dict[str, list[list[list[Any]]]] = {subject: [] for subject in subjects}
    for series, begins, *columns in rows:
        places = json.loads(begins)
        by_time = [dict(zip(places, json.loads(values), strict=True)) for values in columns]
        found[subject_of[series]].append([list(map(line.get, times)) for line in by_time])
    return [
        Series(
            subject,
            about.title,
            metric.name,
            metric.unit,
            about.limits.get(metric.name),
            _scaled(_joined([each[place] for each in found[subject]], metric, len(times)), metric),
        )
        for subject, about in subjects.items()
        for place, metric in enumerate(METRICS[kind.name].values())
    ]


def _joined(attempts: Sequence[list[Any]], metric: Metric, length: int) -> list[Any]:
    """Return one line of the lines of all attempts of a rank, several of which may be in one step."""
    if len(attempts) <= 1:
        return attempts[0] if attempts else [None] * length
    joined: list[Any] = []
    for given in zip(*attempts, strict=True):
        values = [value for value in given if value is not None]
        total = sum(values) if values else None
        joined.append(total if total is None or metric.is_summed else total / len(values))
    return joined


def _scaled(values: Iterable[Any], metric: Metric) -> list[float | None]:
    factor, is_plain = metric.factor, metric.factor == 1
    # Most values are whole numbers, which are not rounded: that would take longer than all else.
    return [
        None
        if value is None
        else float(value)
        if is_plain and type(value) is int
        else round(value * factor, 2)
        for value in values
    ]
