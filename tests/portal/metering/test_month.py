"""A month of work on the product's own services: what is billed is what was held, to the second.

Jobs start, end, are preempted and go with their hosts; agents and the server's processes begin anew, the meter dies
in the middle of a run, the clock of the site changes twice a year and that of the server is set back. The
test writes down when it gave a GPU and when its node said that it was free again, and the report of the
month must say the same.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from portal.common.actor import Actor
from portal.common.clock import freeze
from portal.common.redis_client import get_redis_client
from portal.identity.models import User
from portal.metering import ledger
from portal.metering import services as meter
from portal.metering.models import UsageDay, UsageGroupDay, UsageWeek
from portal.metering.services import rebuild_usage, update_usage
from portal.quotas.models import GpuPrice
from portal.site.days import SiteCalendar, SiteDays
from portal.site.services import change_settings
from portal.workloads.models import Allocation, AllocationDevice, Workload
from portal.workloads.state import lifecycle
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import EvictionCause
from tests.builders.people import a_user
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import ScriptedNode, finished, running
from tests.rest import API, browser, json_of
from wire.words import ExitCause

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

NODES, CARDS = 2, 3
MONTH_MINUTES = 740 * 60
"""An hour less than the shortest month of 31 days with a change of clock, in any zone after it."""
MONTHS = (
    # Midnight at the site; its clock goes back on 2026-10-25 and forward on 2026-03-29.
    ("Europe/Berlin", datetime(2026, 9, 30, 22, tzinfo=UTC), ("2026-10", "2026-11")),
    ("Europe/Berlin", datetime(2026, 2, 28, 23, tzinfo=UTC), ("2026-03", "2026-04")),
    ("Asia/Shanghai", datetime(2026, 6, 30, 16, tzinfo=UTC), ("2026-07", "2026-08")),
)
CENTS_PER_SECOND = 1
ACTS = (
    *("start", "start", "start", "end", "fail", "preempt", "lose_host", "restart_agent"),
    *("restart_server", "count", "count_and_die", "set_clock_back", "move_site"),
)
EVERYTHING = [
    *((60, "start", 0), (60, "start", 0), (60, "start", 1), (30, "count", 0)),
    *((120, "preempt", 0), (600, "start", 0), (60, "restart_agent", 0)),
    *((60, "restart_server", 0), (60, "count_and_die", 0), (5700, "count", 0)),
    *((60, "set_clock_back", 0), (60, "lose_host", 1), (60, "start", 1)),
    *((5700, "end", 0), (5700, "fail", 1), (5700, "count", 0), (5700, "move_site", 1)),
    *((60, "start", 1), (5700, "end", 0)),
]
"""Each of them at least once, over the change of the clock."""


class DiedError(Exception):
    """The meter was killed before its commit."""


class Months(TestCase):
    """Random months."""

    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        month=st.sampled_from(MONTHS),
        acts=st.lists(
            st.tuples(
                st.integers(1, 4 * 24 * 60), st.sampled_from(ACTS), st.integers(0, NODES - 1)
            ),
            min_size=4,
            max_size=24,
        ),
    )
    @example(month=MONTHS[0], acts=EVERYTHING)
    def test_what_is_billed_is_what_was_held(
        self,
        month: tuple[str, datetime, tuple[str, str]],
        acts: list[tuple[int, str, int]],
    ) -> None:
        """The report says the seconds of the ledger, which are those of the test, and their price."""
        live_through(month, acts)


def live_through(
    month: tuple[str, datetime, tuple[str, str]], acts: Sequence[tuple[int, str, int]]
) -> None:
    """Live a month, and compare what the meter makes of it with what the test wrote down."""
    zone, begin, months = month
    with freeze(begin - timedelta(days=1)):
        change_settings(actor=Actor.system("test"), changes={"time_zone": zone})
        administrator = a_user(role="platform_admin")
        life = Life(a_scene(nodes=NODES, cards=CARDS))
    set_price(begin)
    minute = 0
    for gap, act, node in acts:
        minute = min(minute + gap, MONTH_MINUTES)
        life.at = begin + timedelta(minutes=minute)
        with freeze(life.at):
            life.acts[act](node)
    end = begin + timedelta(minutes=MONTH_MINUTES)
    with freeze(end):
        for _ in range(3):
            update_usage()

    expected = life.held_s(end)
    assert ledger_s(end) == expected
    assert billed(administrator, end, months) == (expected, expected * CENTS_PER_SECOND)
    assert_sums_are_right()
    derived = sorted(UsageDay.objects.values_list("day", "outcome", "gpu_milli_ms"))
    with freeze(end):
        rebuild_usage()
    assert sorted(UsageDay.objects.values_list("day", "outcome", "gpu_milli_ms")) == derived
    assert_sums_are_right()


def assert_sums_are_right() -> None:
    """Compare the weeks, and the days by group, with the days."""
    days, of_groups = Counter[tuple[Any, ...]](), Counter[tuple[Any, ...]]()
    for day, *of, amount in UsageDay.objects.values_list(
        "day", "group_id", "user_id", "model", "gpu_milli_ms"
    ):
        days[day - timedelta(days=day.weekday()), *of] += amount
        group, _, model = of
        of_groups[day, group, model] += amount
    weeks = UsageWeek.objects.values_list("week", "group_id", "user_id", "model", "gpu_milli_ms")
    assert {tuple(of): amount for *of, amount in weeks} == days
    by_group = UsageGroupDay.objects.values_list("day", "group_id", "model", "gpu_milli_ms")
    assert {tuple(of): amount for *of, amount in by_group} == of_groups


def days_of_greenwich(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count the days of another clock than the site's."""
    elsewhere = SiteCalendar((), SiteDays("UTC"))
    monkeypatch.setattr(meter, "calendar_for_system", lambda: elsewhere)


