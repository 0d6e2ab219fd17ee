from datetime import timedelta

import pytest

from portal.common.clock import freeze, now
from portal.workloads.models import JobArray, Workload, WorkloadEvent
from portal.workloads.operations import node_state
from tests.builders.scenes import a_quota, a_scene, assert_sound, cancel, passed
from tests.builders.scripted_node import finished, running, starting, tombstone
from wire.messages import ArrayTask, Desired, Refused
from wire.versions import PROTOCOL_VERSION, SUPPORTED_VERSIONS
from wire.words import ExitCause

pytestmark = pytest.mark.django_db


def test_job_runs_from_placement_to_success() -> None:
    scene = a_scene()
    quota = a_quota(scene.group, ceiling=2000)
    job = scene.work(gpus=2)
    (held,) = scene.place(job, scene.placement(cards=(0, 1)))
    node = scene.links[0]

    reply = node.beat()

    (desired,) = reply.containers
    assert desired.allocation == held.wire_name
    assert [device.uuid for device in desired.devices] == [
        f"SIM-{node.node.name}-0",
        f"SIM-{node.node.name}-1",
    ]
    node.beat(containers=[starting(held)])
    node.beat(containers=[running(held)])
    quota.refresh_from_db()
    assert quota.used == 2000
    reply = node.beat(finished=[finished(held)])
    job.refresh_from_db()
    quota.refresh_from_db()
    assert (job.state, job.exit_code, quota.used) == ("succeeded", 0, 0)
    assert [ack.allocation for ack in reply.acks] == [held.wire_name]
    assert passed(job) == ["placing", "starting", "running", "succeeded"]


def test_a_node_is_sent_which_task_of_an_array_it_starts() -> None:
    scene = a_scene()
    job = scene.work(gpus=1)
    array = JobArray.objects.create(
        name="sweep", owner=scene.owner, group=scene.group, indexes="3-5", size=3
    )
    Workload.objects.filter(pk=job.pk).update(array=array, array_index=4)
    scene.place(job, scene.placement(cards=(0,)))

    (desired,) = scene.links[0].beat().containers

    assert desired.spec.array == ArrayTask(id=str(array.pk), index=4, size=3)


def test_work_that_ends_before_it_was_seen_running_passes_every_state() -> None:
    scene = a_scene()
    job = scene.work()
    (held,) = scene.place(job)
    scene.links[0].beat()

    scene.links[0].beat(finished=[finished(held)])

    assert passed(job) == ["placing", "starting", "running", "succeeded"]
    assert_sound()


def test_repeated_and_late_messages_change_nothing() -> None:
    scene = a_scene()
    job = scene.work()
    (held,) = scene.place(job)
    node = scene.links[0]
    node.beat()
    node.beat(containers=[running(held)])
    done = node.message(3, finished=[finished(held)])
    assert isinstance(node.repeat(done), Desired)
    events = WorkloadEvent.objects.count()

    for seq in (3, 2, 1):
        late = node.message(seq, containers=[running(held)], finished=[finished(held, 1)])
        reply = node.repeat(late)
        assert isinstance(reply, Refused)
        assert (reply.code, reply.detail) == ("stale_seq", "3")

    again = node.repeat(node.message(4, finished=[finished(held, 1)]))
    assert isinstance(again, Desired)
    assert len(again.acks) == 1
    job.refresh_from_db()
    assert (job.state, job.exit_code) == ("succeeded", 0)
    assert WorkloadEvent.objects.count() == events


def test_report_of_an_older_epoch_changes_nothing() -> None:
    scene = a_scene()
    job = scene.work()
    (first,) = scene.place(job)
    node = scene.links[0]
    node.beat()
    node.beat(tombstones=[tombstone(first)])
    (second,) = scene.place(job)

    reply = node.beat(containers=[running(first)], finished=[finished(first, 9)])

    job.refresh_from_db()
    assert (job.state, job.epoch) == ("placing", 2)
    assert [item.epoch for item in reply.containers] == [second.epoch]


