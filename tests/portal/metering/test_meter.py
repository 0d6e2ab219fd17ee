"""What the meter has by day is what the ledger says, to the millisecond; on real PostgreSQL."""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from functools import partial

import pytest
from django.db import connection
from django.db.models import Sum
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from portal.common.actor import Actor
from portal.common.clock import freeze
from portal.metering.models import CapacityDay, UsageDay, WorkStart
from portal.metering.services import rebuild_usage, update_usage
from portal.site.selectors import calendar_for_system
from portal.site.services import change_settings
from portal.telemetry.services import maintain_partitions
from portal.workloads.models import Allocation, AllocationDevice, Workload, WorkloadEvent
from portal.workloads.state import lifecycle
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import EvictionCause
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member
from tests.builders.scenes import Scene, a_scene, cancel
from tests.builders.scripted_node import finished, running
from tests.builders.workloads import a_workload
from wire.words import ExitCause

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

NOON = datetime(2030, 5, 15, 12, tzinfo=UTC)
"""At the site, in Shanghai, it is 20:00."""
HOUR = timedelta(hours=1)
GPU_HOUR = 1000 * 3_600_000
SYSTEM = Actor.system("test")


def placed(scene: Scene, at: datetime = NOON, **asked: object) -> tuple[Workload, Allocation]:
    with freeze(at):
        work = scene.work(submitted_at=at, **asked)
        cards = tuple(range(work.gpus))
        slots = tuple(range(work.slices))
        (held,) = scene.place(work, scene.placement(cards=cards or (0,), slots=slots))
        scene.links[0].beat()
        scene.links[0].beat(containers=[running(held)])
    return work, held


def by(field: str, amount: str = "gpu_milli_ms") -> dict[object, int]:
    rows = UsageDay.objects.values(field).annotate(sum=Sum(amount)).order_by(field)
    return {row[field]: row["sum"] for row in rows if row["sum"]}


def measure(at: datetime) -> int:
    with freeze(at):
        return update_usage()


def test_what_was_held_is_counted_on_its_day() -> None:
    scene = a_scene()
    work, held = placed(scene, gpus=2)

    measure(NOON + 3 * HOUR)
    assert by("outcome") == {"running": 2 * 3 * GPU_HOUR}

    with freeze(NOON + 6 * HOUR):
        scene.links[0].beat(finished=[finished(held)])
    measure(NOON + 7 * HOUR)

    # Midnight of the site is 16:00 UTC.
    assert by("day") == {
        date(2030, 5, 15): 2 * 4 * GPU_HOUR,
        date(2030, 5, 16): 2 * 2 * GPU_HOUR,
    }
    assert by("outcome") == {"completed": 12 * GPU_HOUR}
    assert by("model") == {"Simulated 32GB": 12 * GPU_HOUR}
    assert by("outcome", "cpu_milli_ms") == {"completed": work.cpu_milli * 6 * 3_600_000}
    assert by("outcome", "memory_mib_ms") == {"completed": work.memory_mib * 6 * 3_600_000}
    assert by("outcome", "gpu_memory_mib_ms") == {"completed": 2 * 32768 * 6 * 3_600_000}
    assert by("outcome", "fraction_milli_ms") == {}


def test_slices_count_as_thousandths_of_a_gpu() -> None:
    scene = a_scene(slices=8, cards=1)
    _, held = placed(scene, slices=3, kind="environment")

    with freeze(NOON + HOUR):
        scene.links[0].beat(finished=[finished(held)])
    measure(NOON + 2 * HOUR)

    assert by("kind") == {"environment": 375 * 3_600_000}
    assert by("kind", "fraction_milli_ms") == by("kind")
    assert by("kind", "gpu_memory_mib_ms") == {"environment": 3 * 4096 * 3_600_000}


