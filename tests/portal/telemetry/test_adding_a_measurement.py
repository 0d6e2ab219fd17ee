"""One measured value more is a column and a line: kept, rolled up and charted."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final, cast
from uuid import UUID

import pytest
from django.db import connection

from portal.common.clock import now
from portal.telemetry.measures import METRICS, Metric
from portal.telemetry.services import create_partitions
from portal.telemetry.tables import MINUTE, NODE, create_table_sql, insert_sql, roll_up_sql
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_user
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

COLUMN: Final = "swap_used_mib"
MEASURED: Final = replace(NODE, gauges=(*NODE.gauges, COLUMN))
"""Nodes, as step 3 of `docs/dev/adding-a-measurement.md` leaves them."""


@pytest.fixture(autouse=True)
def _line() -> Iterator[None]:
    """Add the line, as step 6 does."""
    lines = cast("dict[str, Metric]", METRICS[NODE.name])
    lines[COLUMN] = Metric("swap", "mebibytes")
    yield
    del lines[COLUMN]


def migrate() -> None:
    """Add the column where tables are without it, as step 4 does."""
    with connection.cursor() as cursor:
        for resolution in NODE.resolutions:
            table = NODE.table_name(resolution)
            cursor.execute(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {COLUMN} bigint")


def record(node: UUID, *values: int | None, begin: datetime) -> list[Any]:
    """Insert a sample of each value, ten seconds apart; return the rows."""
    moments = [begin + timedelta(seconds=10 * number) for number in range(len(values))]
    unmeasured = dict.fromkeys(MEASURED.columns)
    rows = [
        (node, at, at, *(unmeasured | {COLUMN: value}).values())
        for at, value in zip(moments, values, strict=True)
    ]
    with connection.cursor() as cursor:
        cursor.execute(insert_sql(MEASURED), [list(column) for column in zip(*rows, strict=True)])
        return list(cursor.fetchall())


def charted(node: UUID, begin: datetime, step_s: int) -> tuple[str, list[float]]:
    """Return the unit and the values of its line, for two minutes from a moment on."""
    query = {
        "node": str(node),
        "step_s": str(step_s),
        "since": begin.isoformat(),
        "until": (begin + timedelta(minutes=2)).isoformat(),
    }
    shown = json_of(browser(a_user()).get(f"{API}/telemetry", query))
    (line,) = [one for one in shown["series"] if one["metric"] == "swap"]
    return line["unit"], [value for value in line["values"] if value is not None]


def a_past_minute() -> datetime:
    """Return the beginning of a minute that is complete, of the day before just after midnight."""
    begin = now().replace(second=0, microsecond=0) - timedelta(minutes=10)
    for resolution in NODE.resolutions:
        create_partitions(NODE, resolution, begin, now())
    return begin


def test_it_is_kept_rolled_up_and_charted() -> None:
    node, begin = a_node(a_pool()).pk, a_past_minute()
    migrate()

    record(node, 10, 20, None, 60, begin=begin)

    assert charted(node, begin, step_s=10) == ("mebibytes", [10, 20, 60])
    with connection.cursor() as cursor:
        cursor.execute(roll_up_sql(MEASURED, MINUTE), [begin, begin + timedelta(minutes=1)])
        cursor.execute(f"SELECT {COLUMN} FROM {NODE.table_name(MINUTE)} WHERE series = %s", [node])
        assert cursor.fetchall() == [(30,)]


def test_a_new_database_has_the_column_before_the_migration() -> None:
    with connection.cursor() as cursor:
        for resolution in NODE.resolutions:
            cursor.execute(f"DROP TABLE {NODE.table_name(resolution)}")
            cursor.execute(create_table_sql(MEASURED, resolution))

    migrate()

    node, begin = a_node(a_pool()).pk, a_past_minute()
    assert len(record(node, 1, begin=begin)) == 1