def test_tombstone_while_placing_queues_again() -> None:
    scene = a_scene()
    job = scene.work()
    (held,) = scene.place(job)
    node = scene.links[0]
    node.beat()

    reply = node.beat(tombstones=[tombstone(held)])

    job.refresh_from_db()
    assert (job.state, job.cause, job.retries) == ("queued", "not_started", 0)
    assert reply.containers == ()
    assert len(reply.acks) == 1


def test_container_that_is_missing_after_a_report_queues_again() -> None:
    scene = a_scene()
    job = scene.work()
    (held,) = scene.place(job)
    node = scene.links[0]
    node.beat()
    node.beat(containers=[running(held)])

    node.beat()

    job.refresh_from_db()
    assert (job.state, job.cause) == ("queued", "container_missing")


def test_allocation_that_was_never_reported_stays_desired() -> None:
    scene = a_scene()
    job = scene.work()
    (held,) = scene.place(job)
    node = scene.links[0]
    node.beat()

    reply = node.beat()

    assert [item.allocation for item in reply.containers] == [held.wire_name]
    job.refresh_from_db()
    assert job.state == "placing"


def test_stop_before_anything_was_sent_frees_at_once() -> None:
    scene = a_scene()
    quota = a_quota(scene.group, ceiling=1000)
    job = scene.work(gpus=1)
    scene.place(job, scene.placement(cards=(0,)))

    cancel(job)

    quota.refresh_from_db()
    assert (job.state, quota.used, scene.held(job)) == ("cancelled", 0, [])
    assert scene.links[0].beat().containers == ()


def test_stop_after_sending_waits_until_the_node_has_applied_a_reply_without_it() -> None:
    scene = a_scene()
    job = scene.work()
    scene.place(job)
    node = scene.links[0]
    node.beat()
    cancel(job)
    assert job.state == "stopping"

    node.beat(applied=1)  # The first reply without it is on its way.
    job.refresh_from_db()
    assert job.state == "stopping"
    node.beat(applied=1)  # That reply was lost.
    job.refresh_from_db()
    assert job.state == "stopping"
    node.beat(applied=2)

    job.refresh_from_db()
    assert job.state == "cancelled"
    assert scene.held(job) == []


def test_stop_of_running_work_frees_only_on_the_nodes_word() -> None:
    scene = a_scene()
    quota = a_quota(scene.group, ceiling=1000)
    job = scene.work(gpus=1)
    (held,) = scene.place(job, scene.placement(cards=(0,)))
    node = scene.links[0]
    node.beat()
    node.beat(containers=[running(held)])
    cancel(job)

    reply = node.beat(containers=[running(held)])

    assert reply.containers == ()
    quota.refresh_from_db()
    assert quota.used == 1000
    node.beat(finished=[finished(held, -15, ExitCause.STOPPED)])
    job.refresh_from_db()
    quota.refresh_from_db()
    assert (job.state, job.cause, quota.used) == ("cancelled", "requested", 0)


def test_cancel_wins_against_a_good_end() -> None:
    scene = a_scene()
    job = scene.work()
    (held,) = scene.place(job)
    node = scene.links[0]
    node.beat()
    node.beat(containers=[running(held)])
    cancel(job)

    node.beat(finished=[finished(held, 0)])

    job.refresh_from_db()
    assert job.state == "cancelled"


def test_terminal_is_terminal() -> None:
    scene = a_scene()
    job = scene.work()
    (held,) = scene.place(job)
    node = scene.links[0]
    node.beat()
    node.beat(finished=[finished(held, 3)])
    job.refresh_from_db()
    assert (job.state, job.exit_code) == ("failed", 3)

    cancel(job)
    node.beat(containers=[running(held)], finished=[finished(held)])

    job.refresh_from_db()
    assert (job.state, job.exit_code) == ("failed", 3)