def test_a_lent_card_of_a_shared_pool_is_whole_and_its_slices_are_not() -> None:
    scene = a_scene(slices=8, cards=2)
    with freeze(NOON):
        job = scene.work(gpus=1, submitted_at=NOON)
        scene.place(job, scene.placement(cards=(1,), slots=tuple(range(8))))
    placed(scene, slices=3, kind="environment")

    measure(NOON + HOUR)

    assert by("kind") == {"training": GPU_HOUR, "environment": 375 * 3_600_000}
    assert by("kind", "fraction_milli_ms") == {"environment": 375 * 3_600_000}


def test_work_that_was_evicted_lost_or_cancelled_stands_apart() -> None:
    scene = a_scene()
    evicted, first = placed(scene, gpus=1, preemptible=True)
    with freeze(NOON + HOUR):
        lifecycle.evict_workload(
            workload_id=WorkloadId(str(evicted.pk)),
            version=Workload.objects.get(pk=evicted.pk).version,
            cause=EvictionCause.PREEMPTED,
            beneficiary=None,
            grace_s=1,
        )
        scene.links[0].beat(finished=[finished(first)])
    stopped, second = placed(scene, NOON + HOUR, gpus=2)
    with freeze(NOON + 2 * HOUR):
        cancel(stopped)
        scene.links[0].beat(finished=[finished(second)])
    _, third = placed(scene, NOON + 2 * HOUR, gpus=3)
    with freeze(NOON + 3 * HOUR):
        scene.links[0].beat(finished=[finished(third, code=1)])
    _, fourth = placed(scene, NOON + 3 * HOUR, gpus=4)
    with freeze(NOON + 4 * HOUR):
        scene.links[0].beat(finished=[finished(fourth, code=None, cause=ExitCause.VANISHED)])

    measure(NOON + 5 * HOUR)

    assert by("outcome") == {
        "preempted": GPU_HOUR,
        "stopped": 2 * GPU_HOUR,
        "failed": 3 * GPU_HOUR,
        "lost": 4 * GPU_HOUR,
    }
    cancelled = WorkStart.objects.get(pk=stopped.pk)
    assert (cancelled.ended_as, cancelled.ended_day) == ("cancelled", date(2030, 5, 15))


def test_an_end_changes_how_earlier_days_are_judged_but_not_their_amount() -> None:
    scene = a_scene()
    _, held = placed(scene, gpus=1)
    measure(NOON + 80 * HOUR)
    before = by("day")

    with freeze(NOON + 81 * HOUR):
        scene.links[0].beat(finished=[finished(held)])
    measure(NOON + 81 * HOUR)

    assert by("outcome") == {"completed": 81 * GPU_HOUR}
    assert {day: by("day")[day] for day in list(before)[:-1]} == dict(list(before.items())[:-1])


def test_gpus_that_a_notebook_released_are_not_counted_meanwhile() -> None:
    scene = a_scene()
    _, held = placed(scene, gpus=1, kind="environment")
    device = held.devices.get()
    AllocationDevice.objects.filter(pk=device.pk).update(released_at=NOON + HOUR, claim_mode=None)
    AllocationDevice.objects.create(
        allocation=held,
        accelerator=device.accelerator,
        memory_mib=device.memory_mib,
        counted_milli=1000,
        claim_mode=device.claim_mode,
        held_from=NOON + 3 * HOUR,
    )

    measure(NOON + 4 * HOUR)

    assert by("kind") == {"environment": 2 * GPU_HOUR}
    assert by("kind", "cpu_milli_ms") == {"environment": held.cpu_milli * 4 * 3_600_000}


