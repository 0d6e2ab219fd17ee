"""Energy goes to the work that held the GPUs, in millijoules; on real PostgreSQL."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from fractions import Fraction

import pytest
from django.db import connection
from django.db.models import Sum
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from portal.common.actor import Actor
from portal.common.clock import freeze
from portal.inventory.models import Accelerator
from portal.metering.models import UsageDay
from portal.metering.services import rebuild_usage, update_usage
from portal.site.services import change_settings
from portal.telemetry.services import maintain_partitions
from portal.workloads.models import Allocation, AllocationDevice, Workload
from portal.workloads.state import lifecycle
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import EvictionCause
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished, running
from tests.builders.workloads import a_workload
from tests.portal.metering.test_meter import GPU_HOUR, HOUR, NOON, by, measure, placed
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

SYSTEM = Actor.system("test")
KWH = 3_600_000_000
"""In millijoules."""
LAST = timedelta(minutes=59, seconds=55)
"""When in an hour its last sample was taken."""


def a_card(scene: Scene, index: int = 0) -> Accelerator:
    return Accelerator.objects.get(node=scene.nodes[0], index=index)


def sampled(
    card: Accelerator,
    counters: Sequence[int | None],
    powers: Sequence[int | None] = (),
    first: datetime = NOON - HOUR,
) -> None:
    """Write an hour of samples for each value, from the hour before noon on."""
    with freeze(NOON):
        maintain_partitions()
    rows = max(len(counters), len(powers))
    with connection.cursor() as cursor:
        for number in range(rows):
            counter = counters[number] if number < len(counters) else None
            power = powers[number] if number < len(powers) else None
            if counter is None and power is None:
                continue
            at = first + number * HOUR
            cursor.execute(
                "INSERT INTO telemetry_card_hour (series, at, last_at, energy_mj, power_mw)"
                " VALUES (%s, %s, %s, %s, %s)",
                [card.pk, at, at + LAST, counter, power],
            )


def energy(field: str = "kind") -> dict[object, int]:
    return by(field, "energy_mj")


def carbon() -> int | None:
    total: int | None = UsageDay.objects.aggregate(sum=Sum("carbon_mg"))["sum"]
    return total


def set_carbon(factors: list[int], at: datetime) -> None:
    with freeze(at):
        change_settings(actor=SYSTEM, changes={"carbon_g_per_kwh": factors})


def test_work_draws_what_the_counter_of_its_card_rose_by() -> None:
    scene = a_scene()
    placed(scene, NOON - timedelta(seconds=5), gpus=1)
    sampled(a_card(scene), [10 * KWH, 11 * KWH, 11 * KWH + KWH // 2])

    measure(NOON + 3 * HOUR)

    assert energy() == {"training": KWH * 3 // 2}
    assert by("kind", "measured_milli_ms") == {"training": 2 * GPU_HOUR}
    # Four seconds of samples are missing after the last one: nothing is made up for them.
    assert by("kind") == {"training": 3 * GPU_HOUR + 5_000_000}


def test_what_is_drawn_between_works_is_nobodys() -> None:
    scene = a_scene()
    _, first = placed(scene, NOON, gpus=1)
    with freeze(NOON + HOUR / 4):
        scene.links[0].beat(finished=[finished(first)])
    placed(scene, NOON + HOUR / 2, gpus=1, kind="environment")
    sampled(a_card(scene), [0, 3_600_000])

    measure(NOON + HOUR)

    # A milliwatt-hour an hour is a millijoule a millisecond here: energy is time.
    quarter, half = 900_000, 1_800_000 - 5_000
    assert energy() == {"training": quarter, "environment": half}


def test_fractions_draw_their_share_and_what_nobody_held_is_nobodys() -> None:
    scene = a_scene(slices=8, cards=1)
    with freeze(NOON - timedelta(seconds=5)):
        first = scene.work(slices=3, kind="environment")
        second = scene.work(slices=1, kind="training")
        scene.place(first, scene.placement(cards=(0,), slots=(0, 1, 2)))
        scene.place(second, scene.placement(cards=(0,), slots=(3,)))
    sampled(a_card(scene), [5, 5 + 8 * KWH])

    measure(NOON + 2 * HOUR)

    assert energy() == {"environment": 3 * KWH, "training": KWH}


def test_a_counter_that_was_reset_counts_from_zero_again() -> None:
    scene = a_scene()
    placed(scene, NOON - timedelta(seconds=5), gpus=1)
    sampled(a_card(scene), [9 * KWH, 10 * KWH, 2 * KWH, 3 * KWH])

    measure(NOON + 4 * HOUR)

    assert energy() == {"training": (1 + 2 + 1) * KWH}


def test_a_rise_over_missing_hours_is_spread_over_them() -> None:
    scene = a_scene()
    _, first = placed(scene, NOON - timedelta(seconds=5), gpus=1)
    with freeze(NOON + HOUR - timedelta(seconds=5)):
        scene.links[0].beat(finished=[finished(first)])
    sampled(a_card(scene), [0, None, None, None, 4 * KWH])

    measure(NOON + 5 * HOUR)

    assert energy() == {"training": KWH}


def test_a_gap_of_more_than_hours_is_not_measured() -> None:
    scene = a_scene()
    placed(scene, NOON - timedelta(seconds=5), gpus=1)
    sampled(a_card(scene), [0, None, None, None, None, None, None, 8 * KWH, 9 * KWH])

    measure(NOON + 9 * HOUR)

    assert energy() == {"training": KWH}
    assert by("kind", "measured_milli_ms") == {"training": GPU_HOUR}


def test_without_a_counter_mean_power_is_integrated_and_without_both_it_is_unknown() -> None:
    scene = a_scene()
    placed(scene, NOON - timedelta(seconds=5), gpus=1)
    sampled(a_card(scene), [], [100_000, 200_000, None, 400_000])

    measure(NOON + 4 * HOUR)

    # The hour after the gap has power from its first second to its last sample.
    whole, part = 3_600 * 200_000, (3_600 - 5) * 400_000
    assert energy() == {"training": whole + part}
    assert by("kind", "measured_milli_ms") == {"training": 2 * GPU_HOUR - 5_000_000}


def test_a_card_that_says_nothing_is_not_measured() -> None:
    scene = a_scene()
    placed(scene, gpus=2)
    sampled(a_card(scene, 1), [0, KWH])

    measure(NOON + HOUR)

    # One of the two cards has a counter.
    assert by("kind", "measured_milli_ms") == {"training": GPU_HOUR - 5_000_000}
    assert carbon() is None


def test_preempted_work_keeps_what_it_drew_and_stands_apart() -> None:
    scene = a_scene()
    work, held = placed(scene, NOON - timedelta(seconds=5), gpus=1, preemptible=True)
    with freeze(NOON + HOUR - timedelta(seconds=5)):
        lifecycle.evict_workload(
            workload_id=WorkloadId(str(work.pk)),
            version=Workload.objects.get(pk=work.pk).version,
            cause=EvictionCause.PREEMPTED,
            beneficiary=None,
            grace_s=1,
        )
        scene.links[0].beat(finished=[finished(held)])
    with freeze(NOON + HOUR - timedelta(seconds=5)):
        (again,) = scene.place(
            Workload.objects.get(pk=work.pk), scene.placement(cards=(0,), slots=())
        )
        scene.links[0].beat()
        scene.links[0].beat(containers=[running(again)])
    sampled(a_card(scene), [0, KWH, 4 * KWH])

    measure(NOON + 3 * HOUR)

    assert energy("outcome") == {"preempted": KWH, "running": 3 * KWH}


def test_days_share_an_hour_by_time_and_a_rebuild_finds_the_same() -> None:
    scene = a_scene()
    # In Shanghai midnight is 16:00 UTC: the hour's reading is from 15:59:55 to 16:59:55.
    placed(scene, NOON, gpus=1)
    sampled(a_card(scene), [0, 0, 0, 0, 0, 3_600_000], [None] * 6)
    set_carbon([500], NOON - 2 * HOUR)

    measure(NOON + 30 * HOUR)
    measure(NOON + 31 * HOUR)
    found = list(UsageDay.objects.order_by("day").values_list("day", "energy_mj", "carbon_mg"))

    assert [amount for _, amount, _ in found] == [5_000, 3_595_000, *([0] * (len(found) - 2))]
    with freeze(NOON + 31 * HOUR):
        rebuild_usage()
    again = UsageDay.objects.order_by("day").values_list("day", "energy_mj", "carbon_mg")
    assert list(again) == found


def test_carbon_has_the_factor_of_its_hour_and_a_change_leaves_the_past_alone() -> None:
    scene = a_scene()
    placed(scene, NOON - timedelta(seconds=5), gpus=1)
    sampled(a_card(scene), [0, KWH, 2 * KWH, 3 * KWH])
    by_hour = [0] * 24
    # At noon in UTC the clock of the site shows 20:00.
    by_hour[20], by_hour[21] = 400, 100
    set_carbon(by_hour, NOON - timedelta(minutes=30))

    measure(NOON + 2 * HOUR)
    assert carbon() == 500_000

    set_carbon([1000], NOON + 2 * HOUR - timedelta(minutes=1))
    measure(NOON + 3 * HOUR)
    assert carbon() == 1_500_000
    with freeze(NOON + 3 * HOUR):
        rebuild_usage()
    assert carbon() == 1_500_000


def test_energy_before_the_first_factor_has_no_carbon() -> None:
    scene = a_scene()
    placed(scene, NOON - timedelta(seconds=5), gpus=1)
    sampled(a_card(scene), [0, KWH, 2 * KWH])
    set_carbon([300], NOON + timedelta(minutes=30))

    measure(NOON + 2 * HOUR)

    assert energy() == {"training": 2 * KWH}
    assert carbon() == 300_000


def test_readings_of_hours_are_added_up_while_they_come() -> None:
    scene = a_scene()
    placed(scene, NOON - timedelta(seconds=5), gpus=1)
    sampled(a_card(scene), [0, KWH])
    with freeze(NOON + HOUR):
        update_usage()
    assert energy() == {"training": KWH}

    sampled(a_card(scene), [3 * KWH], first=NOON + HOUR)
    measure(NOON + 2 * HOUR)
    assert energy() == {"training": 3 * KWH}


# A reading of an hour: counter and power, each of which may be missing.
_READING = st.tuples(
    st.one_of(st.none(), st.integers(0, 3 * KWH)), st.one_of(st.none(), st.integers(0, 700_000))
)
_HELD = st.tuples(
    st.integers(-120, 1500), st.integers(1, 900), st.sampled_from((125, 333, 500, 1000))
)


class Readings(TestCase):
    """Random readings of one card and random attempts that held parts of it."""

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        readings=st.lists(_READING, min_size=1, max_size=24),
        held=st.lists(_HELD, min_size=1, max_size=4),
    )
    def test_every_attempt_has_its_part_of_what_was_drawn(
        self, readings: list[tuple[int | None, int | None]], held: list[tuple[int, int, int]]
    ) -> None:
        """What the meter has of each attempt is what the readings say, minute by part of it."""
        pool, group = a_pool(), a_group()
        card = a_node(pool, cards=1).accelerators.get()
        sampled(card, [one for one, _ in readings], [other for _, other in readings])
        drawn, ends = intervals(readings), NOON + 40 * HOUR
        expected = dict[object, Fraction]()
        for minute, length, milli in held:
            owner = a_member(group)
            since = NOON + timedelta(minutes=minute)
            until = since + timedelta(minutes=length)
            a_past_attempt(a_workload(owner, group, pool, epoch=1), card, since, until, milli)
            expected[owner.pk] = sum(
                (
                    amount * milli * overlap(since, until, begin, end) / (1000 * (end - begin))
                    for begin, end, amount in drawn
                ),
                Fraction(0),
            )

        measure(ends)

        found = by("user_id", "energy_mj")
        # Each of two or three days is rounded by itself, and power to whole millijoules.
        for owner_id, amount in expected.items():
            assert abs(found.get(owner_id, 0) - amount) <= 3 + len(readings)


def intervals(
    readings: list[tuple[int | None, int | None]],
) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return from when to when the card drew how much: seconds from noon, and millijoules."""
    found, before = [], None
    for hour, (counter, power) in enumerate(readings, start=-1):
        if counter is None and power is None:
            continue
        at, last = Fraction(hour * 3600), Fraction(hour * 3600 + 3595)
        if (
            before is not None
            and counter is not None
            and before[1] is not None
            and last - before[0] <= 6 * 3600
        ):
            rise = counter - before[1] if counter >= before[1] else counter
            found.append((before[0], last, Fraction(rise)))
        elif power is not None:
            since = before[0] if before is not None and before[0] >= at - 300 else at
            found.append((since, last, power * (last - since)))
        before = (last, counter)
    return found


