"""What rules do by themselves: to nodes, notebooks and jobs, only so often, and told in their events."""

from datetime import timedelta

import pytest

from portal.alarms.acts import ACTS_PER_HOUR_MAX, act_on_alarms
from portal.alarms.kinds import AlarmKind
from portal.alarms.models import Alarm
from portal.audit.models import AuditEvent
from portal.common.clock import freeze
from portal.inventory.models import Node
from portal.workloads.models import Idleness
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import a_scene
from tests.portal.alarms.scenes import NOON, evaluate_at, faulty_card, only_rule, running, sample
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def test_the_rule_cordons_the_node_by_the_service_of_operators() -> None:
    scene = a_scene()
    only_rule(AlarmKind.GPU_FAULT, act="cordon_node")
    faulty_card(scene)
    evaluate_at(NOON)
    with freeze(NOON):
        assert act_on_alarms() == 1
        assert act_on_alarms() == 0
    node = Node.objects.get(pk=scene.nodes[0].pk)
    assert node.hold == "cordon"
    alarm = Alarm.objects.get()
    assert alarm.outcome == "done"
    cordon = AuditEvent.objects.get(action="node.cordon")
    assert cordon.actor_name == "alarm: gpu_fault"
    act = AuditEvent.objects.get(action="alarm.act")
    assert act.params["outcome"] == "done"


@pytest.mark.django_db(transaction=True)
def test_the_rule_stops_an_idle_notebook_and_its_event_says_why() -> None:
    scene = a_scene()
    only_rule(AlarmKind.GPU_IDLE, duration_s=0, act="stop_notebook")
    work = running(scene, kind="environment")
    sample(work, 0)
    evaluate_at(NOON)
    with freeze(NOON):
        assert act_on_alarms() == 1
    work.refresh_from_db()
    assert work.state == "suspended"
    assert work.cause == "alarm_rule"
    assert work.events.order_by("-id")[0].params == {"rule": "gpu_idle"}


def test_a_job_is_not_stopped_and_the_alarm_says_so() -> None:
    scene = a_scene()
    only_rule(AlarmKind.GPU_IDLE, duration_s=0, act="stop_notebook")
    work = running(scene)
    sample(work, 0)
    evaluate_at(NOON)
    with freeze(NOON):
        assert act_on_alarms() == 0
    work.refresh_from_db()
    assert work.state == "running"
    assert Alarm.objects.get().outcome == "alarm_act_not_for_jobs"


@pytest.mark.django_db(transaction=True)
def test_the_rule_takes_its_gpus_from_an_idle_notebook_that_goes_on() -> None:
    scene = a_scene()
    only_rule(AlarmKind.GPU_IDLE, duration_s=0, act="release_gpus")
    work = running(scene, kind="environment")
    Idleness.objects.create(
        workload=work, epoch=work.epoch, active_at=NOON - timedelta(hours=3), reported_at=NOON
    )
    sample(work, 0)
    evaluate_at(NOON)
    with freeze(NOON):
        assert act_on_alarms() == 1
    work.refresh_from_db()
    assert work.state == "running"
    assert Idleness.objects.get(workload=work).gpu_state == "releasing"
    released = AuditEvent.objects.get(action="environment.release_gpus")
    assert released.actor_name == "alarm: gpu_idle"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("act", "state"), [("cancel_job", {"stopping", "cancelled"}), ("requeue_job", {"queued"})]
)
def test_the_rule_ends_or_requeues_an_idle_job(act: str, state: set[str]) -> None:
    scene = a_scene()
    only_rule(AlarmKind.GPU_IDLE, duration_s=0, act=act)
    work = running(scene)
    sample(work, 0)
    evaluate_at(NOON)
    with freeze(NOON):
        assert act_on_alarms() == 1
    work.refresh_from_db()
    assert work.state in state
    assert Alarm.objects.get().outcome == "done"


def test_notebooks_are_not_requeued_as_jobs_are() -> None:
    scene = a_scene()
    only_rule(AlarmKind.GPU_IDLE, duration_s=0, act="requeue_job")
    work = running(scene, kind="environment")
    sample(work, 0)
    evaluate_at(NOON)
    with freeze(NOON):
        assert act_on_alarms() == 0
    assert Alarm.objects.get().outcome == "alarm_act_for_jobs_only"