def test_hours_without_use_are_idle_and_hours_without_samples_unknown() -> None:
    scene = a_scene()
    _, held = placed(scene, gpus=2)
    with freeze(NOON):
        maintain_partitions()
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO telemetry_work_hour (series, at, last_at, gpu_utilisation_pct)"
            " VALUES (%s, %s, %s, %s)",
            [
                (held.pk, NOON + hours * HOUR, NOON + hours * HOUR, pct)
                for hours, pct in ((0, 80), (1, 4), (2, None))
            ],
        )

    measure(NOON + 4 * HOUR)

    assert by("kind") == {"training": 8 * GPU_HOUR}
    assert by("kind", "sampled_milli_ms") == {"training": 4 * GPU_HOUR}
    assert by("kind", "idle_milli_ms") == {"training": 2 * GPU_HOUR}
    assert by("kind", "busy_milli_ms") == {"training": 2 * GPU_HOUR * 84 // 100}


def test_a_long_past_is_derived_in_steps_that_end_in_the_same_figures() -> None:
    scene = a_scene()
    _, held = placed(scene, gpus=1)
    with freeze(NOON + 70 * 24 * HOUR):
        scene.links[0].beat(finished=[finished(held)])
    present = NOON + 100 * 24 * HOUR

    measure(present)
    assert by("outcome") == {"running": 31 * 24 * GPU_HOUR}
    for _ in range(3):
        measure(present)
    found = derived()

    assert by("outcome") == {"completed": 70 * 24 * GPU_HOUR}
    with freeze(present):
        rebuild_usage()
    assert derived() == found


def test_the_wait_is_that_before_the_first_start() -> None:
    scene = a_scene()
    with freeze(NOON):
        work = scene.work(gpus=1, submitted_at=NOON - HOUR, not_before=NOON - HOUR / 2)
        scene.place(work, scene.placement(cards=(0,)))

    measure(NOON + HOUR)

    row = WorkStart.objects.get()
    assert (row.wait_ms, row.day, row.ended_day) == (1_800_000, date(2030, 5, 15), None)


def test_installed_gpus_are_counted_since_each_was_installed() -> None:
    with freeze(NOON):
        scene = a_scene(cards=2)
    measure(NOON + 5 * HOUR)
    measure(NOON + 6 * HOUR)

    rows = CapacityDay.objects.order_by("day").values_list("day", "gpu_ms", "is_simulated")
    assert list(rows) == [
        (date(2030, 5, 15), 2 * 4 * 3_600_000, True),
        (date(2030, 5, 16), 2 * 2 * 3_600_000, True),
    ]
    assert {row.pool_id for row in CapacityDay.objects.all()} == {scene.pool.pk}


Event = tuple[int, int, Callable[[datetime], None] | None]
"""Minute, order within it, and what happens; None is a look of the meter."""
# A history is a list of attempts in minutes from its beginning; None is still held.
MINUTES = 4 * 24 * 60
_ATTEMPT = st.tuples(
    st.integers(0, MINUTES),
    st.integers(1, 3000),
    st.sampled_from((125, 333, 1000, 2000)),
    st.sampled_from(("succeeded", "queued", "reclaimed", "node_lost", "suspended", "live")),
    st.sampled_from(("training", "environment")),
)
_BEGINNINGS = (
    # The clock goes back on 2026-10-25 in Berlin, forward on 2026-03-29, and never in Shanghai.
    ("Europe/Berlin", datetime(2026, 10, 24, tzinfo=UTC)),
    ("Europe/Berlin", datetime(2026, 3, 27, tzinfo=UTC)),
    ("Asia/Shanghai", datetime(2026, 6, 1, tzinfo=UTC)),
)


class Histories(TestCase):
    """Random histories: preempted, lost, restarted, over changes of clock and zone."""

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        beginning=st.sampled_from(_BEGINNINGS),
        attempts=st.lists(_ATTEMPT, min_size=1, max_size=6),
        looks=st.lists(st.integers(1, MINUTES + 3000), min_size=1, max_size=5),
        moved=st.one_of(
            st.none(),
            st.tuples(
                st.integers(0, MINUTES),
                st.sampled_from(("America/New_York", "Pacific/Auckland", "UTC")),
            ),
        ),
    )
    def test_the_meter_equals_the_ledger(
        self,
        beginning: tuple[str, datetime],
        attempts: list[tuple[int, int, int, str, str]],
        looks: list[int],
        moved: tuple[int, str] | None,
    ) -> None:
        """Whenever the meter has looked, each day has what was held on it, minute by minute."""
        zone, start = beginning
        set_zone(zone, start - timedelta(days=2))
        rows = History()
        events: list[Event] = []
        for attempt in attempts:
            events += rows.events_of(*attempt)
        events += [(minute, 2, None) for minute in looks]
        if moved is not None:
            events.append((moved[0], 1, partial(set_zone, moved[1])))
        last = start
        for minute, _, act in sorted(events, key=lambda each: each[:2]):
            last = start + timedelta(minutes=minute)
            if act is None:
                measure(last)
            else:
                act(last)
        measure(last)

        found = derived()
        assert by_day(found) == expected_by_day(last)
        with freeze(last):
            rebuild_usage()
        assert derived() == found


