"""The brake: whatever decides evictions, work that gets nowhere is held after three of them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from portal.alarms.evaluation import evaluate_alarms
from portal.alarms.models import Alarm
from portal.common.clock import freeze, to_millis
from portal.common.errors import DomainError
from portal.identity.models import Notice, User
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Allocation, Workload
from portal.workloads.operations.nodes import NODE_DRAINED
from portal.workloads.state import lifecycle
from portal.workloads.sweep import run_sweep
from portal.workloads.system_actors import SWEEP_ACTOR
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import EvictionCause
from scheduler.runtime.loop import run_once
from tests.builders.at_once import at_once
from tests.builders.people import a_member, a_user
from tests.builders.scenes import Scene, a_scene, assert_sound
from tests.builders.scripted_node import finished, running
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
BEGAN = datetime(2026, 6, 1, 4, tzinfo=UTC)
HELD = "held_after_evictions"


class Storm:
    """Work on one card, and a core that evicts it for nobody as soon as it is placed."""

    def __init__(
        self, rules: dict[str, int] | None = None, *, kind: str = "training", replicas: int = 1
    ) -> None:
        self.scene: Scene = a_scene(cards=2)
        self.scene.pool.policy = rules or {}
        self.scene.pool.save()
        asked: dict[str, Any] = {"kind": kind, "preemptible": True, "replicas": replicas}
        self.work = self.scene.work(gpus=1, **asked)
        self.at = BEGAN
        self.cause = EvictionCause.RECLAIMED

    def start(self) -> bool:
        """Let it run, unless it is held."""
        self.work.refresh_from_db()
        spots = [self.scene.placement(cards=(card,)) for card in range(self.work.replicas)]
        with freeze(self.at):
            try:
                held = self.scene.place(self.work, *spots)
            except PlacementRefusedError:
                return False
            self.scene.links[0].beat()
            self.scene.links[0].beat(containers=[running(item) for item in held])
        self.work.refresh_from_db()
        return self.work.state == "running"

    def evict(self, after_s: int = 0) -> None:
        """Evict it when it has run for so long, and let its containers end."""
        self.at += timedelta(seconds=after_s)
        held = self.scene.held(self.work)
        with freeze(self.at):
            lifecycle.evict_workload(
                workload_id=WorkloadId(str(self.work.pk)),
                version=self.work.version,
                cause=self.cause,
                beneficiary=None,
                grace_s=0,
            )
            self.scene.links[0].beat(finished=[finished(item, 143) for item in held])
        self.work.refresh_from_db()

    def stops(self, after_s: int = 0, most: int = 10) -> int:
        """Return how often it is stopped before it is held; at most so often is tried."""
        count = 0
        while count < most and self.start():
            self.evict(after_s)
            count += 1
        return count

    def release(self, by: User | None = None) -> Any:
        return browser(by or self.scene.owner).post(
            f"{API}/jobs/{self.work.pk}/release", {}, format="json"
        )


def test_a_hundred_evictions_are_three_stops_and_then_a_hold() -> None:
    storm = Storm()

    assert storm.stops(most=100) == 3

    assert (storm.work.state, storm.work.held_by, storm.work.evictions) == (
        "queued",
        "evictions",
        3,
    )
    assert Allocation.objects.count() == 3
    run_once()
    shown = json_of(browser(storm.scene.owner).get(f"{API}/jobs/{storm.work.pk}"))
    assert [reason["code"] for reason in shown["reasons"]] == [HELD]
    assert storm.work.events.filter(cause=HELD).count() == 1
    assert_sound()


def test_its_owner_and_heads_are_told_once_and_staff_by_an_alarm() -> None:
    storm = Storm()
    head, operator = a_member(storm.scene.group, "group_admin"), a_user(role="operator")
    colleague = a_member(storm.scene.group)

    storm.stops()

    told = Notice.objects.filter(code="work_braked")
    assert {notice.user_id for notice in told} == {storm.scene.owner.pk, head.pk}
    assert told.count() == 2
    assert {notice.params["times"] for notice in told} == {3}
    assert not told.filter(user=colleague).exists()
    evaluate_alarms()
    (alarm,) = Alarm.objects.filter(rule__kind="work_held")
    assert (alarm.subject_id, alarm.state, alarm.detail) == (storm.work.pk, "firing", "3")
    assert Notice.objects.filter(code="alarm_fired", user=operator).count() == 1


def test_releasing_it_counts_anew() -> None:
    storm = Storm()
    storm.stops()

    for _ in range(2):
        json_of(storm.release(), 202)
        storm.work.refresh_from_db()
        assert (storm.work.held_by, storm.work.fruitless_evictions) == ("", 0)
        assert storm.stops() == 3


def test_a_stronger_hold_takes_its_place_and_its_owner_cannot_release_that() -> None:
    storm = Storm()
    storm.stops()
    operator = browser(a_user(role="operator"))
    json_of(operator.post(f"{API}/jobs/{storm.work.pk}/hold", {}, format="json"), 202)

    problem_of(storm.release(), 403, "held_by_other")


def test_a_notebook_is_started_again_by_its_owner() -> None:
    storm = Storm(kind="environment")
    assert storm.stops() == 3
    client = browser(storm.scene.owner)
    listed = json_of(client.get(f"{API}/environments?owner=me"))["results"]
    assert "start" in listed[0]["actions"]

    json_of(client.post(f"{API}/environments/{storm.work.pk}/start"), 202)

    storm.work.refresh_from_db()
    assert (storm.work.held_by, storm.work.fruitless_evictions) == ("", 0)
    assert storm.start()


RAN: dict[str, tuple[dict[str, int], int, bool]] = {
    "for as long as a start is protected": ({"min_runtime_s": 300}, 300, True),
    "a second less": ({"min_runtime_s": 300}, 299, False),
    "a minute where nothing is protected": ({"min_runtime_s": 0}, 60, True),
    "less than a minute where nothing is protected": ({"min_runtime_s": 0}, 59, False),
    "its whole turn": ({"min_runtime_s": 600, "turn_s": 120}, 120, True),
    "less than its turn": ({"min_runtime_s": 600, "turn_s": 120}, 119, False),
}


@pytest.mark.parametrize("case", RAN.values(), ids=RAN)
def test_what_ran_for_long_enough_is_never_braked(case: tuple[dict[str, int], int, bool]) -> None:
    rules, seconds, is_progress = case

    assert Storm(rules).stops(after_s=seconds, most=12) == (12 if is_progress else 3)


def test_progress_between_evictions_counts_anew() -> None:
    storm = Storm({"min_runtime_s": 60})
    for after_s in (1, 1, 600, 1, 1, 60, 1, 1):
        assert storm.start()
        storm.evict(after_s)
        assert storm.work.held_by == ""
    assert storm.stops() == 1
    assert storm.work.evictions == 9


@pytest.mark.parametrize("when", ["while it runs", "during its notice"])
def test_a_checkpoint_is_progress(when: str) -> None:
    storm = Storm()
    client = browser(storm.scene.owner)

    def save() -> None:
        with freeze(storm.at):
            address = f"{API}/workloads/{storm.work.pk}/checkpoint"
            json_of(client.post(address, {}, format="json"))

    for _ in range(8):
        assert storm.start()
        held = storm.scene.held(storm.work)
        if when == "while it runs":
            save()
            storm.evict(1)
            continue
        storm.at += timedelta(seconds=1)
        with freeze(storm.at):
            lifecycle.evict_workload(
                workload_id=WorkloadId(str(storm.work.pk)),
                version=storm.work.version,
                cause=storm.cause,
                beneficiary=None,
                grace_s=60,
            )
        save()
        with freeze(storm.at):
            storm.scene.links[0].beat(finished=[finished(item, 143) for item in held])
    storm.work.refresh_from_db()
    assert (storm.work.held_by, storm.work.evictions) == ("", 8)


def test_a_checkpoint_after_the_third_notice_releases_it() -> None:
    storm = Storm()
    for _ in range(2):
        storm.start()
        storm.evict()
    assert storm.start()
    (held,) = storm.scene.held(storm.work)
    with freeze(storm.at):
        lifecycle.evict_workload(
            workload_id=WorkloadId(str(storm.work.pk)),
            version=storm.work.version,
            cause=storm.cause,
            beneficiary=None,
            grace_s=60,
        )
        storm.work.refresh_from_db()
        assert storm.work.held_by == "evictions"
        saved = {"checkpointed_at": to_millis(storm.at)}
        report = running(held).model_copy(update=saved)
        storm.scene.links[0].beat(containers=[report])
        storm.scene.links[0].beat(finished=[finished(held, 0)])

    storm.work.refresh_from_db()
    assert (storm.work.held_by, storm.work.fruitless_evictions) == ("", 0)
    assert storm.start()


def test_a_rank_that_has_finished_is_progress() -> None:
    storm = Storm(replicas=2)
    for _ in range(5):
        assert storm.start()
        first, second = storm.scene.held(storm.work)
        with freeze(storm.at):
            storm.scene.links[0].beat(containers=[running(second)], finished=[finished(first)])
        storm.work.refresh_from_db()
        storm.evict()
    assert storm.work.held_by == ""


def test_the_storm_at_the_end_of_a_reservation_is_braked_too() -> None:
    storm = Storm()
    for _ in range(10):
        if not storm.start():
            break
        Workload.objects.filter(pk=storm.work.pk).update(must_end_at=BEGAN)
        held = storm.scene.held(storm.work)
        with freeze(storm.at):
            run_sweep(heartbeat=timedelta(seconds=5))
            storm.scene.links[0].beat(finished=[finished(item, 143) for item in held])
        storm.work.refresh_from_db()
    assert (storm.work.evictions, storm.work.held_by) == (3, "evictions")


def test_nodes_that_are_drained_brake_nothing() -> None:
    storm = Storm()
    for _ in range(5):
        assert storm.start()
        held = storm.scene.held(storm.work)
        with freeze(storm.at):
            with transaction.atomic():
                work = lifecycle.lock_workload(storm.work.pk)
                lifecycle.displace_workload(work, cause=NODE_DRAINED, grace_s=0, actor=SWEEP_ACTOR)
            storm.scene.links[0].beat(finished=[finished(item, 143) for item in held])
        storm.work.refresh_from_db()
    assert (storm.work.held_by, storm.work.evictions) == ("", 5)


def test_evictions_at_once_are_one() -> None:
    storm = Storm()
    for expected in (1, 2, 3):
        assert storm.start()
        version, held = storm.work.version, storm.scene.held(storm.work)

        def evict(_: int, version: int = version) -> str:
            try:
                with freeze(storm.at):
                    lifecycle.evict_workload(
                        workload_id=WorkloadId(str(storm.work.pk)),
                        version=version,
                        cause=storm.cause,
                        beneficiary=None,
                        grace_s=0,
                    )
            except DomainError as error:
                return error.code
            return "evicted"

        assert sorted(at_once(8, evict)).count("evicted") == 1
        with freeze(storm.at):
            storm.scene.links[0].beat(finished=[finished(item, 143) for item in held])
        storm.work.refresh_from_db()
        assert storm.work.evictions == expected
    assert not storm.start()
    assert_sound()