def ends_are_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave what was derived of an attempt before it ended as it is."""
    monkeypatch.setattr(meter, "SAMPLES_LATE", timedelta(0))
    monkeypatch.setattr(ledger, "find_first_change", lambda _: None)


@pytest.mark.parametrize("plant", [days_of_greenwich, ends_are_not_looked_for])
def test_a_meter_with_a_planted_bug_is_found_out(
    plant: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        live_through(MONTHS[0], EVERYTHING)


class Life:
    """What happens, and what the test writes down of it."""

    def __init__(self, scene: Scene) -> None:
        """Begin with nothing held."""
        self.scene = scene
        self.at = datetime.min.replace(tzinfo=UTC)
        self.held: list[list[tuple[Workload, Allocation, datetime]]] = [[] for _ in range(NODES)]
        self.over_s = 0
        self.acts: dict[str, Callable[[int], None]] = {
            "start": self.start,
            "end": lambda node: self.end(node, code=0),
            "fail": lambda node: self.end(node, code=1),
            "preempt": self.preempt,
            "lose_host": self.lose_host,
            "restart_agent": self.restart_agent,
            "restart_server": restart_server,
            "count": lambda _: count(),
            "count_and_die": lambda _: count_and_die(),
            "set_clock_back": self.set_clock_back,
            "move_site": self.move_site,
        }

    def held_s(self, until: datetime) -> int:
        """Return the card-seconds of all attempts so far."""
        going = [since for node in self.held for _, _, since in node]
        return self.over_s + sum(int((until - since).total_seconds()) for since in going)

    def start(self, node: int) -> None:
        """Give a job a free GPU of the node; one that was preempted goes first."""
        taken = {one.devices.get().accelerator.index for _, one, _ in self.held[node]}
        free = [card for card in range(CARDS) if card not in taken]
        if not free:
            return
        self.beat(node)
        waiting = Workload.objects.filter(state="queued").first()
        work = waiting or self.scene.work(gpus=1, preemptible=True, submitted_at=self.at)
        (held,) = self.scene.place(work, self.scene.placement(node, cards=(free[0],)))
        self.held[node].append((work, held, self.at))
        self.beat(node)
        self.beat(node)

    def end(self, node: int, *, code: int) -> None:
        """Let the node's oldest job end."""
        if self.held[node]:
            self.leave(node, 1, code, ExitCause.EXITED)

    def preempt(self, node: int) -> None:
        """Take the GPU of the node's newest job for nobody; its container ends at once."""
        if not self.held[node]:
            return
        self.held[node].insert(0, self.held[node].pop())
        work, _, _ = self.held[node][0]
        work.refresh_from_db()
        lifecycle.evict_workload(
            workload_id=WorkloadId(str(work.pk)),
            version=work.version,
            cause=EvictionCause.PREEMPTED,
            beneficiary=None,
            grace_s=1,
        )
        self.leave(node, 1, 0, ExitCause.EXITED)

    def lose_host(self, node: int) -> None:
        """Let everything on the node be gone without a word."""
        self.leave(node, len(self.held[node]), None, ExitCause.VANISHED)

    def leave(self, node: int, count: int, code: int | None, cause: ExitCause) -> None:
        """Report the ends of the first jobs of a node; from then on its GPUs are free."""
        gone, self.held[node] = self.held[node][:count], self.held[node][count:]
        self.over_s += sum(int((self.at - since).total_seconds()) for _, _, since in gone)
        self.beat(node, [finished(held, code=code, cause=cause) for _, held, _ in gone])
        self.beat(node)

    def restart_agent(self, node: int) -> None:
        """Begin with an agent that knows what it had saved, and finds its containers."""
        before = self.scene.links[node]
        self.scene.links[node] = ScriptedNode(self.scene.nodes[node])
        self.scene.links[node].seq = before.seq
        self.beat(node)

    def set_clock_back(self, _: int) -> None:
        """Let the meter look on a server whose clock was put back by two minutes."""
        with freeze(self.at - timedelta(minutes=2)):
            count()

    def move_site(self, node: int) -> None:
        """Let the site have another time zone from now on."""
        zone = ("America/New_York", "Pacific/Auckland")[node]
        change_settings(actor=Actor.system("test"), changes={"time_zone": zone})

    def beat(self, node: int, ends: list[object] | None = None) -> None:
        """Let a node report what runs and what has ended."""
        containers = [running(held) for _, held, _ in self.held[node]]
        self.scene.links[node].beat(containers=containers, finished=ends or [])  # type: ignore[arg-type]