def test_a_rule_does_only_a_few_acts_an_hour() -> None:
    scene = a_scene(nodes=ACTS_PER_HOUR_MAX + 2)
    only_rule(AlarmKind.DISK_NEAR_FULL, duration_s=0, act="cordon_node")
    Node.objects.update(disk_mib=1000, disk_free_mib=10)
    evaluate_at(NOON)
    with freeze(NOON):
        assert act_on_alarms() == ACTS_PER_HOUR_MAX
        assert act_on_alarms() == 0
    with freeze(NOON + timedelta(minutes=61)):
        assert act_on_alarms() == 2
    assert {node.pk for node in scene.nodes} == set(
        Node.objects.filter(hold="cordon").values_list("pk", flat=True)
    )


def test_the_rule_tags_what_it_finds_and_lists_find_it_by_that() -> None:
    scene = a_scene()
    only_rule(AlarmKind.GPU_IDLE, duration_s=0, act="tag_work", tag="idle-gpu")
    work = running(scene)
    sample(work, 0)
    evaluate_at(NOON)
    with freeze(NOON):
        assert act_on_alarms() == 1
    work.refresh_from_db()
    assert (work.state, work.tags) == ("running", ["idle-gpu"])
    assert Alarm.objects.get().outcome == "done"
    act = AuditEvent.objects.get(action="workload.tag")
    assert act.actor_name == "alarm: gpu_idle"
    assert act.params["tags"] == {"before": [], "after": ["idle-gpu"]}

    def found(tag: str) -> list[str]:
        listed = json_of(browser(scene.owner).get(f"{API}/workloads", {"tag": tag}))["results"]
        return [row["id"] for row in listed]

    assert found("idle-gpu") == [str(work.pk)]
    assert found("idle") == []


def test_tags_are_replaced_by_those_who_may_stop_the_work() -> None:
    scene = a_scene()
    work = scene.work()
    address = f"{API}/workloads/{work.pk}/tags"
    owner = browser(scene.owner)
    assert json_of(owner.put(address, {"tags": ["a", "b", "a"]}, format="json")) == {
        "tags": ["a", "b"]
    }
    many = [f"t{number}" for number in range(9)]
    for bad in (many, ["two words"], [""], ["x" * 33]):
        problem_of(owner.put(address, {"tags": bad}, format="json"), 400, "invalid_input")
    viewer = browser(a_member(scene.group, "viewer"))
    problem_of(viewer.put(address, {"tags": []}, format="json"), 403, "denied")
    stranger = browser(a_member(a_group()))
    problem_of(stranger.put(address, {"tags": []}, format="json"), 404, "not_found")
    assert json_of(owner.put(address, {"tags": []}, format="json")) == {"tags": []}


def test_work_has_only_so_many_tags() -> None:
    scene = a_scene()
    only_rule(AlarmKind.GPU_IDLE, duration_s=0, act="tag_work", tag="one-more")
    work = running(scene, tags=[f"t{number}" for number in range(8)])
    sample(work, 0)
    evaluate_at(NOON)
    with freeze(NOON):
        assert act_on_alarms() == 0
    assert Alarm.objects.get().outcome == "tags_too_many"
    work.refresh_from_db()
    assert len(work.tags) == 8


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"act": "tag_work"}, "alarm_tag"),
        ({"act": "", "tag": "x"}, "alarm_tag"),
        ({"act": "tag_work", "tag": "two words"}, "invalid_input"),
        ({"kind": "gpu_hot", "act": "tag_work", "tag": "x"}, "alarm_act_of_kind"),
    ],
)
def test_a_rule_has_a_tag_exactly_if_it_tags(given: dict[str, str], code: str) -> None:
    rule = {
        "kind": "gpu_idle",
        "name": "n",
        "severity": "info",
        "threshold": 50,
        "duration_s": 60,
        **given,
    }
    admin = browser(a_user(role="platform_admin"))
    for address in ("alarm-rules", "alarm-rules/trial"):
        answer = admin.post(f"{API}/{address}", rule, format="json")
        problem_of(answer, 400 if code == "invalid_input" else 422, code)
