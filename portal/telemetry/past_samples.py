"""Samples of a simulated past: written from what was held when, without any node.

Values follow from the attempts and from a noise that is the same for the same series and moment, so
that all resolutions agree. Counters rise evenly for the same reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction
from psycopg import sql

from portal.telemetry.models import Summed
from portal.telemetry.services import create_partitions
from portal.telemetry.tables import (
    CARD,
    DAY,
    EPOCH,
    HOUR,
    KINDS,
    MINUTE,
    NODE,
    POOL,
    RAW,
    WORK,
    Resolution,
    SeriesKind,
    roll_up_sql,
)

_MINUTES_OF: Final = timedelta(days=7)
"""So much of the past has samples by the minute."""
_RAW_OF: Final = timedelta(hours=1)
_RAW_STEP: Final = timedelta(seconds=10)
_TAKES_LONG: Final = "SET LOCAL statement_timeout = '120s'"


@dataclass(frozen=True, slots=True)
class PastUse:
    """What one attempt of a rank has used."""

    allocation: UUID
    since: datetime
    until: datetime
    pct: int
    """Mean use of its GPUs."""
    swing_pct: int
    """From the least use of an hour to the most."""
    gpu_mib: int
    """Of each of its cards."""
    cards: int
    memory_mib: int
    cpu_milli: int


@dataclass(frozen=True, slots=True)
class _Span:
    """One table, and the part of the past that it gets."""

    resolution: Resolution
    step: timedelta
    begin: datetime
    end: datetime


_TYPES: Final = ("uuid", "timestamptz", "timestamptz", *("bigint" for _ in range(6)))
_USED: Final = sql.SQL(
    "used AS MATERIALIZED (SELECT * FROM unnest({arrays}) AS given ({columns}))"
).format(
    arrays=sql.SQL(", ").join(
        sql.SQL("%({})s::{}[]").format(sql.SQL(each.name), sql.SQL(kind))
        for each, kind in zip(fields(PastUse), _TYPES, strict=True)
    ),
    columns=sql.SQL(", ").join(sql.Identifier(each.name) for each in fields(PastUse)),
)
# Between 0 and 1, by series and moment.
_NOISE: Final = sql.SQL(
    "CROSS JOIN LATERAL (SELECT (hashint8extended(date_part('epoch', step.at)::bigint,"
    " uuid_hash({series})) & 1023) / 1023.0::float8 AS n) noise"
)
_PCT: Final = sql.SQL("least(greatest(used.pct + used.swing_pct * (n - 0.5), 0), 100)")
_STEPS_OF_USE: Final = sql.SQL(
    "CROSS JOIN LATERAL generate_series(date_bin(%(step)s, greatest(used.since, %(begin)s), %(epoch)s),"
    " least(used.until, %(end)s), %(step)s) AS step (at)"
)
_WORK: Final = sql.SQL(
    "WITH {used} INSERT INTO {table} (series, at, last_at, memory_mib, disk_mib, gpu_memory_mib,"
    " gpu_utilisation_pct, cpu_ms, rx_bytes, tx_bytes)"
    " SELECT used.allocation, step.at, seen.at, used.memory_mib * (0.85 + 0.1 * n), 900,"
    " CASE WHEN used.cards > 0 THEN used.gpu_mib * used.cards * (0.96 + 0.04 * n) END,"
    " CASE WHEN used.cards > 0 THEN {pct} END, used.cpu_milli * 0.7 * seen.s, seen.s * 350000,"
    " seen.s * 41000"
    " FROM used {steps} {noise} CROSS JOIN LATERAL (SELECT least(step.at + %(step)s, used.until) AS at,"
    " greatest(date_part('epoch', least(step.at + %(step)s, used.until) - used.since), 0) AS s) seen"
    " WHERE step.at < %(end)s AND step.at < used.until ON CONFLICT DO NOTHING"
)
# Millwatts and degrees as of the driver of simulated cards: 60 to 400 W, 33 to 78 °C.
_CARDS: Final = sql.SQL(
    "WITH {used}, held AS (SELECT accelerator_id AS series, allocation_id, sum(counted_milli) AS milli"
    " FROM workloads_allocationdevice WHERE allocation_id = ANY(%(allocation)s) GROUP BY 1, 2),"
    " load AS (SELECT held.series, step.at, sum(part * held.milli / 1000 * {pct}) AS pct,"
    " sum(part * used.gpu_mib * (0.96 + 0.04 * n)) AS mib"
    " FROM held JOIN used ON used.allocation = held.allocation_id {steps} {noise}"
    " CROSS JOIN LATERAL (SELECT greatest(date_part('epoch', least(used.until, step.at + %(step)s)"
    " - greatest(used.since, step.at)), 0) / date_part('epoch', %(step)s::interval) AS part) share"
    " GROUP BY 1, 2)"
    " INSERT INTO {table} (series, at, last_at, utilisation_pct, memory_mib, power_mw, temperature_c)"
    " SELECT card.id, step.at, step.at + %(step)s - interval '1 second', least(value.pct, 100),"
    " least(coalesce(load.mib, 0) + 420, card.memory_mib), 60000 + 3400 * value.pct,"
    " 33 + value.pct * 0.45 + card.index / 4"
    " FROM inventory_accelerator card"
    " CROSS JOIN generate_series(%(begin)s, %(end)s - %(step)s, %(step)s::interval) AS step (at)"
    " LEFT JOIN load ON load.series = card.id AND load.at = step.at"
    " CROSS JOIN LATERAL (SELECT coalesce(load.pct, 0) AS pct) value"
    " WHERE card.id IN (SELECT series FROM held)"
    " ON CONFLICT DO NOTHING"
)
_POOLS: Final = sql.SQL(
    "INSERT INTO {table} (series, at, last_at, cards, utilisation_pct, memory_mib, power_mw, temperature_c)"
    " SELECT card.pool_id, sample.at, max(sample.last_at), count(*), round(avg(sample.utilisation_pct)),"
    " sum(sample.memory_mib), sum(sample.power_mw), round(avg(sample.temperature_c))"
    " FROM {cards} sample JOIN inventory_accelerator card ON card.id = sample.series"
    " WHERE sample.at >= %(begin)s AND sample.at < %(end)s GROUP BY 1, 2 ON CONFLICT DO NOTHING"
)
# The processors of a host are used by day and by night: a counter with a wave, the same at every
# resolution. It begins higher than a host that has just been started, and is a reset when the real one
# follows. What the host has is what it has reported; where it has not yet, what it offers to work.
_NODES: Final = sql.SQL(
    "INSERT INTO {table} (series, at, last_at, cpus, memory_used_mib, memory_mib, disk_used_mib, disk_mib,"
    " cpu_ms, read_bytes, written_bytes, rx_bytes, tx_bytes)"
    " SELECT node.id, step.at, step.at + %(step)s, host.cpus,"
    " host.memory_mib * (0.34 + 0.06 * n + 0.08 * sin(wave.s)), host.memory_mib,"
    " host.disk_used_mib, host.disk_mib,"
    " 1e13 + 1000 * host.cpus * (0.36 * wave.t - 0.12 * 86400 / (2 * pi()) * cos(wave.s)),"
    " 1e15 + 2.1e8 * wave.t, 1e15 + 4.6e7 * wave.t, 1e15 + 8.2e7 * wave.t, 1e15 + 3.1e7 * wave.t"
    " FROM inventory_node node"
    " LEFT JOIN LATERAL (SELECT * FROM {raw} WHERE series = node.id ORDER BY at DESC LIMIT 1) known ON true"
    " CROSS JOIN LATERAL (SELECT coalesce(known.cpus, node.cpu_milli / 1000) AS cpus,"
    " coalesce(known.memory_mib, node.memory_mib) AS memory_mib,"
    " coalesce(known.disk_used_mib, node.disk_mib - node.disk_free_mib) AS disk_used_mib,"
    " coalesce(known.disk_mib, node.disk_mib) AS disk_mib) host"
    " CROSS JOIN generate_series(%(begin)s, %(end)s - %(step)s, %(step)s::interval) AS step (at) {noise}"
    " CROSS JOIN LATERAL (SELECT date_part('epoch', step.at + %(step)s - %(begin_of_all)s) AS t,"
    " date_part('epoch', step.at + %(step)s) * 2 * pi() / 86400 AS s) wave"
    " WHERE node.id IN (SELECT node_id FROM workloads_allocation WHERE id = ANY(%(allocation)s))"
    " ON CONFLICT DO NOTHING"
)
_STATEMENTS: Final = (
    (CARD, _CARDS, sql.SQL("used.allocation")),
    (WORK, _WORK, sql.SQL("used.allocation")),
    (NODE, _NODES, sql.SQL("node.id")),
    (POOL, _POOLS, sql.SQL("")),
)


def write_past_samples(uses: Sequence[PastUse], begin: datetime, end: datetime) -> None:
    """Write the samples of these attempts for a time, and of their cards, nodes and pools.

    By the hour and the day of all of it, by the minute of its last week, and finer of the last hour. What
    was really sampled meanwhile stays.
    """
    columns = {each.name: [getattr(use, each.name) for use in uses] for each in fields(PastUse)}
    spans = _spans(begin, end)
    for span in spans:
        for kind in KINDS:
            if span.resolution in kind.resolutions:
                create_partitions(kind, span.resolution, span.begin, span.end)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_TAKES_LONG)
        for span in spans:
            for kind, statement, series in _STATEMENTS:
                if span.resolution in kind.resolutions:
                    given = {**columns, **_of(span), "begin_of_all": begin}
                    cursor.execute(_fill(kind, span.resolution, statement, series), given)
        _sum_up_days(begin, end)
        _note_summed(end)


def delete_past_samples(until: datetime, attempts: Sequence[UUID]) -> None:
    """Delete all samples from before a moment, and those of these attempts.

    What was never rolled up since then is rolled up again from the beginning.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_TAKES_LONG)
        for kind in KINDS:
            for resolution in kind.resolutions:
                which = sql.SQL("at < %(until)s")
                if kind is WORK:
                    which = sql.SQL("at < %(until)s OR series = ANY(%(attempts)s)")
                delete = sql.SQL("DELETE FROM {table} WHERE {which}")
                cursor.execute(
                    delete.format(table=kind.table(resolution), which=which),
                    {"until": until, "attempts": list(attempts)},
                )
        Summed.objects.filter(until__lte=until).delete()


