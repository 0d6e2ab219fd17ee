"""Writes of samples: recording, rolling up, retention. A lost sample is a gap in a chart."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import IntegrityError, connection, transaction
from psycopg import sql

from portal.common.clock import from_millis, now, to_millis
from portal.common.notifications import CARDS_TOPIC, invalidate_topics
from portal.execution.samples import CardUse, ContainerUse, HostUse, NodeSample
from portal.inventory.models import Accelerator
from portal.telemetry.measures import Row
from portal.telemetry.models import Summed
from portal.telemetry.retention import kept_for_system, rolled_up_until
from portal.telemetry.tables import (
    CARD,
    DAY,
    EPOCH,
    FINER,
    HOUR,
    KINDS,
    MINUTE,
    NODE,
    RAW,
    WINDOW,
    WORK,
    Resolution,
    SeriesKind,
    create_partition_sql,
    insert_sql,
    roll_up_sql,
)
from portal.workloads import measured_use
from portal.workloads.models import Allocation
from scheduler.core.model.states import LIVE_ALLOCATION

SKEW_MAX_MS: Final = 30_000
"""Difference of a node's clock from which on its samples are shifted to the server's time."""
AGE_MAX_MS: Final = 600_000
"""Samples older than this, by the newest beside them, are dropped."""
ROWS_MAX: Final = 20_000
"""Rows of one call; the newest are kept."""
LATE: Final = timedelta(seconds=90)
"""Samples that arrive later than this are shown but not rolled up."""
AHEAD: Final = 2
"""Partitions created ahead of time."""

logger = structlog.get_logger(__name__)


def record_samples(node_id: UUID, samples: Sequence[NodeSample]) -> None:
    """Record the samples of a node: of its host, its own cards and its own containers."""
    dated = _with_moments(samples)
    cards = dict(Accelerator.objects.filter(node=node_id).values_list("uuid", "id"))
    held = list(Allocation.objects.filter(node=node_id, state__in=LIVE_ALLOCATION))
    work = {(item.wire_name, item.epoch): item for item in held}
    card_rows = [
        _card_row(cards[card.uuid], at, card)
        for at, sample in dated
        for card in sample.cards
        if card.uuid in cards
    ]
    work_rows = [
        _work_row(work[item.allocation, item.epoch].pk, at, item)
        for at, sample in dated
        for item in sample.containers
        if (item.allocation, item.epoch) in work
    ]
    host_rows = [_host_row(node_id, at, sample.host) for at, sample in dated if sample.host]
    _insert(NODE, host_rows)
    _insert(CARD, card_rows[-ROWS_MAX:])
    new_work = _insert(WORK, work_rows[-ROWS_MAX:])
    measured_use.add_samples([_use_of(row) for row in new_work])
    invalidate_topics([CARDS_TOPIC])


def roll_up() -> int:
    """Update the tables by minute, hour and day; return how many rows were written."""
    return sum(_roll_up(kind, resolution) for resolution in (MINUTE, HOUR, DAY) for kind in KINDS)


def maintain_partitions() -> int:
    """Create the next partitions and drop those past their retention; return how many dropped."""
    dropped, kept = 0, kept_for_system()
    for kind in KINDS:
        for resolution in kind.resolutions:
            present = resolution.span_number(now())
            for number in range(present, present + AHEAD):
                _execute(create_partition_sql(kind, resolution, number))
            oldest = resolution.span_number(now() - kept[resolution.name])
            for name, number in _partitions(kind, resolution):
                if number < oldest:
                    _execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(name)))
                    dropped += 1
    return dropped


def create_partitions(
    kind: SeriesKind, resolution: Resolution, begin: datetime, end: datetime
) -> None:
    """Create what partitions a table lacks for a time."""
    for number in range(resolution.span_number(begin), resolution.span_number(end) + 1):
        _execute(create_partition_sql(kind, resolution, number))


def _with_moments(samples: Sequence[NodeSample]) -> list[tuple[datetime, NodeSample]]:
    """Return the samples with their moments; where the node's clock is wrong, from their age."""
    if not samples:
        return []
    present, newest = to_millis(now()), max(sample.at for sample in samples)
    shift = 0 if abs(present - newest) <= SKEW_MAX_MS else present - newest
    return [
        (from_millis(sample.at + shift), sample)
        for sample in samples
        if newest - sample.at <= AGE_MAX_MS
    ]


def _card_row(series: UUID, at: datetime, card: CardUse) -> Row:
    gauges = (card.utilisation_pct, card.memory_used_mib, card.power_mw, card.temperature_c)
    return (series, at, at, *gauges, card.energy_mj)


def _work_row(series: UUID, at: datetime, item: ContainerUse) -> Row:
    gauges = (item.memory_mib, item.disk_mib, item.gpu_memory_mib, item.gpu_utilisation_pct)
    return (series, at, at, *gauges, item.cpu_ms, item.rx_bytes, item.tx_bytes)


def _host_row(series: UUID, at: datetime, host: HostUse) -> Row:
    return (series, at, at, *(getattr(host, column) for column in NODE.columns))


def _use_of(row: Row) -> measured_use.UsageSample:
    """Return the GPU columns of a row of work."""
    values = dict(zip(WORK.columns, row[3:], strict=True))
    return row[0], values["gpu_memory_mib"], values["gpu_utilisation_pct"]


def _insert(kind: SeriesKind, rows: list[Row]) -> list[Row]:
    """Insert rows and return those that are new."""
    if not rows:
        return []
    columns = [list(column) for column in zip(*rows, strict=True)]
    try:
        with transaction.atomic():
            return _fetch(insert_sql(kind), columns)
    except IntegrityError:  # no partition takes them: the first samples of a new day
        for number in sorted({RAW.span_number(row[1]) for row in rows}):
            _execute(create_partition_sql(kind, RAW, number))
        return _fetch(insert_sql(kind), columns)


def _roll_up(kind: SeriesKind, resolution: Resolution) -> int:
    """Roll the next complete steps of a table up. Two runs at once write the same rows."""
    name = kind.table_name(resolution)
    finer = FINER[resolution.name]
    # What a pool's cards used is added up from their minutes.
    source = kind if finer in kind.resolutions else CARD
    finer = finer if source is kind else resolution
    complete = now() - LATE if finer is RAW else rolled_up_until(finer, source)
    if complete is None:
        return 0
    end = _floor(complete, resolution)
    begin = rolled_up_until(resolution, kind) or end - WINDOW[resolution.name]
    begin = _floor(max(begin, now() - kept_for_system()[finer.name]), resolution)
    end = min(end, begin + WINDOW[resolution.name])
    if end <= begin:
        return 0
    with transaction.atomic():
        create_partitions(kind, resolution, begin, end)
        written = _execute(roll_up_sql(kind, resolution), [begin, end])
        Summed.objects.update_or_create(pk=name, defaults={"until": end})
    return written


def _floor(moment: datetime, resolution: Resolution) -> datetime:
    return EPOCH + (moment - EPOCH) // resolution.step * resolution.step


def _partitions(kind: SeriesKind, resolution: Resolution) -> Iterable[tuple[str, int]]:
    parent = kind.table_name(resolution)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = %s::regclass",
            [parent],
        )
        names = [name for (name,) in cursor.fetchall()]
    return [(name, int(name.removeprefix(f"{parent}_"))) for name in names]


def _fetch(statement: sql.Composed, parameters: Sequence[Any]) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def _execute(statement: sql.Composed, parameters: Sequence[Any] = ()) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters or None)
        return max(0, int(cursor.rowcount))