def overlap(since: datetime, until: datetime, begin: Fraction, end: Fraction) -> Fraction:
    first, last = (Fraction((each - NOON) // timedelta(seconds=1)) for each in (since, until))
    return max(min(last, end) - max(first, begin), Fraction(0))


def a_past_attempt(
    work: Workload, card: Accelerator, since: datetime, until: datetime, milli: int
) -> None:
    """Write the ledger of an attempt that has ended."""
    held = Allocation.objects.create(
        workload=work,
        epoch=1,
        node=card.node,
        pool=card.pool,
        state="released",
        created_at=since,
        released_at=until,
        cpu_milli=1000,
        memory_mib=64,
    )
    AllocationDevice.objects.create(
        allocation=held,
        accelerator=card,
        memory_mib=10,
        counted_milli=milli,
        held_from=since,
        released_at=until,
        claim_mode=None,
    )


def test_the_page_of_a_work_has_what_all_its_attempts_drew() -> None:
    scene = a_scene()
    set_carbon([500], NOON - 3 * HOUR)
    work, held = placed(scene, NOON - timedelta(seconds=5), gpus=1)
    with freeze(NOON + 2 * HOUR - timedelta(seconds=5)):
        scene.links[0].beat(finished=[finished(held)])
    sampled(a_card(scene), [0, KWH, 3 * KWH, 9 * KWH])
    address = f"{API}/usage/workloads/{work.pk}"

    with freeze(NOON + 3 * HOUR):
        own = json_of(browser(work.owner).get(address))
        problem_of(browser(a_user()).get(address), 404, "not_found")
        waiting = scene.work(gpus=1)
        empty = json_of(browser(work.owner).get(f"{API}/usage/workloads/{waiting.pk}"))

    hours = 2 * 3_600_000
    assert own == {
        "gpu_milli_s": hours,
        "measured_milli_s": hours,
        "energy_j": 3 * 3_600_000,
        "carbon_g": 1500,
    }
    assert list(empty.values()) == [0, 0, None, None]
