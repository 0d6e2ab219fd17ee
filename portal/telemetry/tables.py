"""Tables of samples: two kinds of series, each raw, by the minute and by the hour.

Every table is partitioned by time, so that retention drops whole partitions. A gauge is a value at
a moment and is averaged when rolled up; a counter only rises, and its last value is kept, so that
rates are the same at every resolution.
"""

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
RESOLUTIONS: Final = (RAW, MINUTE, HOUR)
FINER: Final = {MINUTE.name: RAW, HOUR.name: MINUTE}

CARD: Final = SeriesKind(
    "card",
    gauges=("utilisation_pct", "memory_mib", "power_mw", "temperature_c"),
    counters=("energy_mj",),
)
"""Series are accelerators."""
WORK: Final = SeriesKind(
    "work",
    gauges=("memory_mib", "disk_mib", "gpu_memory_mib", "gpu_utilisation_pct"),
    counters=("cpu_ms", "rx_bytes", "tx_bytes"),
)
"""Series are allocations: attempts of one rank."""
KINDS: Final = (CARD, WORK)


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
    values = sql.SQL(", ").join(_aggregates(kind))
    columns = ("series", "at", "last_at", *kind.columns)
    fresh = sql.SQL(", ").join(
        sql.SQL("{0} = EXCLUDED.{0}").format(sql.Identifier(name)) for name in columns[2:]
    )
    return sql.SQL(
        "INSERT INTO {table} ({columns})"
        " SELECT series, date_bin({step}, at, {epoch}), max(last_at), {values} FROM {finer}"
        " WHERE at >= %s AND at < %s GROUP BY 1, 2"
        " ON CONFLICT (series, at) DO UPDATE SET {fresh}"
    ).format(
        table=kind.table(resolution),
        columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
        step=sql.Literal(resolution.step),
        epoch=sql.Literal(EPOCH),
        values=values,
        finer=kind.table(FINER[resolution.name]),
        fresh=fresh,
    )


def select_sql(kind: SeriesKind, resolution: Resolution, step: timedelta) -> sql.Composed:
    """Return the query for buckets of a step: parameters are series, begin and end.

    A row is series, bucket, the mean of each gauge and the rise of each counter per second since
    the bucket before; null where nothing was measured, or where a counter was reset.
    """
    rises = sql.SQL(", ").join(
        sql.SQL(
            "CASE WHEN {0} >= lag({0}) OVER w THEN ({0} - lag({0}) OVER w)::float8"
            " / nullif(extract(epoch FROM seen - lag(seen) OVER w), 0)::float8 END"
        ).format(sql.Identifier(name))
        for name in kind.counters
    )
    gauges = sql.SQL(", ").join(map(sql.Identifier, kind.gauges))
    return sql.SQL(
        "WITH buckets AS (SELECT series, date_bin({step}, at, {epoch}) AS bucket,"
        " max(last_at) AS seen, {values}"
        " FROM {table} WHERE series = ANY(%s) AND at >= %s AND at < %s GROUP BY 1, 2)"
        " SELECT series, bucket, {gauges}, {rises} FROM buckets"
        " WINDOW w AS (PARTITION BY series ORDER BY bucket)"
    ).format(
        step=sql.Literal(step),
        epoch=sql.Literal(EPOCH),
        values=sql.SQL(", ").join(_aggregates(kind)),
        table=kind.table(resolution),
        gauges=gauges,
        rises=rises,
    )


def _aggregates(kind: SeriesKind) -> list[sql.Composed]:
    mean = sql.SQL("round(avg({0}))::bigint AS {0}")
    last = sql.SQL("max({0}) AS {0}")
    return [mean.format(sql.Identifier(name)) for name in kind.gauges] + [
        last.format(sql.Identifier(name)) for name in kind.counters
    ]