def test_silent_node_is_lost_only_after_lease_and_grace_and_its_work_is_queued_once() -> None:
    scene = a_scene(nodes=2, silence="replace")
    job = scene.work()
    (held,) = scene.place(job)
    node = scene.links[0]
    start = now()
    silence = timedelta(seconds=15)
    with freeze(start):
        node.beat()
        node.beat(containers=[running(held)])
    with freeze(start + timedelta(seconds=16)):
        node_state.expire_silent_node(node.node.pk, silence=silence)
    node.node.refresh_from_db()
    job.refresh_from_db()
    assert (node.node.state, job.state) == ("unready", "running")

    with freeze(start + timedelta(seconds=44)):
        node_state.expire_silent_node(node.node.pk, silence=silence)
    job.refresh_from_db()
    assert job.state == "running"
    for _ in range(2):
        with freeze(start + timedelta(seconds=46)):
            node_state.expire_silent_node(node.node.pk, silence=silence)

    node.node.refresh_from_db()
    job.refresh_from_db()
    assert (node.node.state, job.state, job.cause) == ("lost", "queued", "node_lost")
    assert passed(job) == ["placing", "starting", "running", "queued"]
    reply = node.beat(containers=[running(held)])
    assert reply.containers == ()
    node.node.refresh_from_db()
    job.refresh_from_db()
    assert (node.node.state, job.state) == ("ready", "queued")


def test_work_that_is_stopping_on_a_lost_node_ends() -> None:
    scene = a_scene(silence="replace")
    job = scene.work()
    scene.place(job)
    start = now()
    with freeze(start):
        scene.links[0].beat()
    cancel(job)

    with freeze(start + timedelta(seconds=46)):
        node_state.expire_silent_node(scene.nodes[0].pk, silence=timedelta(seconds=15))

    job.refresh_from_db()
    assert job.state == "cancelled"


def test_notebook_that_ends_is_suspended() -> None:
    scene = a_scene(slices=8)
    notebook = scene.work(kind="environment", slices=2)
    (held,) = scene.place(notebook, scene.placement(cards=(0,), slots=(0, 1)))
    node = scene.links[0]
    reply = node.beat()
    (desired,) = reply.containers
    assert [(d.slot, d.slices, d.memory_mib) for d in desired.devices] == [
        (0, 8, 4096),
        (1, 8, 4096),
    ]
    assert len(desired.spec.app_token) == 48
    assert desired.spec.base_path == f"/e/{notebook.pk}/"
    node.beat(containers=[running(held, port=8888)])

    node.beat(finished=[finished(held, 137, ExitCause.OUT_OF_MEMORY)])

    notebook.refresh_from_db()
    assert (notebook.state, notebook.cause) == ("suspended", "out_of_memory")
    assert notebook.exit_code == 137


def test_node_changes_only_its_own_allocations() -> None:
    scene = a_scene(nodes=2)
    job = scene.work()
    (held,) = scene.place(job, scene.placement(0))
    scene.links[0].beat()

    reply = scene.links[1].beat(finished=[finished(held, 0)], containers=[running(held)])

    job.refresh_from_db()
    assert (job.state, reply.containers) == ("placing", ())


@pytest.mark.parametrize("version", sorted(SUPPORTED_VERSIONS))
def test_agents_of_the_last_versions_are_served(version: int) -> None:
    """An agent that is older reads what it knows of the reply and ignores the rest."""
    scene = a_scene()
    scene.place(scene.work())
    node = scene.links[0]
    message = node.message(1).model_copy(update={"protocol": version})

    answer = node.repeat(message)

    assert isinstance(answer, Desired)
    assert len(answer.containers) == 1


@pytest.mark.parametrize(
    ("version", "whom"),
    [(min(SUPPORTED_VERSIONS) - 1, "agent"), (PROTOCOL_VERSION + 1, "portal")],
)
def test_any_other_version_is_told_what_to_upgrade(version: int, whom: str) -> None:
    node = a_scene().links[0]
    answer = node.repeat(node.message(1).model_copy(update={"protocol": version}))

    assert isinstance(answer, Refused)
    assert answer.code == "unsupported_protocol"
    assert answer.detail.endswith(f"upgrade the {whom}")
    node.node.refresh_from_db()
    assert node.node.last_seq == -1
