"""The node's own end is the end: for the work, its run time, usage and budgets; whatever its clock says."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from portal.common.clock import freeze, to_millis
from portal.config.node_reports import receive_heartbeat
from portal.inventory.models import Node
from portal.metering.models import UsageDay
from portal.metering.services import update_usage
from portal.quotas.models import Budget
from portal.workloads import gpu_accounting
from portal.workloads.gpu_accounting import budget_standings_for_system
from portal.workloads.models import (
    Allocation,
    AllocationDevice,
    DailyGpuUse,
    DecayedGpuUse,
    Workload,
)
from portal.workloads.operations import node_loss
from portal.workloads.request_columns import request_of
from portal.workloads.run_times import LearnedRunTimes
from portal.workloads.sweep import run_sweep
from portal.workloads.system_actors import SWEEP_ACTOR
from scheduler.core.model.states import LossKind
from tests.builders.scenes import Scene, a_scene, assert_sound
from tests.builders.scripted_node import NOW_MS, finished, running, starting, tombstone
from wire.messages import ContainerReport, FinishedReport

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

BEGAN = datetime(2026, 6, 1, 4, tzinfo=UTC)
AWAY = timedelta(days=2)
"""For so long the portal hears nothing."""
RAN = timedelta(seconds=30)
SKEWS = [0, 3_600_000, -3_600_000, 10 * 365 * 86_400_000]
"""By how many milliseconds the clock of the node is ahead."""


def ms(length: timedelta) -> int:
    return length // timedelta(milliseconds=1)


class Link:
    """A node that ran a job while nobody heard it, with a clock of its own."""

    def __init__(self, ahead_ms: int = 0, **columns: Any) -> None:
        self.ahead_ms = ahead_ms
        with freeze(BEGAN):
            self.scene: Scene = a_scene(cards=2)
            self.work = self.scene.work(gpus=1, **columns)
            (self.held,) = self.scene.place(self.work, self.scene.placement(cards=(0,)))
            self.say(BEGAN)

    def wall(self, at: datetime) -> int:
        return to_millis(at) + self.ahead_ms

    def say(
        self,
        at: datetime,
        *,
        containers: tuple[ContainerReport, ...] = (),
        ended: tuple[FinishedReport, ...] = (),
        graves: tuple[Any, ...] = (),
    ) -> None:
        """Let the node speak at this moment."""
        link = self.scene.links[0]
        link.seq += 1
        message = link.message(
            link.seq, containers=containers, finished=ended, tombstones=graves
        ).model_copy(update={"sent_at": self.wall(at)})
        with freeze(at):
            reply = receive_heartbeat(link.node.pk, message)
        link.applied = reply.seq  # type: ignore[union-attr]

    def runs(self, at: datetime, since: datetime) -> tuple[ContainerReport, ...]:
        times = {"started_at": self.wall(since), "running_ms": ms(at - since)}
        return (running(self.held).model_copy(update=times),)

    def end(self, at: datetime, began: datetime, over: datetime, code: int = 0) -> FinishedReport:
        times = {
            "started_at": self.wall(began),
            "finished_at": self.wall(over),
            "ended_ms": ms(at - over),
        }
        return finished(self.held, code).model_copy(update=times)

    def fresh(self) -> Workload:
        self.work.refresh_from_db()
        self.held.refresh_from_db()
        return self.work

    def gpu_seconds(self) -> int:
        """Return what budgets and fair share count."""
        return sum(DailyGpuUse.objects.values_list("gpu_milli_ms", flat=True)) // 1_000_000


def metered_s() -> int:
    """Return what reports and prices count."""
    return sum(UsageDay.objects.values_list("gpu_milli_ms", flat=True)) // 1_000_000


@pytest.fixture(params=SKEWS, ids=lambda ahead: f"clock {ahead // 3_600_000} h ahead")
def link(request: pytest.FixtureRequest) -> Link:
    return Link(request.param)


def test_work_that_ended_while_the_portal_was_away_ended_then(link: Link) -> None:
    started, over, back = BEGAN + timedelta(seconds=5), BEGAN + RAN, BEGAN + AWAY
    link.say(started, containers=link.runs(started, started))
    with freeze(back - timedelta(seconds=1)):  # the portal is back before the node
        gpu_accounting.count_running()
        update_usage()
    assert link.gpu_seconds() == ms(AWAY) // 1000 - 1

    link.say(back, ended=(link.end(back, started, over),))

    work = link.fresh()
    assert (work.state, work.started_at, work.finished_at) == ("succeeded", started, over)
    assert (link.held.finished_at, link.held.released_at) == (over, back)
    assert AllocationDevice.objects.get().released_at == back
    assert link.gpu_seconds() == 30
    assert work.attained_gpu_s == 30
    assert DecayedGpuUse.objects.get().gpu_milli_ms < 60 * 1_000_000
    with freeze(back + timedelta(minutes=2)):
        update_usage()
        assert_sound()
    assert metered_s() == 30
    assert learned_s(work, back) == 25


def learned_s(work: Workload, moment: datetime) -> int | None:
    """Return how long such a job is expected to run by what has ended."""
    learned = LearnedRunTimes()
    learned.refresh(moment)
    traits = str(work.group_id), str(work.owner_id), request_of(work), str(work.image_id)
    return learned.predict_s((*traits, work.command_digest))


def test_budgets_get_back_what_the_outage_had_taken(link: Link) -> None:
    budget = Budget.objects.create(group=link.scene.group, period="month", gpu_hours=10)
    started, over, back = BEGAN + timedelta(seconds=5), BEGAN + RAN, BEGAN + AWAY
    link.say(started, containers=link.runs(started, started))

    def used() -> int:
        with freeze(back):
            (standing,) = budget_standings_for_system([budget], back)
        return standing.used

    assert used() == ms(AWAY) // 1000
    link.say(back, ended=(link.end(back, started, over),))
    assert used() == 30


def test_work_that_began_and_ended_unheard_has_its_own_times(link: Link) -> None:
    began, over, back = BEGAN + timedelta(hours=1), BEGAN + timedelta(hours=3), BEGAN + AWAY

    link.say(back, ended=(link.end(back, began, over, code=3),))

    work = link.fresh()
    assert (work.state, work.finished_at) == ("failed", over)
    assert (link.held.started_at, link.held.finished_at) == (began, over)
    assert link.gpu_seconds() == 3 * 3600
    assert_sound()


def test_work_that_began_unheard_has_its_time_limit_from_then(link: Link) -> None:
    began, back = BEGAN + timedelta(minutes=10), BEGAN + timedelta(minutes=50)

    link.say(back, containers=link.runs(back, began))

    assert link.fresh().started_at == link.held.started_at == began
    link.say(back + timedelta(seconds=5), containers=link.runs(back, began))
    assert link.fresh().started_at == link.held.started_at == began
    with freeze(began + timedelta(seconds=3601)):  # it asked for an hour
        run_sweep(heartbeat=timedelta(days=1))
    assert link.fresh().outcome == "expired"


def test_a_notebook_began_when_it_answered() -> None:
    link = Link(kind="environment")
    created, ready = BEGAN + timedelta(seconds=5), BEGAN + timedelta(seconds=65)
    begins = starting(link.held).model_copy(update={"started_at": link.wall(created)})
    link.say(created, containers=(begins,))
    assert link.fresh().started_at is None

    link.say(ready, containers=link.runs(ready, ready))

    assert link.fresh().started_at == ready
    over, back = BEGAN + RAN * 4, BEGAN + AWAY
    link.say(back, ended=(link.end(back, created, over),))
    work = link.fresh()
    assert (work.state, work.started_at, work.finished_at) == ("suspended", ready, over)


def test_a_gang_ends_with_its_last_rank_whoever_reports_first() -> None:
    with freeze(BEGAN):
        scene = a_scene(nodes=2)
        work = scene.work(gpus=1, replicas=2)
        held = scene.place(work, scene.placement(0, cards=(0,)), scene.placement(1, cards=(0,)))
        for link in scene.links:
            link.beat()
    back = BEGAN + AWAY
    for number, over in ((1, BEGAN + timedelta(hours=5)), (0, BEGAN + timedelta(hours=4))):
        times = {"ended_ms": ms(back - over), "started_at": 0, "finished_at": 3_600_000}
        with freeze(back):
            scene.links[number].beat(finished=[finished(held[number]).model_copy(update=times)])

    work.refresh_from_db()
    assert (work.state, work.finished_at) == ("succeeded", BEGAN + timedelta(hours=5))
    assert work.started_at == BEGAN + timedelta(hours=4)  # when both ran
    assert sum(DailyGpuUse.objects.values_list("gpu_milli_ms", flat=True)) == 9 * 3600 * 10**6


IMPLAUSIBLE: dict[str, tuple[int, datetime]] = {
    "before it was placed": (ms(AWAY) + 3_600_000, BEGAN),
    "before all times": (2**53, BEGAN),
    "now": (0, BEGAN + AWAY),
}


@pytest.mark.parametrize("case", IMPLAUSIBLE.values(), ids=IMPLAUSIBLE)
def test_an_end_is_neither_before_the_beginning_nor_ahead(case: tuple[int, datetime]) -> None:
    ended_ms, expected = case
    link = Link()
    back = BEGAN + AWAY
    end = link.end(back, BEGAN, BEGAN).model_copy(update={"ended_ms": ended_ms})

    link.say(back, ended=(end,))

    work = link.fresh()
    assert work.started_at is not None
    assert work.finished_at is not None
    assert work.started_at <= work.finished_at <= back
    assert link.gpu_seconds() == ms(expected - BEGAN) // 1000
    assert_sound()


def test_an_older_agent_says_no_age_and_ends_now() -> None:
    link = Link()
    back = BEGAN + AWAY
    scripted = link.scene.links[0]
    with freeze(back):
        scripted.beat(finished=[finished(link.held)])

    work = link.fresh()
    assert work.finished_at == back
    assert link.held.started_at == back - timedelta(seconds=1)  # it says that it ran a second
    assert to_millis(BEGAN) > NOW_MS


@pytest.mark.parametrize("proof", ["missing", "tombstone", "new boot"])
def test_an_end_without_a_word_is_at_the_last_word_of_the_node(proof: str) -> None:
    link = Link()
    heard, back = BEGAN + timedelta(minutes=5), BEGAN + AWAY
    containers = () if proof == "tombstone" else link.runs(heard, heard)
    link.say(heard, containers=containers)
    if proof == "new boot":
        link.scene.links[0].boot_id = "boot-2"
    graves = (tombstone(link.held),) if proof == "tombstone" else ()

    link.say(back, graves=graves)

    work = link.fresh()
    assert (work.state, link.held.finished_at, link.held.released_at) == ("queued", heard, back)
    assert link.gpu_seconds() == 300
    assert_sound()


def test_replaceable_work_counts_to_the_end_of_the_lease_and_lost_work_to_the_last_word() -> None:
    with freeze(BEGAN):
        replaced, kept = a_scene(silence="replace"), a_scene()
        held = []
        for scene in (replaced, kept):
            work = scene.work(gpus=1)
            held += scene.place(work, scene.placement(cards=(0,)))
            scene.links[0].beat()
            scene.links[0].beat(containers=[running(held[-1])])
    lease_until = Node.objects.get(pk=replaced.nodes[0].pk).lease_until
    with freeze(BEGAN + AWAY):
        run_sweep(heartbeat=timedelta(seconds=5))
        node_loss.give_up_node(
            Node.objects.get(pk=kept.nodes[0].pk), LossKind.DECLARED, actor=SWEEP_ACTOR
        )

    ends = [Allocation.objects.get(pk=item.pk).billed_until for item in held]
    assert ends == [lease_until, BEGAN]
    assert_sound()


def test_each_second_of_many_outages_is_counted_once() -> None:
    """Counting and ends meet in every order; sums stay those of the ledger."""
    with freeze(BEGAN):
        scene = a_scene(cards=8)
        works = [scene.work(gpus=1) for _ in range(8)]
        held = [
            scene.place(work, scene.placement(cards=(card,)))[0] for card, work in enumerate(works)
        ]
        scene.links[0].beat()
    for number in range(8):
        over = BEGAN + timedelta(hours=7 * number, milliseconds=333 * number)
        back = BEGAN + timedelta(hours=7 * number + 11 * (number % 3), seconds=3)
        with freeze(back):
            gpu_accounting.count_running()
            update_usage()
            end = finished(held[number]).model_copy(update={"ended_ms": ms(back - over)})
            left = [running(item) for item in held[number + 1 :]]
            scene.links[0].beat(containers=left, finished=[end])
            update_usage()
    with freeze(BEGAN + timedelta(days=4)):
        update_usage()
        assert_sound()

    expected = sum(7 * number * 3_600_000 + 333 * number for number in range(8))
    assert sum(UsageDay.objects.values_list("gpu_milli_ms", flat=True)) == expected * 1000
    counted = sum(DailyGpuUse.objects.values_list("gpu_milli_ms", flat=True))
    assert expected * 1000 - 100 * 1000 <= counted <= expected * 1000
