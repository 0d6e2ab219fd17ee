"""Idle notebooks on real rows: warned, without their cards, in the queue for them, stopped."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from portal.common.clock import freeze, now
from portal.common.errors import ConflictError, DeniedError
from portal.notebooks import services
from portal.quotas.services import recount_quotas
from portal.tenancy.actors import load_actor
from portal.workloads.idle import activity
from portal.workloads.models import Allocation, Idleness, Workload
from portal.workloads.responses.workloads import present_detail, present_summaries
from portal.workloads.selectors import workloads_visible_to
from portal.workloads.sweep import run_sweep
from scheduler.runtime import loop
from tests.builders.people import a_member
from tests.builders.scenes import Scene, a_quota, a_scene, assert_sound
from tests.builders.scripted_node import finished, running
from wire.messages import Desired
from wire.words import GpuReleaseState

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

RULES = {"idle_warn_s": 60, "idle_release_s": 600, "idle_stop_s": 1200, "idle_keep_s": 300}


@dataclass
class Notebook:
    """A running notebook with one card, and a clock for everybody who speaks of it."""

    scene: Scene
    work: Workload
    held: Allocation
    others: tuple[Any, ...] = ()
    """What else runs on the node, as it reports it."""
    s: int = 0
    mark: int = 1
    used_s: int = 0
    cards: GpuReleaseState = GpuReleaseState.HELD
    words: str = ""

    def use(self) -> None:
        """Let its node see that a cell runs."""
        self.mark, self.used_s = self.mark + 1, self.s

    def beat(self, **said: Any) -> Desired:
        """Let its node speak, at the present second."""
        with self.at():
            update = {
                "idle_ms": (self.s - self.used_s) * 1000,
                "use_mark": self.mark,
                "used_by": "kernel",
                "cards": self.cards,
                "cards_words": self.words,
            }
            own = running(self.held, port=8899).model_copy(update=update)
            return self.scene.links[0].beat(containers=[own, *self.others], **said)

    def pass_s(self, seconds: int) -> None:
        """Let time pass without use, with the node speaking and the timer sweeping."""
        self.s += seconds
        self.beat()
        with self.at():
            run_sweep(heartbeat=timedelta(seconds=5))

    def at(self) -> Any:
        """Be at the present second."""
        return freeze(self.began + timedelta(seconds=self.s))

    def __post_init__(self) -> None:
        self.began = now()

    @property
    def row(self) -> Idleness:
        """What is known of it."""
        return Idleness.objects.get(pk=self.work.pk)

    def notes(self) -> list[str]:
        """Return what has been told of it besides its states."""
        causes = self.work.events.order_by("id").values_list("cause", flat=True)
        return [cause for cause in causes if cause.startswith("idle_")]

    def shown(self) -> dict[str, Any]:
        """Return what its page says."""
        with self.at():
            self.work.refresh_from_db()
            found: dict[str, Any] = present_detail(self.work, None)["idle"]
            return found

    def own(self, reply: Desired) -> Any:
        """Return what a reply says of it."""
        return next(item for item in reply.containers if item.allocation == self.held.wire_name)


def a_notebook(*, cards: int = 1, **rules: int) -> Notebook:
    scene = a_scene(cards=cards)
    scene.pool.policy = {**RULES, **rules}
    scene.pool.save()
    work = scene.work(kind="environment", gpus=1)
    Workload.objects.filter(pk=work.pk).update(time_limit_s=100_000)
    (held,) = scene.place(work, scene.placement(cards=(0,)))
    scene.links[0].beat()
    notebook = Notebook(scene, work, held)
    notebook.beat()
    notebook.beat()
    work.refresh_from_db()
    assert work.state == "running"
    return notebook


def parked(notebook: Notebook) -> None:
    """Bring it to where its node has proven that its card is free."""
    notebook.pass_s(540)
    notebook.pass_s(61)
    assert notebook.own(notebook.beat()).is_parked
    notebook.cards, notebook.words = GpuReleaseState.AWAY, "kernels"
    notebook.beat()
    assert notebook.row.gpu_state == "released"


def test_busy_notebook_is_never_idle_however_long() -> None:
    notebook = a_notebook()
    for _ in range(10):
        notebook.use()
        notebook.pass_s(500)
    assert notebook.notes() == []
    assert notebook.row.gpu_state == "held"


def test_notebook_of_which_nothing_is_known_loses_nothing() -> None:
    notebook = a_notebook()
    notebook.s += 100_000 - 10
    with notebook.at():
        run_sweep(heartbeat=timedelta(days=2))
    assert notebook.notes() == []


def test_warning_comes_before_every_loss_and_counts_down() -> None:
    notebook = a_notebook()
    notebook.pass_s(100)
    assert notebook.shown()["next"] == "release"
    assert not notebook.shown()["is_warned"]
    notebook.pass_s(441)
    assert notebook.notes() == ["idle_warned_release"]
    shown = notebook.shown()
    assert shown["is_warned"]
    warned_at = notebook.row.warned_at
    assert warned_at is not None
    assert shown["next_at"] == warned_at + timedelta(seconds=60)
    notebook.pass_s(30)
    assert notebook.row.gpu_state == "held"


def test_lists_warn_of_the_next_loss_until_the_notebook_is_used() -> None:
    notebook = a_notebook()

    def warning() -> Any:
        with notebook.at():
            reader = load_actor(notebook.scene.owner)
            rows = workloads_visible_to(reader, {})
            [shown] = present_summaries(list(rows), actor=reader)
            return shown["idle_warning"]

    assert warning() is None
    notebook.pass_s(540)
    assert warning()["loss"] == "release"
    notebook.use()
    notebook.pass_s(31)
    assert warning() is None


def test_use_after_a_warning_takes_it_back() -> None:
    notebook = a_notebook()
    notebook.pass_s(545)
    notebook.use()
    notebook.pass_s(5)
    assert not notebook.shown()["is_warned"]
    notebook.pass_s(530)
    assert notebook.notes() == ["idle_warned_release"]


def test_keep_moves_the_loss_and_is_not_for_ever() -> None:
    notebook = a_notebook(idle_keeps_max=1)
    owner = load_actor(notebook.scene.owner)
    notebook.pass_s(545)
    with notebook.at():
        services.keep_notebook(actor=owner, workload_id=notebook.work.pk)
        assert notebook.shown()["keeps_left"] == 0
        with pytest.raises(ConflictError, match="kept_too_often"):
            services.keep_notebook(actor=owner, workload_id=notebook.work.pk)
    notebook.pass_s(100)
    assert notebook.row.gpu_state == "held"
    notebook.pass_s(200)
    assert notebook.notes() == ["idle_warned_release", "idle_kept", "idle_warned_release"]


def test_card_is_free_on_proof_only_and_others_get_it() -> None:
    notebook = a_notebook()
    other = notebook.scene.work(gpus=1)
    notebook.pass_s(540)
    notebook.pass_s(61)
    reply = notebook.own(notebook.beat())
    assert reply.is_parked
    assert reply.devices, "they are its own until it has left them"
    loop.run_once()
    other.refresh_from_db()
    assert other.state == "queued"

    notebook.cards = GpuReleaseState.AWAY
    assert notebook.own(notebook.beat()).devices == ()
    loop.run_once()
    other.refresh_from_db()
    notebook.work.refresh_from_db()
    assert (other.state, notebook.work.state) == ("placing", "running")
    assert_sound()


def test_quota_and_meter_follow_the_cards() -> None:
    notebook = a_notebook(cards=2)
    quota = a_quota(notebook.scene.group, ceiling=2000)
    recount_quotas()
    parked(notebook)
    quota.refresh_from_db()
    assert quota.used == 0
    notebook.held.refresh_from_db()
    assert notebook.held.total_gpu_milli == 0
    assert 600_000 <= notebook.held.released_gpu_milli_ms // 1000 <= 700_000
    assert recount_quotas() == 0
    assert_sound()


def test_user_who_returns_gets_a_card_through_the_queue() -> None:
    notebook = a_notebook()
    parked(notebook)
    other = notebook.scene.work(gpus=1)
    loop.run_once()
    (taken,) = notebook.scene.held(other)
    notebook.others = (running(taken),)
    notebook.s += 100
    notebook.use()
    notebook.beat()
    assert notebook.row.gpu_state == "requested"
    with notebook.at():
        loop.run_once()
    shown = notebook.shown()
    assert (shown["gpu_state"], shown["position"]) == ("requested", 1)
    assert shown["reasons"][0]["code"] in ("home_unavailable", "insufficient_now")

    notebook.others = ()
    notebook.beat(finished=[finished(taken)])
    with notebook.at():
        loop.run_once()
    assert notebook.row.gpu_state == "restoring"
    reply = notebook.own(notebook.beat())
    assert not reply.is_parked
    assert len(reply.devices) == 1
    notebook.cards, notebook.words = GpuReleaseState.HELD, ""
    notebook.beat()
    assert notebook.row.gpu_state == "held"
    assert notebook.notes()[-3:] == [
        "idle_gpus_requested",
        "idle_gpus_restoring",
        "idle_gpus_restored",
    ]
    assert_sound()


def test_user_who_returns_in_time_loses_nothing() -> None:
    notebook = a_notebook()
    notebook.pass_s(540)
    notebook.pass_s(61)
    assert notebook.row.gpu_state == "releasing"
    with notebook.at():
        activity.record_use(notebook.work.pk, "input", actor=load_actor(notebook.scene.owner))
    reply = notebook.own(notebook.beat())
    assert (reply.is_parked, len(reply.devices)) == (False, 1)


def test_notebook_that_cannot_leave_its_card_keeps_it_and_is_stopped_later() -> None:
    notebook = a_notebook()
    notebook.pass_s(540)
    notebook.pass_s(61)
    notebook.cards, notebook.words = GpuReleaseState.KEPT, "memory_not_returned"
    notebook.beat()
    assert (notebook.row.gpu_state, notebook.row.not_released_detail) == (
        "held",
        "memory_not_returned",
    )
    notebook.cards = GpuReleaseState.HELD
    notebook.pass_s(540)
    assert notebook.notes()[-1] == "idle_warned_stop"
    notebook.pass_s(61)
    notebook.work.refresh_from_db()
    assert (notebook.work.state, notebook.work.outcome) == ("stopping", "suspended")
    assert notebook.work.cause == "idle_too_long"


def test_parked_notebook_ends_and_frees_what_is_left() -> None:
    notebook = a_notebook()
    parked(notebook)
    services.stop_notebook(actor=load_actor(notebook.scene.owner), workload_id=notebook.work.pk)
    notebook.scene.links[0].beat(finished=[finished(notebook.held)])
    notebook.work.refresh_from_db()
    assert notebook.work.state == "suspended"
    assert_sound()


def test_only_its_owner_keeps_a_notebook() -> None:
    notebook = a_notebook()
    colleague = load_actor(a_member(notebook.scene.group))
    for act in (services.keep_notebook, services.request_gpus, services.restart_notebook):
        with pytest.raises(DeniedError):
            act(actor=colleague, workload_id=notebook.work.pk)


def test_start_elsewhere_is_a_new_attempt() -> None:
    notebook = a_notebook()
    parked(notebook)
    services.restart_notebook(actor=load_actor(notebook.scene.owner), workload_id=notebook.work.pk)
    notebook.work.refresh_from_db()
    assert (notebook.work.state, notebook.work.cause) == ("queued", "restarted")
