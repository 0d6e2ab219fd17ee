"""Advance reservations by the API and through the scheduler, on real PostgreSQL."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from portal.audit.models import AuditEvent
from portal.common.clock import freeze, now
from portal.identity.models import OutgoingMail, User
from portal.inventory.models import Accelerator, Node
from portal.reservations.models import AdvanceReservation, ReservationWindow, ReservedDevice
from portal.reserving.replacement import replace_failed_devices
from portal.reserving.requests import release_unused
from portal.tenancy.models import Group
from portal.workloads import sweep
from portal.workloads.models import PoolQueue, Workload
from portal.workloads.snapshot.loader import load_snapshot
from scheduler.core.cycle import run_cycle
from scheduler.runtime.loop import run_once
from scheduler.runtime.plan_applier import begin_starts
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_quota, a_scene, assert_sound, cancel
from tests.builders.workloads import a_workload
from tests.rest import API, browser, json_of, problem_of
from tests.site_config import override_site_config

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
URL = f"{API}/reservations"
START = datetime.fromisoformat("2026-11-24T01:00:00+00:00")
HOUR = timedelta(hours=1)


def asked(scene: Scene, **changes: Any) -> dict[str, Any]:
    """Return a request for four GPUs, from nine to twelve on the site's clock."""
    return {
        "name": "Course",
        "group": str(scene.group.pk),
        "pool": str(scene.pool.pk),
        "gpus": 4,
        "starts_at": START.isoformat(),
        "ends_at": (START + 3 * HOUR).isoformat(),
    } | changes


def operator() -> Any:
    """Return a client of an operator."""
    return browser(a_user(role="operator"))


def another_member() -> tuple[Any, Any]:
    """Return another group, and a member of it."""
    group = a_group()
    return group, a_member(group)


def test_an_operator_reserves_and_cancels() -> None:
    scene = a_scene(nodes=2, cards=4)
    admin = operator()
    with freeze(START - 24 * HOUR):
        weekly = asked(scene, weekly_until=(START + timedelta(days=14)).isoformat())
        made = json_of(admin.post(URL, weekly, format="json"), 201)

        assert [row["starts_at"][:10] for row in made["windows"]] == [
            "2026-11-24",
            "2026-12-01",
            "2026-12-08",
        ]
        assert (made["gpus"], made["at_risk"], made["is_open"]) == (4, 0, False)
        kept = ReservedDevice.objects.values_list("accelerator__node", flat=True)
        assert (len(kept), len(set(kept))) == (12, 1)  # four cards of one node in three weeks
        Node.objects.filter(pk=kept[0]).update(state="draining")
        assert json_of(admin.get(f"{URL}/{made['id']}"))["at_risk"] == 4

        assert admin.delete(f"{URL}/{made['id']}").status_code == 204
        assert json_of(admin.get(URL))["results"] == []
    assert ReservedDevice.objects.count() == 0
    acts = AuditEvent.objects.order_by("id").values_list("action", flat=True)
    assert list(acts) == ["reservation.create", "reservation.cancel"]


def test_members_may_not_reserve_and_others_see_only_that_it_exists() -> None:
    scene = a_scene(cards=4)
    _, other = another_member()
    with freeze(START - HOUR):
        problem_of(browser(scene.owner).post(URL, asked(scene), format="json"), 403, "denied")
        made = json_of(operator().post(URL, asked(scene), format="json"), 201)

        (own,) = json_of(browser(scene.owner).get(URL))["results"]
        (others,) = json_of(browser(other).get(URL))["results"]
        problem_of(browser(other).get(f"{URL}/{made['id']}"), 404, "not_found")
    assert (own["name"], own["may_cancel"]) == ("Course", False)
    assert (others["name"], others["group"], others["gpus"]) == ("", None, 4)


def test_a_refusal_names_every_promise_in_the_way() -> None:
    scene = a_scene(cards=4)
    Group.objects.filter(pk=scene.group.pk).update(title_en="Our vision")
    admin = operator()
    long = scene.work(gpus=1, time_limit_s=3 * 86_400)
    scene.place(long, scene.placement(cards=(0,)))
    with freeze(now()):
        start = now() + HOUR
        when = {
            "starts_at": start.isoformat(),
            "ends_at": (start + HOUR).isoformat(),
        }
        refused = problem_of(
            admin.post(URL, asked(scene, **when), format="json"), 409, "reservation_refused"
        )
        json_of(admin.post(URL, asked(scene, **when, name="First", gpus=2), format="json"), 201)
        again = problem_of(
            admin.post(URL, asked(scene, **when, gpus=2), format="json"), 409, "reservation_refused"
        )

    assert refused["params"] == {"available": 3, "requested": 4}
    later, fault = refused["errors"]
    assert (later["code"], later["pointer"]) == ("reservation_possible_from", "/starts_at")
    assert (fault["code"], fault["params"]["name"]) == ("reserved_by_work", long.name)
    assert later["params"]["from"] == fault["params"]["until"]
    assert all(part in fault["detail"] for part in (long.name, "Our vision", "(Asia/Shanghai)"))
    assert [fault["code"] for fault in again["errors"]] == [
        "reservation_possible_from",
        "reserved_by_reservation",
        "reserved_by_work",
    ]


