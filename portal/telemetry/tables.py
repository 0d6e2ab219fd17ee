"""Tables of samples: cards, work and nodes raw, by the minute, the hour and the day, pools by the last three.

Every table is partitioned by time, so that retention drops whole partitions. A gauge is a value at
a moment and is averaged when rolled up; a counter only rises, and its last value is kept, so that
rates are the same at every resolution.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from psycopg import sql

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Resolution:
    """Step and partition size of one table; how long it is kept is a site setting."""

    name: str
    step: timedelta
    span: timedelta
    """Time range of one partition."""

    def span_number(self, moment: datetime) -> int:
        """Return the number of the partition that holds a moment."""
        return (moment - EPOCH) // self.span


@dataclass(frozen=True, slots=True)
class SeriesKind:
    """The columns of one kind of series."""

    name: str
    gauges: tuple[str, ...]
    counters: tuple[str, ...]
    resolutions: tuple[Resolution, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all values."""
        return (*self.gauges, *self.counters)

    def table(self, resolution: Resolution) -> sql.Identifier:
        """Return the table of a resolution."""
        return sql.Identifier(self.table_name(resolution))

    def table_name(self, resolution: Resolution) -> str:
        """Return the name of a resolution's table."""
        return f"telemetry_{self.name}_{resolution.name}"


_DAY: Final = timedelta(days=1)
RAW: Final = Resolution("raw", timedelta(seconds=1), span=_DAY)
MINUTE: Final = Resolution("minute", timedelta(minutes=1), span=7 * _DAY)
HOUR: Final = Resolution("hour", timedelta(hours=1), span=91 * _DAY)
DAY: Final = Resolution("day", _DAY, span=HOUR.span)
"""UTC days. Hours are kept as long: days make charts of years cheap, and nothing else reads them."""
RESOLUTIONS: Final = (RAW, MINUTE, HOUR, DAY)
FINER: Final = {MINUTE.name: RAW, HOUR.name: MINUTE, DAY.name: HOUR}
WINDOW: Final = {MINUTE.name: timedelta(hours=1), HOUR.name: 2 * _DAY, DAY.name: 30 * _DAY}
"""The most that one run of rolling up reads, so that it stays short after a long pause."""

CARD: Final = SeriesKind(
    "card",
    gauges=("utilisation_pct", "memory_mib", "power_mw", "temperature_c"),
    counters=("energy_mj",),
    resolutions=RESOLUTIONS,
)
"""Series are accelerators."""
WORK: Final = SeriesKind(
    "work",
    gauges=("memory_mib", "disk_mib", "gpu_memory_mib", "gpu_utilisation_pct"),
    counters=("cpu_ms", "rx_bytes", "tx_bytes"),
    resolutions=RESOLUTIONS,
)
"""Series are allocations: attempts of one rank."""
NODE: Final = SeriesKind(
    "node",
    gauges=("cpus", "memory_used_mib", "memory_mib", "disk_used_mib", "disk_mib"),
    counters=("cpu_ms", "read_bytes", "written_bytes", "rx_bytes", "tx_bytes"),
    resolutions=RESOLUTIONS,
)
"""Series are nodes: what their whole hosts use, and have of it. Columns are called as in `HostSample`."""
POOL: Final = SeriesKind(
    "pool",
    gauges=("cards", "utilisation_pct", "memory_mib", "power_mw", "temperature_c"),
    counters=(),
    resolutions=(MINUTE, HOUR, DAY),
)
"""Series are pools: the cards measured, means of utilisation and temperature, sums of the others."""
POOL_MEANS: Final = ("utilisation_pct", "temperature_c")
"""Of the cards of several pools, every pool counts by its cards; the other columns are added up."""
KINDS: Final = (CARD, WORK, NODE, POOL)
"""Pools after the cards that they are added up from."""


def create_table_sql(kind: SeriesKind, resolution: Resolution) -> sql.Composed:
    """Return the statement that creates a resolution's table, without partitions."""
    columns = sql.SQL(", ").join(
        sql.SQL("{} bigint").format(sql.Identifier(name)) for name in kind.columns
    )
    return sql.SQL(
        "CREATE TABLE {table} (series uuid NOT NULL, at timestamptz NOT NULL,"
        " last_at timestamptz NOT NULL, {columns}, PRIMARY KEY (series, at))"
        " PARTITION BY RANGE (at)"
    ).format(table=kind.table(resolution), columns=columns)