def restart_server(_: int) -> None:
    """Forget what is not in the database, as a server does that begins anew."""
    cache.clear()
    get_redis_client().flushdb()


def count() -> None:
    update_usage()


def count_and_die() -> None:
    with suppress(DiedError), transaction.atomic():
        update_usage()
        raise DiedError


def set_price(begin: datetime) -> None:
    """Let a second of a GPU cost one hundredth."""
    GpuPrice.objects.create(
        model="Simulated 32GB",
        valid_from=begin.date() - timedelta(days=30),
        hourly_micros=3600 * CENTS_PER_SECOND * 10_000,
        currency="CNY",
    )


def ledger_s(until: datetime) -> int:
    """Add up the ledger."""
    held = AllocationDevice.objects.values_list("held_from", "released_at")
    return sum(int(((end or until) - begin).total_seconds()) for begin, end in held)


def billed(reader: User, at: datetime, months: tuple[str, str]) -> tuple[int, int]:
    """Return the card-seconds and the hundredths of money of the reports of two months."""
    with freeze(at):
        client = browser(reader)
        totals = [
            json_of(client.get(f"{API}/usage/report?month={month}"))["total"] for month in months
        ]
    seconds, rest = divmod(sum(total["gpu_milli_s"] for total in totals), 1000)
    assert rest == 0
    costs = [cost for total in totals for cost in total["costs"]]
    assert {cost["currency"] for cost in costs} <= {"CNY"}
    return seconds, sum(round(100 * float(cost["amount"])) for cost in costs)