def test_a_refusal_proposes_the_next_start_and_names_a_few_promises() -> None:
    scene = a_scene(cards=6)
    for card in range(5):
        work = scene.work(gpus=1, time_limit_s=(card + 2) * 3600)
        scene.place(work, scene.placement(cards=(card,)))
    with freeze(now()):
        start = now() + HOUR
        when = {"starts_at": start.isoformat(), "ends_at": (start + HOUR).isoformat()}
        refused = problem_of(
            operator().post(URL, asked(scene, **when, gpus=3), format="json"),
            409,
            "reservation_refused",
        )
        later, *faults = refused["errors"]
        day, time, _ = later["params"]["from"].split()
        possible = datetime.fromisoformat(f"{day}T{time}:00+08:00") + timedelta(minutes=1)
        when = {"starts_at": possible.isoformat(), "ends_at": (possible + HOUR).isoformat()}
        json_of(operator().post(URL, asked(scene, **when, gpus=3), format="json"), 201)
    assert refused["params"] == {"available": 1, "requested": 3}
    assert [fault["code"] for fault in faults] == [*["reserved_by_work"] * 3, "reserved_by_others"]
    assert faults[-1]["params"] == {"count": 2}
    assert {fault["pointer"] for fault in faults} == {""}


BAD = {
    "a start in the past": ({"starts_at": "2026-11-20T00:00:00Z"}, "reservation_in_the_past"),
    "an end before the start": ({"ends_at": "2026-11-24T00:30:00Z"}, "reservation_in_the_past"),
    "too short": ({"ends_at": "2026-11-24T01:01:00Z"}, "reservation_length"),
    "too far": (
        {"starts_at": "2028-11-24T01:00:00Z", "ends_at": "2028-11-24T02:00:00Z"},
        "reservation_too_far",
    ),
    "neither GPUs nor slices": ({"gpus": 0}, "reservation_gpus_or_slices"),
    "slices of a pool without": ({"gpus": 0, "slices": 2}, "reservation_no_slices"),
    "an unknown user": (
        {"users": ["00000000-0000-0000-0000-000000000001"]},
        "reservation_unknown_user",
    ),
}


@pytest.mark.parametrize("row", BAD.values(), ids=BAD)
def test_what_cannot_be_reserved(row: tuple[dict[str, Any], str]) -> None:
    changes, code = row
    scene = a_scene(cards=4)
    with freeze(START - 24 * HOUR):
        problem_of(operator().post(URL, asked(scene, **changes), format="json"), 422, code)


def test_others_are_kept_out_and_its_group_starts_at_the_start() -> None:
    scene = a_scene(cards=4)
    group, member = another_member()
    for each in (scene.group, group):
        a_quota(each, ceiling=None)
    with freeze(START - HOUR):
        json_of(operator().post(URL, asked(scene), format="json"), 201)
        other = a_workload(member, group, scene.pool, gpus=1, time_limit_s=86_400)
        pupil = scene.work(gpus=1, kind="environment", time_limit_s=86_400)
        run_once()
        assert states(other, pupil) == ["queued", "queued"]
        assert reasons(scene) == {"reserved"}
    with freeze(START + timedelta(seconds=5)):
        run_once()
        assert states(other, pupil) == ["queued", "placing"]
    pupil.refresh_from_db()
    assert pupil.must_end_at == START + 3 * HOUR
    with freeze(START + 3 * HOUR + timedelta(seconds=1)):
        sweep.run_sweep(heartbeat=timedelta(seconds=5))
    pupil.refresh_from_db()
    assert pupil.cause == "reservation_over"
    assert pupil.outcome == "suspended" or pupil.state == "suspended"
    assert_sound()


def test_a_stale_plan_is_refused_by_a_reservation_made_meanwhile() -> None:
    scene = a_scene(cards=4)
    group, member = another_member()
    other = a_workload(member, group, scene.pool, gpus=1, time_limit_s=86_400)
    with freeze(START - HOUR):
        snapshot = load_snapshot()
        plan = run_cycle(snapshot, snapshot.taken_at)
        json_of(operator().post(URL, asked(scene), format="json"), 201)
        applied = begin_starts(plan.starts).finish()

    assert (applied.placed, len(applied.refused)) == (0, 1)
    assert states(other) == ["queued"]