def create_index_sql(kind: SeriesKind, resolution: Resolution) -> sql.Composed:
    """Return the statement for a small index by time alone, for rolling up."""
    return sql.SQL("CREATE INDEX ON {} USING brin (at) WITH (pages_per_range = 16)").format(
        kind.table(resolution)
    )


def create_partition_sql(kind: SeriesKind, resolution: Resolution, number: int) -> sql.Composed:
    """Return the statement that creates one partition unless it exists."""
    begin = EPOCH + number * resolution.span
    return sql.SQL(
        "CREATE TABLE IF NOT EXISTS {name} PARTITION OF {table} FOR VALUES FROM ({begin}) TO ({end})"
    ).format(
        name=sql.Identifier(f"{kind.table_name(resolution)}_{number}"),
        table=kind.table(resolution),
        begin=sql.Literal(begin.isoformat()),
        end=sql.Literal((begin + resolution.span).isoformat()),
    )


def insert_sql(kind: SeriesKind) -> sql.Composed:
    """Return the statement that inserts samples, one array per column; known ones are ignored.

    It returns series, time and columns of the new ones.
    """
    names = ("series", "at", "last_at", *kind.columns)
    types = ("uuid", "timestamptz", "timestamptz", *("bigint" for _ in kind.columns))
    arrays = sql.SQL(", ").join(sql.SQL("%s::{}[]").format(sql.SQL(name)) for name in types)
    return sql.SQL(
        "INSERT INTO {table} ({columns}) SELECT * FROM unnest({arrays}) ON CONFLICT DO NOTHING"
        " RETURNING {columns}"
    ).format(
        table=kind.table(RAW),
        columns=sql.SQL(", ").join(map(sql.Identifier, names)),
        arrays=arrays,
    )


def roll_up_sql(kind: SeriesKind, resolution: Resolution) -> sql.Composed:
    """Return the statement that rolls the finer table up from %s to %s; it is idempotent."""
    columns = ("series", "at", "last_at", *kind.columns)
    fresh = sql.SQL(", ").join(
        sql.SQL("{0} = EXCLUDED.{0}").format(sql.Identifier(name)) for name in columns[2:]
    )
    finer = FINER[resolution.name]
    rows = _CARDS_OF_POOLS if finer not in kind.resolutions else _finer_rows(kind, resolution)
    return sql.SQL(
        "INSERT INTO {table} ({columns}) {rows} ON CONFLICT (series, at) DO UPDATE SET {fresh}"
    ).format(
        table=kind.table(resolution),
        columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
        rows=rows,
        fresh=fresh,
    )


_CARDS_OF_POOLS: Final = sql.SQL(
    "SELECT card.pool_id, sample.at, max(sample.last_at), count(*),"
    " round(avg(sample.utilisation_pct))::bigint, sum(sample.memory_mib)::bigint,"
    " sum(sample.power_mw)::bigint, round(avg(sample.temperature_c))::bigint"
    " FROM {minutes} sample JOIN inventory_accelerator card ON card.id = sample.series"
    " WHERE sample.at >= %s AND sample.at < %s GROUP BY 1, 2"
).format(minutes=CARD.table(MINUTE))
"""The minutes of all cards by the pool that each is in when they are added up."""


def _finer_rows(kind: SeriesKind, resolution: Resolution) -> sql.Composed:
    return sql.SQL(
        "SELECT series, date_bin({step}, at, {epoch}), max(last_at), {values} FROM {finer}"
        " WHERE at >= %s AND at < %s GROUP BY 1, 2"
    ).format(
        step=sql.Literal(resolution.step),
        epoch=sql.Literal(EPOCH),
        values=sql.SQL(", ").join(_aggregates(kind, kind.columns)),
        finer=kind.table(FINER[resolution.name]),
    )


