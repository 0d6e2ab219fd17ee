"""Samples kept, summed up and forgotten. Losing some is a gap in a chart, never a wrong number."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import IntegrityError, connection, transaction
from psycopg import sql

from portal.common.clock import from_millis, millis, now
from portal.inventory.models import Accelerator
from portal.telemetry.models import Summed
from portal.telemetry.tables import (
    CARD,
    EPOCH,
    FINER,
    HOUR,
    KINDS,
    LEVELS,
    MINUTE,
    RAW,
    WORK,
    Kind,
    Level,
    create_partition,
    insert,
    roll_up,
)
from portal.workloads import measured
from portal.workloads.bell import ring
from portal.workloads.models import Allocation
from portal.workloads.placement import LIVE
from wire.samples import CardSample, ContainerSample, Sample, Telemetry

SKEW_MAX_MS: Final = 30_000
"""A node's clock may be so far off before its samples are put where they belong by ours."""
AGE_MAX_MS: Final = 600_000
"""Samples older than this, by the newest of their message, are dropped."""
ROWS_MAX: Final = 20_000
"""Of one message: the newest that fit are kept."""
LATE: Final = timedelta(seconds=90)
"""What comes later than this is shown, but not summed up any more."""
WINDOW: Final = {MINUTE.name: timedelta(hours=1), HOUR.name: timedelta(days=2)}
"""The most that one turn of summing up reads, so that it is short after a long pause, too."""
AHEAD: Final = 2
"""Partitions that are there before they are needed."""

logger = structlog.get_logger(__name__)

Row = tuple[Any, ...]


def record(node_id: UUID, told: Telemetry) -> None:
    """Keep what a node tells of its own cards and of containers that it runs; nothing else."""
    samples = _placed_in_time(told.samples)
    cards = dict(Accelerator.objects.filter(node=node_id).values_list("uuid", "id"))
    held = Allocation.objects.filter(node=node_id, state__in=LIVE)
    work = {(item.wire_name, item.epoch): item for item in held}
    card_rows = [
        _card_row(cards[card.uuid], at, card)
        for at, sample in samples
        for card in sample.cards
        if card.uuid in cards
    ]
    work_rows = [
        _work_row(work[item.allocation, item.epoch].pk, at, item)
        for at, sample in samples
        for item in sample.containers
        if (item.allocation, item.epoch) in work
    ]
    _keep(CARD, card_rows[-ROWS_MAX:])
    measured.add([_use_of(row) for row in _keep(WORK, work_rows[-ROWS_MAX:])])
    seen = {row[0] for row in work_rows}
    workloads = {item.workload_id for item in work.values() if item.pk in seen}
    topics = [f"telemetry:workload:{pk}" for pk in sorted(workloads)]
    ring([f"telemetry:node:{node_id}", *topics])


def sum_up() -> int:
    """Bring the tables by minute and by hour up to date; return how many rows were written."""
    return sum(_sum_up(kind, level) for level in (MINUTE, HOUR) for kind in KINDS)


def keep_partitions() -> int:
    """Make room for the days to come and drop what is too old; return how many were dropped."""
    dropped = 0
    for kind in KINDS:
        for level in LEVELS:
            present = level.span_number(now())
            for number in range(present, present + AHEAD):
                _execute(create_partition(kind, level, number))
            oldest = level.span_number(now() - level.kept)
            for name, number in _partitions(kind, level):
                if number < oldest:
                    _execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(name)))
                    dropped += 1
    return dropped


def _placed_in_time(samples: Sequence[Sample]) -> list[tuple[datetime, Sample]]:
    """Return the samples with their moments; by age where the node's clock cannot be right."""
    if not samples:
        return []
    present, newest = millis(now()), max(sample.at for sample in samples)
    shift = 0 if abs(present - newest) <= SKEW_MAX_MS else present - newest
    return [
        (from_millis(sample.at + shift), sample)
        for sample in samples
        if newest - sample.at <= AGE_MAX_MS
    ]


def _card_row(series: UUID, at: datetime, card: CardSample) -> Row:
    gauges = (card.utilisation_pct, card.memory_used_mib, card.power_mw, card.temperature_c)
    return (series, at, at, *gauges, card.energy_mj)


def _work_row(series: UUID, at: datetime, item: ContainerSample) -> Row:
    gauges = (item.memory_mib, item.disk_mib, item.gpu_memory_mib, item.gpu_utilisation_pct)
    return (series, at, at, *gauges, item.cpu_ms, item.rx_bytes, item.tx_bytes)


def _use_of(row: Row) -> measured.Told:
    """Return what a row of work says about cards."""
    told = dict(zip(WORK.columns, row[3:], strict=True))
    return row[0], told["gpu_memory_mib"], told["gpu_utilisation_pct"]


def _keep(kind: Kind, rows: list[Row]) -> list[Row]:
    """Add rows, and return those that were not there yet."""
    if not rows:
        return []
    columns = [list(column) for column in zip(*rows, strict=True)]
    try:
        with transaction.atomic():
            return _fetch(insert(kind), columns)
    except IntegrityError:  # no partition takes them: the first samples of a new day
        for number in sorted({RAW.span_number(row[1]) for row in rows}):
            _execute(create_partition(kind, RAW, number))
        return _fetch(insert(kind), columns)


def _sum_up(kind: Kind, level: Level) -> int:
    """Sum the next closed steps of a table up. Two at once write the same rows."""
    name = kind.table_name(level)
    finer = FINER[level.name]
    complete = now() - LATE if finer is RAW else _summed(kind.table_name(finer))
    if complete is None:
        return 0
    end = _floor(complete, level)
    begin = _summed(name) or end - WINDOW[level.name]
    begin = _floor(max(begin, now() - finer.kept), level)
    end = min(end, begin + WINDOW[level.name])
    if end <= begin:
        return 0
    with transaction.atomic():
        for number in range(level.span_number(begin), level.span_number(end) + 1):
            _execute(create_partition(kind, level, number))
        written = _execute(roll_up(kind, level), [begin, end])
        Summed.objects.update_or_create(pk=name, defaults={"until": end})
    return written


def _summed(table: str) -> datetime | None:
    """Return up to when a table is complete; None before its first turn."""
    return Summed.objects.filter(pk=table).values_list("until", flat=True).first()


def _floor(moment: datetime, level: Level) -> datetime:
    return EPOCH + (moment - EPOCH) // level.step * level.step


def _partitions(kind: Kind, level: Level) -> Iterable[tuple[str, int]]:
    parent = kind.table_name(level)
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