def test_what_may_be_evicted_runs_before_the_window_and_leaves_in_time() -> None:
    scene = a_scene(cards=4)
    group, member = another_member()
    guest = a_workload(member, group, scene.pool, gpus=4, time_limit_s=86_400, preemptible=True)
    with freeze(START - 2 * HOUR):
        json_of(operator().post(URL, asked(scene), format="json"), 201)
        run_once()
        assert states(guest) == ["placing"]
    Workload.objects.filter(pk=guest.pk).update(started_at=START - 2 * HOUR)
    with freeze(START - timedelta(seconds=80)):
        run_once()
    guest.refresh_from_db()
    assert (guest.state, guest.cause) == ("queued", "reserved")
    assert_sound()


def test_a_window_into_which_nobody_comes_is_given_back() -> None:
    scene = a_scene(cards=4)
    admin = operator()
    with freeze(START - HOUR):
        made = json_of(
            admin.post(URL, asked(scene, release_unused_after_s=600), format="json"), 201
        )
    with freeze(START + timedelta(seconds=599)):
        assert release_unused() == 0
    with freeze(START + timedelta(seconds=601)):
        assert release_unused() == 1
        assert load_snapshot().reservations == ()
    (window,) = ReservationWindow.objects.filter(reservation=UUID(made["id"]))
    assert window.released_at == window.ends_at == START + timedelta(seconds=601)


def test_a_window_that_is_used_is_not_given_back() -> None:
    scene = a_scene(cards=4)
    with freeze(START - HOUR):
        json_of(operator().post(URL, asked(scene, release_unused_after_s=600), format="json"), 201)
    pupil = scene.work(gpus=1, kind="environment", time_limit_s=3600)
    with freeze(START + timedelta(seconds=60)):
        run_once()
        assert states(pupil) == ["placing"]
    with freeze(START + timedelta(seconds=700)):
        assert release_unused() == 0
    assert AdvanceReservation.objects.count() == 1


def test_a_cancelled_reservation_ends_no_work() -> None:
    """Neither what is inside, nor what had to leave before it; other reservations still count."""
    scene = a_scene(cards=4)
    admin = operator()
    early = scene.work(gpus=1, time_limit_s=1800)
    scene.place(early, scene.placement(cards=(0,)))
    with freeze(now() + timedelta(seconds=1)):
        start = now() + HOUR
        when = {"starts_at": start.isoformat(), "ends_at": (start + HOUR).isoformat()}
        first = json_of(admin.post(URL, asked(scene, **when), format="json"), 201)
        after = {
            "starts_at": (start + 2 * HOUR).isoformat(),
            "ends_at": (start + 3 * HOUR).isoformat(),
        }
        json_of(admin.post(URL, asked(scene, **after, name="Later"), format="json"), 201)
        early.refresh_from_db()
        assert early.must_end_at == start
    pupil = scene.work(gpus=1, kind="environment", time_limit_s=86_400)
    with freeze(start + timedelta(seconds=5)):
        run_once()
        pupil.refresh_from_db()
        assert pupil.must_end_at == start + HOUR
        assert admin.delete(f"{URL}/{first['id']}").status_code == 204
    for work in (early, pupil):
        work.refresh_from_db()
        assert work.must_end_at == start + 2 * HOUR
    assert_sound()


def test_others_follow_once_an_open_reservation_is_cancelled() -> None:
    scene = a_scene(cards=2)
    admin = operator()
    group, member = another_member()
    moment = now() + timedelta(seconds=1)
    with freeze(moment):
        when = {"starts_at": moment.isoformat(), "ends_at": (moment + HOUR).isoformat()}
        made = json_of(admin.post(URL, asked(scene, **when, gpus=1), format="json"), 201)
        others = [a_workload(member, group, scene.pool, gpus=1) for _ in range(2)]
        pupil = scene.work(gpus=1, time_limit_s=300)
        run_once()
        assert sorted(states(*others)) == ["placing", "queued"]
        assert states(pupil) == ["placing"]
    with freeze(moment + timedelta(seconds=5)):
        assert admin.delete(f"{URL}/{made['id']}").status_code == 204
        cancel(pupil)
        run_once()
        assert states(*others) == ["placing", "placing"]