def select_sql(
    kind: SeriesKind, resolution: Resolution, step: timedelta, columns: Sequence[str]
) -> sql.Composed:
    """Return the query for buckets of a step: parameters are series, begin, end and rolled_up.

    Rows after `rolled_up`, up to when the table is complete, come from the finer table if there is one.

    A row is one series and, as JSON, lists of the beginnings of its buckets, in seconds, and of each
    column: the mean of a gauge, and the rise of a counter per second since the bucket before; null
    where nothing was measured, or where a counter was reset.
    """
    values = [
        sql.SQL(
            "CASE WHEN {0} >= lag({0}) OVER w THEN ({0} - lag({0}) OVER w)::float8"
            " / nullif(date_part('epoch', seen - lag(seen) OVER w), 0) END AS {0}"
            if name in kind.counters
            else "{0}"
        ).format(sql.Identifier(name))
        for name in columns
    ]
    return sql.SQL(
        "WITH buckets AS ({buckets}), lines AS (SELECT series, bucket, {values} FROM buckets"
        " WINDOW w AS (PARTITION BY series ORDER BY bucket))"
        " SELECT series, {lists} FROM lines GROUP BY series"
    ).format(
        buckets=_buckets(kind, resolution, step, columns),
        values=sql.SQL(", ").join(values),
        lists=_lists(columns),
    )


def union_sql(queries: Iterable[sql.Composed]) -> sql.Composed:
    """Return the rows of several queries as one, with the same parameters."""
    return sql.SQL(" UNION ALL ").join(sql.SQL("({})").format(query) for query in queries)


def select_total_sql(
    resolution: Resolution, step: timedelta, columns: Sequence[str]
) -> sql.Composed:
    """Return the query for all given pools as one series, with the parameters of `select_sql`.

    The row is that of `select_sql`, with no series; means count every pool by its cards.
    """
    mean = "sum({0} * cards) / nullif(sum(cards) FILTER (WHERE {0} IS NOT NULL), 0)::float8 AS {0}"
    total = "sum({0}) AS {0}"
    values = [
        sql.SQL(mean if name in POOL_MEANS else total).format(sql.Identifier(name))
        for name in columns
    ]
    return sql.SQL(
        "WITH buckets AS ({buckets}), lines AS (SELECT bucket, {values} FROM buckets GROUP BY 1)"
        " SELECT NULL, {lists} FROM lines HAVING count(*) > 0"
    ).format(
        buckets=_buckets(POOL, resolution, step, ("cards", *columns)),
        values=sql.SQL(", ").join(values),
        lists=_lists(columns),
    )


def _lists(columns: Sequence[str]) -> sql.Composed:
    """Return all values of all lines as one text: a row for each would take longer to read."""
    begins = sql.SQL("date_part('epoch', bucket)::bigint")
    lists = sql.SQL(", ").join(
        sql.SQL("array_to_json(array_agg({}))").format(value)
        for value in (begins, *map(sql.Identifier, columns))
    )
    return sql.SQL("json_build_array({})::text").format(lists)


def _buckets(
    kind: SeriesKind, resolution: Resolution, step: timedelta, columns: Sequence[str]
) -> sql.Composed:
    finer = FINER.get(resolution.name)
    has_counters = any(name in kind.counters for name in columns)
    seen = ("last_at",) if has_counters else ()
    read = sql.SQL(", ").join(map(sql.Identifier, ("series", "at", *seen, *columns)))
    wanted = sql.SQL("series = ANY(%(series)s) AND at >= %(begin)s AND at < %(end)s")
    rows = sql.SQL("SELECT {} FROM {} WHERE {}").format(read, kind.table(resolution), wanted)
    if finer is not None and finer in kind.resolutions:
        rows = sql.SQL(
            "{} AND at < %(rolled_up)s UNION ALL SELECT {} FROM {} WHERE {} AND at >= %(rolled_up)s"
        ).format(rows, read, kind.table(finer), wanted)
    values = [*[sql.SQL("max(last_at) AS seen")] * has_counters, *_aggregates(kind, columns)]
    return sql.SQL(
        "SELECT series, date_bin({step}, at, {epoch}) AS bucket, {values}"
        " FROM ({rows}) measured GROUP BY 1, 2"
    ).format(
        step=sql.Literal(step),
        epoch=sql.Literal(EPOCH),
        values=sql.SQL(", ").join(values),
        rows=rows,
    )


def _aggregates(kind: SeriesKind, columns: Sequence[str]) -> list[sql.Composed]:
    # Means of numbers of 64 bits would be computed with all digits, in half as much time again.
    mean, last = "floor(avg({0}::float8) + 0.5)::bigint AS {0}", "max({0}) AS {0}"
    return [
        sql.SQL(last if name in kind.counters else mean).format(sql.Identifier(name))
        for name in columns
    ]