def _spans(begin: datetime, end: datetime) -> list[_Span]:
    found = [
        _Span(HOUR, HOUR.step, begin, end),
        _Span(MINUTE, MINUTE.step, max(begin, end - _MINUTES_OF), end),
        _Span(RAW, _RAW_STEP, max(begin, end - _RAW_OF), end),
    ]
    return [
        _Span(
            span.resolution, span.step, _floor(span.begin, span.step), _floor(span.end, span.step)
        )
        for span in found
    ]


def _of(span: _Span) -> dict[str, Any]:
    return {"step": span.step, "begin": span.begin, "end": span.end, "epoch": EPOCH}


def _fill(
    kind: SeriesKind, resolution: Resolution, statement: sql.SQL, series: sql.SQL
) -> sql.Composed:
    noise = _NOISE.format(series=series)
    return statement.format(
        used=_USED,
        table=kind.table(resolution),
        cards=CARD.table(resolution),
        raw=NODE.table(RAW),
        pct=_PCT,
        steps=_STEPS_OF_USE,
        noise=noise,
    )


def _sum_up_days(begin: datetime, end: datetime) -> None:
    """Roll the hours up to days, as far as they are whole."""
    first, last = _floor(begin, DAY.step), _floor(end, DAY.step)
    for kind in KINDS:
        create_partitions(kind, DAY, first, last)
        with connection.cursor() as cursor:
            cursor.execute(roll_up_sql(kind, DAY), [first, last])


def _note_summed(end: datetime) -> None:
    """Write down how far all tables are complete, unless they are further."""
    for kind in KINDS:
        for resolution in (MINUTE, HOUR, DAY):
            name, until = kind.table_name(resolution), _floor(end, resolution.step)
            row, is_new = Summed.objects.get_or_create(pk=name, defaults={"until": until})
            if not is_new and row.until < until:
                Summed.objects.filter(pk=name).update(until=until)


def _floor(moment: datetime, step: timedelta) -> datetime:
    return EPOCH + (moment - EPOCH) // step * step
