"""Series for charts: what cards, hosts and workloads used, in steps, as far as the actor may see it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import orjson
from django.db import connection
from django.db.models import Sum
from psycopg import sql

from portal.common.actor import Actor
from portal.common.clock import now
from portal.inventory.models import Accelerator
from portal.inventory.selectors import (
    card_visible_to,
    node_visible_to,
    pool_visible_to,
    pools_visible_to,
)
from portal.telemetry.measures import LIMITS, METRICS, Metric, Row
from portal.telemetry.retention import rolled_up_until
from portal.telemetry.tables import (
    CARD,
    EPOCH,
    NODE,
    POOL,
    WINDOW,
    WORK,
    Resolution,
    SeriesKind,
    select_sql,
    select_total_sql,
    union_sql,
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
    """Id of the card, the node or the pool, `cluster`, or the rank of a workload."""
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
class _Part:
    """Series of one kind in a chart."""

    kind: SeriesKind
    keys: Mapping[Any, str]
    """The subject that each series is of."""
    subjects: Mapping[str, _Subject]


def node_chart(actor: Actor, node_id: UUID, axis: TimeAxis) -> list[Series]:
    """Return the lines of every card of a node, and those of its host."""
    node = node_visible_to(actor, node_id)
    host = _Part(NODE, {node.pk: f"{node.pk}"}, {f"{node.pk}": _Subject(node.name)})
    return _chart([_cards(node.accelerators.order_by("index")), host], axis)


def card_chart(actor: Actor, card_id: UUID, axis: TimeAxis) -> list[Series]:
    """Return the lines of one card."""
    return _chart([_cards([card_visible_to(actor, card_id)])], axis)


def pool_chart(actor: Actor, pool_id: UUID, axis: TimeAxis) -> list[Series]:
    """Return the means and sums of a pool's cards, by the minute at the finest."""
    pool = pool_visible_to(actor, pool_id)
    return _total_lines([pool.pk], f"{pool.pk}", pool.name, axis)


def cluster_chart(actor: Actor, axis: TimeAxis) -> list[Series]:
    """Return the means and sums of the cards of all pools that the actor may see."""
    pools = pools_visible_to(actor).order_by("id").values_list("id", flat=True)
    return _total_lines(list(pools[:POOLS_MAX]), CLUSTER, CLUSTER, axis)


def workload_chart(
    actor: Actor, workload_id: UUID, axis: TimeAxis, first_rank: int = 0
) -> list[Series]:
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
    return _chart([_Part(WORK, ranks, subjects)], axis)


def _limits_of(attempt: Allocation) -> dict[str, float]:
    limits = {
        "cpu": attempt.cpu_milli,
        "memory": attempt.memory_mib,
        "gpu_memory": attempt.total_gpu_memory_mib,
    }
    return {name: float(limit) for name, limit in limits.items() if limit > 0}


def _cards(cards: Iterable[Accelerator]) -> _Part:
    subjects = {
        f"{card.pk}": _Subject(f"{card.index}", {"gpu_memory": float(card.memory_mib)})
        for card in cards
    }
    return _Part(CARD, {UUID(subject): subject for subject in subjects}, subjects)


def _total_lines(pools: Sequence[UUID], subject: str, title: str, axis: TimeAxis) -> list[Series]:
    cards = Accelerator.objects.filter(pool__in=pools).exclude(node__state=NodeState.RETIRED)
    memory_mib = cards.aggregate(total=Sum("memory_mib"))["total"]
    limits = {"gpu_memory": float(memory_mib)} if memory_mib else {}
    statement = select_total_sql(axis.resolution, axis.step, _columns(POOL))
    total = _Part(POOL, {None: subject}, {subject: _Subject(title, limits)})
    return _lines(total, _fetch(statement, [POOL], pools, axis), axis)


def _chart(parts: Sequence[_Part], axis: TimeAxis) -> list[Series]:
    """Return all lines of some kinds, which are read together."""
    statement = union_sql(
        select_sql(part.kind, axis.resolution, axis.step, _columns(part.kind)) for part in parts
    )
    keys = [key for part in parts for key in part.keys]
    rows = _fetch(statement, [part.kind for part in parts], keys, axis)
    return [line for part in parts for line in _lines(part, rows, axis)]


def _columns(kind: SeriesKind) -> tuple[str, ...]:
    """Return the columns that have a line, then those that are limits of lines."""
    return (*METRICS[kind.name], *LIMITS.get(kind.name, ()))


def _fetch(
    statement: sql.Composed, kinds: Sequence[SeriesKind], series: Collection[UUID], axis: TimeAxis
) -> list[Row]:
    """Run a query of buckets, with one step before the axis, from which rates are computed."""
    if not series:
        return []
    parameters: dict[str, Any] = {
        "series": list(series),
        "begin": axis.begin - axis.step,
        "end": axis.end,
        "rolled_up": _rolled_up(kinds, axis.resolution),
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def _rolled_up(kinds: Sequence[SeriesKind], resolution: Resolution) -> datetime:
    """Return from when on the finer table is read: never for longer than one run of rolling up."""
    window = WINDOW.get(resolution.name)
    if window is None:
        return now()
    return max(rolled_up_until(resolution, *kinds) or EPOCH, now() - window)


def _lines(part: _Part, rows: Iterable[Row], axis: TimeAxis) -> list[Series]:
    """Arrange rows of `select_sql` as lines; what has no value has a line of nulls."""
    times = [at // 1000 for at in axis.times]
    found: dict[str, list[list[list[Any]]]] = {subject: [] for subject in part.subjects}
    for series, values in rows:
        if series in part.keys:
            begins, *columns = orjson.loads(values)
            by_time = [dict(zip(begins, column, strict=True)) for column in columns]
            found[part.keys[series]].append([list(map(line.get, times)) for line in by_time])
    metrics = METRICS[part.kind.name].values()
    return [
        Series(
            subject,
            about.title,
            metric.name,
            metric.unit,
            limits.get(metric.name),
            _scaled(_joined([each[place] for each in found[subject]], metric, len(times)), metric),
        )
        for subject, about in part.subjects.items()
        for limits in [{**about.limits, **_measured_limits(part.kind, found[subject])}]
        for place, metric in enumerate(metrics)
    ]


def _measured_limits(kind: SeriesKind, found: Iterable[list[list[Any]]]) -> dict[str, float]:
    """Return the newest limits that were measured beside the lines."""
    limits: dict[str, float] = {}
    about = LIMITS.get(kind.name, {}).values()
    for columns in found:
        measured = columns[len(METRICS[kind.name]) :]
        for (name, factor), values in zip(about, measured, strict=True):
            newest = next((value for value in reversed(values) if value is not None), None)
            if newest:
                limits[name] = float(newest * factor)
    return limits


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


def _scaled(values: list[Any], metric: Metric) -> list[float | None]:
    factor = metric.factor
    if factor == 1 and float not in set(map(type, values)):
        return values  # most are whole numbers: to look at each would take longer than all else
    return [None if value is None else round(value * factor, 2) for value in values]