class History:
    """Rows of the ledger, written as their time comes."""

    def __init__(self) -> None:
        """Save a pool and a member."""
        self.pool = a_pool()
        self.group = a_group()
        self.owner = a_member(self.group)

    def events_of(self, begin: int, length: int, milli: int, end: str, kind: str) -> list[Event]:
        """Return what happens to one attempt: (minute, order, what)."""
        work = a_workload(self.owner, self.group, self.pool, kind=kind, epoch=1)
        found: list[Event] = [(begin, 0, partial(self.place, work, milli))]
        if end != "live":
            found.append((begin + length, 0, partial(self.end, work, end)))
        return found

    def place(self, work: Workload, milli: int, at: datetime) -> None:
        """Begin an attempt with a card of its own."""
        node = a_node(self.pool, cards=1)
        held = Allocation.objects.create(
            workload=work,
            epoch=1,
            node=node,
            pool=self.pool,
            state="bound",
            created_at=at,
            cpu_milli=1000,
            memory_mib=64,
        )
        card = node.accelerators.get()
        AllocationDevice.objects.create(
            allocation=held,
            accelerator=card,
            memory_mib=10,
            counted_milli=milli,
            held_from=at,
            claim_mode=card.mode,
        )

    def end(self, work: Workload, how: str, at: datetime) -> None:
        """End it: well, by an eviction, or with its node."""
        target = how if how in ("succeeded", "suspended") else "queued"
        cause = {"reclaimed": "reclaimed", "node_lost": "node_lost"}.get(how, "")
        WorkloadEvent.objects.create(
            workload=work,
            owner_id=work.owner_id,
            group_id=work.group_id,
            pool_id=work.pool_id,
            at=at,
            from_state="running",
            to_state=target,
            epoch=1,
            cause=cause,
            actor_kind="system",
        )
        held = work.allocations.get()
        held.devices.update(released_at=at, claim_mode=None)
        work.allocations.update(state="released", released_at=at)


def set_zone(zone: str, at: datetime) -> None:
    with freeze(at):
        change_settings(actor=SYSTEM, changes={"time_zone": zone})


def derived() -> list[tuple[object, ...]]:
    columns = ("day", "kind", "outcome", "gpu_milli_ms", "cpu_milli_ms", "gpu_memory_mib_ms")
    return sorted(UsageDay.objects.values_list(*columns))


def by_day(rows: Iterable[tuple[object, ...]]) -> Counter[object]:
    found: Counter[object] = Counter()
    for day, _, _, amount, *_ in rows:
        found[day] += amount  # type: ignore[operator]
    return found


def expected_by_day(until: datetime) -> Counter[object]:
    """Count every minute of the ledger by itself."""
    calendar, found = calendar_for_system(), Counter[object]()
    for row in AllocationDevice.objects.all():
        at, end = row.held_from, min(row.released_at or until, until)
        while at < end:
            found[calendar.day_of(at)] += row.counted_milli * 60_000
            at += timedelta(minutes=1)
    return found