def test_a_failed_card_is_replaced_in_every_window() -> None:
    scene = a_scene(nodes=2, cards=4)
    admin = operator()
    with freeze(START - 24 * HOUR):
        weekly = asked(scene, weekly_until=(START + timedelta(days=7)).isoformat(), gpus=3)
        made = json_of(admin.post(URL, weekly, format="json"), 201)
        broken, *others = kept_cards(made)
        Accelerator.objects.filter(pk=broken).update(state="suspect")
        assert json_of(admin.get(f"{URL}/{made['id']}"))["at_risk"] == 1

        assert replace_failed_devices() == 1
        after = kept_cards(made)
        assert (len(after), broken in after, set(others) <= set(after)) == (3, False, True)
        assert ReservedDevice.objects.count() == 2 * 3
        shown = json_of(admin.get(f"{URL}/{made['id']}"))
        assert (shown["at_risk"], shown["missing"]) == (0, 0)
        assert replace_failed_devices() == 0
    acts = AuditEvent.objects.filter(action="reservation.move")
    assert [event.params["devices"] for event in acts] == [1]


@pytest.mark.parametrize("state", ["lost", "draining", "drained", "retired"])
def test_a_node_out_of_service_is_replaced_by_another(state: str) -> None:
    scene = a_scene(nodes=2, cards=4)
    with freeze(START - 24 * HOUR):
        made = json_of(operator().post(URL, asked(scene), format="json"), 201)
        (node,) = ReservedDevice.objects.values_list("accelerator__node", flat=True).distinct()
        for step in ("drained", "retired") if state == "retired" else (state,):
            Node.objects.filter(pk=node).update(state=step)
        assert replace_failed_devices() == 1
        (other,) = ReservedDevice.objects.values_list("accelerator__node", flat=True).distinct()
    assert other != node
    assert json_of(operator().get(f"{URL}/{made['id']}"))["missing"] == 0


def test_where_every_other_device_is_promised_it_says_what_is_missing() -> None:
    scene = a_scene(cards=4)
    admin = operator()
    with freeze(START - 24 * HOUR):
        made = json_of(admin.post(URL, asked(scene, gpus=3), format="json"), 201)
        json_of(admin.post(URL, asked(scene, gpus=1, name="Other"), format="json"), 201)
        broken = kept_cards(made)[0]
        Accelerator.objects.filter(pk=broken).update(state="suspect")
        User.objects.filter(platform_role="operator").update(email="op@example.org")
        with override_site_config(sends_mail=True):
            assert (replace_failed_devices(), replace_failed_devices()) == (0, 0)
        assert [mail.code for mail in OutgoingMail.objects.all()] == ["reservation_short"]
        shown = json_of(admin.get(f"{URL}/{made['id']}"))
        assert (shown["missing"], shown["missing_since"] is not None) == (1, True)

        Accelerator.objects.filter(pk=broken).update(state="ok")
        replace_failed_devices()
        assert json_of(admin.get(f"{URL}/{made['id']}"))["missing"] == 0
    acts = AuditEvent.objects.filter(action__in=["reservation.short", "reservation.whole"])
    assert list(acts.order_by("id").values_list("action", flat=True)) == [
        "reservation.short",
        "reservation.whole",
    ]


def test_work_leaves_the_device_that_replaces_another_and_not_the_failed_one() -> None:
    scene = a_scene(cards=4)
    moment = now().replace(microsecond=0) + timedelta(seconds=1)
    with freeze(moment):
        when = {
            "starts_at": (moment + HOUR).isoformat(),
            "ends_at": (moment + 2 * HOUR).isoformat(),
        }
        made = json_of(operator().post(URL, asked(scene, **when, gpus=1), format="json"), 201)
        (reserved,) = kept_cards(made)
        index = Accelerator.objects.get(pk=reserved).index
        on_it, beside = scene.work(gpus=1, time_limit_s=600), scene.work(gpus=3, time_limit_s=600)
        scene.place(on_it, scene.placement(cards=(index,)))
        others = tuple(number for number in range(4) if number != index)
        scene.place(beside, scene.placement(cards=others))
        for work in (on_it, beside):
            work.refresh_from_db()
        assert (on_it.must_end_at, beside.must_end_at) == (moment + HOUR, None)

        Accelerator.objects.filter(pk=reserved).update(state="suspect")
        assert replace_failed_devices() == 1
        for work in (on_it, beside):
            work.refresh_from_db()
        assert (on_it.must_end_at, beside.must_end_at) == (None, moment + HOUR)


def kept_cards(made: Any) -> list[Any]:
    """Return the cards that the first window of a reservation keeps."""
    (window, *_) = ReservationWindow.objects.filter(reservation=made["id"]).order_by("starts_at")
    rows = ReservedDevice.objects.filter(window=window).order_by("accelerator__index")
    return list(rows.values_list("accelerator", flat=True))


def states(*works: Workload) -> list[str]:
    for work in works:
        work.refresh_from_db()
    return [work.state for work in works]


def reasons(scene: Scene) -> set[str]:
    """Return the codes that the board has published for the pool."""
    row = PoolQueue.objects.get(pool=scene.pool)
    return {reason["code"] for answer in row.answers for reason in answer.get("reasons", ())}
