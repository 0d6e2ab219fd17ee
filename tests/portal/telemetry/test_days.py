"""Charts of years are drawn from days, which are rolled up from hours, also from those of earlier versions."""

from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from portal.common.clock import freeze
from portal.common.ids import new_id
from portal.inventory.models import Accelerator
from portal.telemetry import services
from portal.telemetry.models import Summed
from portal.telemetry.tables import CARD, DAY, HOUR, POOL, Resolution, create_partition_sql
from portal.telemetry.time_axis import choose_axis
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_user
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

_ONE_DAY: Final = timedelta(days=1)
TODAY: Final = datetime(2031, 5, 4, tzinfo=UTC)
PRESENT: Final = TODAY + timedelta(hours=6, minutes=30)
HOURS: Final = """
INSERT INTO telemetry_card_hour (series, at, last_at, utilisation_pct, energy_mj)
SELECT %s, at, at, extract(hour FROM at) * 2, extract(epoch FROM at)
FROM generate_series(%s::timestamptz, %s, '1 hour') at
"""


def hours_of(card: UUID, begin: datetime, until: datetime) -> None:
    """Write hours of a card as rolling up would have left them: use rises by 2 % an hour."""
    with connection.cursor() as cursor:
        for number in range(HOUR.span_number(begin), HOUR.span_number(until) + 1):
            cursor.execute(create_partition_sql(CARD, HOUR, number))
        cursor.execute(HOURS, [card, begin, until - HOUR.step])
    Summed.objects.update_or_create(pk=CARD.table_name(HOUR), defaults={"until": until})


def days_of(card: UUID) -> list[tuple[datetime, datetime, int, int]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT at, last_at, utilisation_pct, energy_mj FROM telemetry_card_day"
            " WHERE series = %s ORDER BY at",
            [card],
        )
        return list(cursor.fetchall())


def a_day(at: datetime) -> tuple[datetime, datetime, int, int]:
    """Return the mean use of a whole day, and when and at what its counter stood last."""
    last = at + timedelta(hours=23)
    return at, last, 23, int(last.timestamp())


def a_card() -> Accelerator:
    return a_node(a_pool(), cards=1).accelerators.get()


def migrate_to(name: str) -> None:
    executor = MigrationExecutor(connection)
    executor.migrate([("telemetry", name)])


def test_days_are_rolled_up_once_they_are_complete() -> None:
    card = new_id()
    hours_of(card, TODAY - 2 * _ONE_DAY, PRESENT.replace(minute=0))

    with freeze(PRESENT):
        services.roll_up()
        services.roll_up()

    assert days_of(card) == [a_day(TODAY - 2 * _ONE_DAY), a_day(TODAY - _ONE_DAY)]


def test_hours_of_the_version_before_become_days() -> None:
    migrate_to("0001_tables")
    card, first = new_id(), TODAY - 200 * _ONE_DAY
    hours_of(card, first, PRESENT.replace(minute=0))

    with freeze(PRESENT):
        migrate_to("0002_days")
        migrate_to("0003_nodes")
        services.roll_up()

    assert days_of(card) == [a_day(first + n * _ONE_DAY) for n in range(200)]


def test_a_site_without_hours_is_given_empty_days() -> None:
    migrate_to("0001_tables")
    migrate_to("0002_days")

    assert days_of(new_id()) == []
    assert not Summed.objects.exists()


@pytest.mark.parametrize(("days", "read"), [(400, DAY), (365, DAY), (180, HOUR), (90, HOUR)])
def test_ranges_beyond_some_months_read_days(days: int, read: Resolution) -> None:
    with freeze(PRESENT):
        for resolutions in (CARD.resolutions, POOL.resolutions):
            axis = choose_axis(PRESENT - days * _ONE_DAY, None, None, resolutions)
            assert axis.resolution is read


def test_today_is_drawn_from_its_hours() -> None:
    card = a_card()
    hours_of(card.pk, TODAY - 3 * _ONE_DAY, PRESENT.replace(minute=0))
    with freeze(PRESENT):
        services.roll_up()
        since = (PRESENT - 365 * _ONE_DAY).isoformat().replace("+00:00", "Z")
        answer = json_of(browser(a_user()).get(f"{API}/telemetry?card={card.pk}&since={since}"))

    [use] = [line for line in answer["series"] if line["metric"] == "gpu_utilisation"]
    assert answer["step_s"] == 86400
    # Of today there are six hours: 0, 2, 4, 6, 8 and 10 %.
    assert use["values"][-5:] == [None, 23.0, 23.0, 23.0, 5.0]
