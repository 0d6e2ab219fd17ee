"""What nodes tell is kept as theirs, summed up once it is complete, and forgotten in time."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from portal.common.clock import freeze, now, to_millis
from portal.execution.samples import CardUse, ContainerUse, HostUse, NodeSample
from portal.site.services import change_settings
from portal.telemetry import services
from portal.telemetry.tables import (
    CARD,
    HOUR,
    KINDS,
    MINUTE,
    NODE,
    RAW,
    WORK,
    Resolution,
    SeriesKind,
)
from portal.telemetry.time_axis import choose_axis
from portal.workloads.models import Allocation
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member, a_user, an_actor
from tests.builders.workloads import a_workload, an_allocation

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

NOON = datetime(2031, 5, 4, 12, 0, tzinfo=UTC)


def rows(kind: SeriesKind, level: Resolution) -> list[tuple[int | None, ...]]:
    """Return the values of a whole table in the order of time."""
    with connection.cursor() as cursor:
        columns = ", ".join(kind.columns)
        cursor.execute(f"SELECT {columns} FROM {kind.table_name(level)} ORDER BY at")
        return list(cursor.fetchall())


def an_attempt() -> Allocation:
    group, pool = a_group(), a_pool(slices=8)
    work = a_workload(a_member(group), group, pool, state="running", slices=1)
    node = a_node(pool, cards=1)
    return an_allocation(work, node, on=[(node.accelerators.get(), 0)])


def a_sample(attempt: Allocation, at: datetime, cpu_ms: int = 0, pct: int = 50) -> NodeSample:
    uuid = attempt.node.accelerators.get().uuid
    return NodeSample(
        at=to_millis(at),
        host=HostUse(cpus=8, cpu_ms=cpu_ms, memory_used_mib=pct, memory_mib=64),
        cards=(CardUse(uuid=uuid, utilisation_pct=pct, memory_used_mib=100, energy_mj=7),),
        containers=(
            ContainerUse(
                allocation=attempt.wire_name, epoch=attempt.epoch, cpu_ms=cpu_ms, memory_mib=9
            ),
        ),
    )


def test_samples_are_kept_with_gaps_where_nothing_was_measured() -> None:
    attempt = an_attempt()

    services.record_samples(attempt.node_id, (a_sample(attempt, now(), 5),))

    assert rows(CARD, RAW) == [(50, 100, None, None, 7)]
    assert rows(WORK, RAW) == [(9, None, None, None, 5, None, None)]
    assert rows(NODE, RAW) == [(8, 50, 64, None, None, 5, None, None, None, None)]


def test_a_node_that_does_not_measure_its_host_has_no_row_of_it() -> None:
    node = a_node(a_pool(), cards=1)

    services.record_samples(node.pk, (NodeSample(at=to_millis(now())),))

    assert rows(NODE, RAW) == []


def test_a_node_speaks_for_its_own_cards_and_containers_only() -> None:
    attempt, other = an_attempt(), an_attempt()

    services.record_samples(other.node_id, (a_sample(attempt, now()),))

    assert rows(CARD, RAW) == []
    assert rows(WORK, RAW) == []


def test_an_earlier_attempt_is_not_the_present_one() -> None:
    attempt = an_attempt()
    sample = a_sample(attempt, now())
    [old] = sample.containers
    late = replace(old, epoch=attempt.epoch + 1)

    services.record_samples(
        attempt.node_id,
        (replace(sample, containers=(late,)),),
    )

    assert rows(WORK, RAW) == []


def test_the_same_message_twice_is_kept_once() -> None:
    attempt = an_attempt()
    told = (a_sample(attempt, now()),)

    services.record_samples(attempt.node_id, told)
    services.record_samples(attempt.node_id, told)

    assert len(rows(CARD, RAW)) == len(rows(NODE, RAW)) == 1


def test_a_clock_that_is_years_off_moves_no_sample_away_from_now() -> None:
    attempt = an_attempt()
    wrong = datetime(1999, 1, 1, tzinfo=UTC)
    samples = tuple(a_sample(attempt, wrong + timedelta(seconds=5 * n), pct=n) for n in range(3))

    with freeze(NOON):
        services.record_samples(attempt.node_id, samples)

    with connection.cursor() as cursor:
        cursor.execute(f"SELECT at FROM {CARD.table_name(RAW)} ORDER BY at")
        moments = [at for (at,) in cursor.fetchall()]
    assert moments == [NOON - timedelta(seconds=seconds) for seconds in (10, 5, 0)]


def test_samples_of_a_day_that_nobody_prepared_are_kept() -> None:
    attempt = an_attempt()
    midnight = datetime(2044, 1, 1, tzinfo=UTC)
    pair = (midnight - timedelta(seconds=5), midnight)

    with freeze(midnight):
        samples = tuple(a_sample(attempt, at) for at in pair)
        services.record_samples(attempt.node_id, samples)

    assert len(rows(CARD, RAW)) == 2


def test_minutes_and_hours_are_summed_up_once_they_are_complete() -> None:
    attempt = an_attempt()
    with freeze(NOON):
        for minute in range(60):
            at = NOON + timedelta(minutes=minute, seconds=10)
            pair = [at, at + timedelta(seconds=30)]
            with freeze(pair[-1]):
                told = [a_sample(attempt, t, cpu_ms=minute, pct=minute) for t in pair]
                services.record_samples(attempt.node_id, tuple(told))

    with freeze(NOON + timedelta(minutes=30)):
        services.roll_up()
        before = rows(CARD, MINUTE)
        services.roll_up()
        assert rows(CARD, MINUTE) == before
        assert rows(CARD, HOUR) == []
    with freeze(NOON + timedelta(minutes=62)):
        services.roll_up()

    assert [row[0] for row in before] == list(range(28))
    assert [row[0] for row in rows(CARD, MINUTE)] == list(range(60))
    assert rows(CARD, HOUR) == [(30, 100, None, None, 7)]
    [(*_, cpu_ms, _, _)] = rows(WORK, HOUR)
    assert cpu_ms == 59
    assert rows(NODE, HOUR) == [(8, 30, 64, None, None, 59, None, None, None, None)]


def test_what_is_too_old_is_dropped_and_the_days_to_come_are_there() -> None:
    attempt = an_attempt()
    services.record_samples(attempt.node_id, (a_sample(attempt, now()),))
    assert services.maintain_partitions() == 0

    with freeze(now() + 4 * timedelta(days=365)):
        assert services.maintain_partitions() >= sum(len(kind.resolutions) for kind in KINDS)
        assert rows(CARD, RAW) == rows(NODE, RAW) == []
        services.record_samples(attempt.node_id, (a_sample(attempt, now()),))

    assert len(rows(CARD, RAW)) == 1


def test_how_long_samples_are_kept_is_a_site_setting() -> None:
    attempt = an_attempt()
    with freeze(NOON):
        services.record_samples(attempt.node_id, (a_sample(attempt, NOON),))
    admin = an_actor(a_user(role="platform_admin"))

    with freeze(NOON + timedelta(days=4)):
        change_settings(actor=admin, changes={"raw_samples_kept_days": 7})
        services.maintain_partitions()
        assert len(rows(CARD, RAW)) == 1
        assert choose_axis(NOON, NOON + timedelta(hours=1), 15).resolution is RAW
        change_settings(actor=admin, changes={"raw_samples_kept_days": None})
        assert choose_axis(NOON, NOON + timedelta(hours=1), 15).resolution is MINUTE
        services.maintain_partitions()
        assert rows(CARD, RAW) == []
