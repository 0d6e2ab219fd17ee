"""A portal restored from a backup: what runs goes on, nothing runs twice, people decide about the rest."""

import base64
from datetime import timedelta

import pytest

from portal.agentlink.logs import append_log
from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.common.clock import freeze, now
from portal.common.errors import ConflictError, DeniedError, InvalidError
from portal.common.ids import new_id
from portal.common.site_config import get_site_config
from portal.inventory.models import Node
from portal.quotas.models import Quota
from portal.workloads.logs.files import log_path
from portal.workloads.models import ForgottenContainer, Recovery, Workload
from portal.workloads.operations import nodes, recovery
from portal.workloads.operations.log_store import store_log
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.sweep import run_sweep
from scheduler.core.model.reasons import ReasonCode
from scheduler.runtime.loop import run_once
from tests.builders.people import a_user, an_actor
from tests.builders.scenes import Scene, a_quota, a_scene, assert_sound, cancel
from tests.builders.scripted_node import running
from wire.logs import LogChunk
from wire.messages import ContainerReport, Desired
from wire.words import Device, Phase

pytestmark = pytest.mark.django_db

CONSOLE = Actor.system("console")
SECOND = timedelta(seconds=1)


def an_operator() -> Actor:
    return an_actor(a_user(role="operator"))


def swept() -> None:
    run_sweep(heartbeat=timedelta(seconds=5))


def heard(scene: Scene) -> Scene:
    """Let every node speak once, as before the backup."""
    for link in scene.links:
        link.beat()
    return scene


def restored() -> None:
    recovery.begin_recovery(actor=CONSOLE)


def container(
    workload: Workload | str, epoch: int, *, rank: int = 0, devices: tuple[Device, ...] = ()
) -> ContainerReport:
    """Report a running attempt that the database does not know."""
    name = workload if isinstance(workload, str) else workload.pk.hex
    return ContainerReport(
        allocation=f"{name}.{rank}", epoch=epoch, phase=Phase.RUNNING, devices=devices
    )


def card(scene: Scene, node: int = 0, index: int = 0) -> Device:
    found = scene.nodes[node].accelerators.order_by("index")[index]
    return Device(uuid=found.uuid, memory_mib=found.memory_mib)


def left_alone(reply: Desired) -> set[tuple[str, int]]:
    return {(item.allocation, item.epoch) for item in reply.unknown}


def seen(work: Workload) -> tuple[str, int]:
    work.refresh_from_db()
    return work.state, work.epoch


def test_older_work_waits_until_every_node_has_spoken() -> None:
    scene = heard(a_scene(nodes=2))
    older = scene.work()
    restored()
    newer = scene.work()
    swept()

    scene.links[0].beat()
    swept()
    [hold] = [item for item in load_snapshot().pending if item.id == str(older.pk)]
    run_once()

    assert [reason.code for reason in hold.held] == [ReasonCode.PORTAL_RECOVERING]
    assert seen(older) == ("queued", 0)
    assert seen(newer) == ("placing", 1)
    scene.links[1].beat()
    swept()
    run_once()
    assert Recovery.objects.get().finished_at is not None
    assert seen(older) == ("placing", 1000)
    assert_sound()


def test_no_node_takes_work_before_it_has_spoken() -> None:
    scene = heard(a_scene(nodes=2))
    restored()
    work = scene.work()

    run_once()
    assert seen(work) == ("queued", 0)
    assert set(Node.objects.values_list("state", flat=True)) == {"unready"}
    scene.links[1].beat()
    run_once()

    assert [item.node_id for item in scene.held(work)] == [scene.nodes[1].pk]


def test_plan_from_before_the_restore_is_refused() -> None:
    scene = heard(a_scene())
    work = scene.work()
    version = work.version

    restored()

    work.refresh_from_db()
    assert work.version > version


def test_forgotten_attempt_is_adopted_with_its_devices_and_quota() -> None:
    scene = heard(a_scene(nodes=2, cards=2))
    quota = a_quota(scene.group, "gpu", ceiling=4000)
    work = scene.work(gpus=1)
    restored()
    report = container(work, 3)
    asked = scene.links[0].beat(containers=[report])
    scene.links[1].beat()
    swept()
    run_once()
    assert seen(work) == ("queued", 0)

    reply = scene.links[0].beat(containers=[container(work, 3, devices=(card(scene),))])
    swept()
    after = scene.links[0].beat(containers=[report])

    assert left_alone(asked) == left_alone(reply) == {(report.allocation, 3)}
    assert seen(work) == ("running", 3)
    [held] = scene.held(work)
    assert (held.node_id, held.silence, held.state) == (scene.nodes[0].pk, "keep", "bound")
    assert Quota.objects.get(pk=quota.pk).used == 1000
    assert [item.epoch for item in after.containers] == [3]
    assert not after.unknown
    assert not ForgottenContainer.objects.exists()
    work.refresh_from_db()
    assert work.epoch_floor == 1000
    assert_sound()


def test_attempt_waits_for_the_quota_and_goes_on_meanwhile() -> None:
    scene = heard(a_scene(cards=2))
    a_quota(scene.group, "gpu", ceiling=0)
    work = scene.work(gpus=1)
    restored()
    scene.links[0].beat(containers=[container(work, 1)])
    reply = scene.links[0].beat(containers=[container(work, 1, devices=(card(scene),))])

    swept()

    assert left_alone(reply)
    assert ForgottenContainer.objects.get().waits_for == "refused"
    run_once()
    assert seen(work) == ("queued", 0)
    Quota.objects.update(ceiling=1000)
    swept()
    assert seen(work) == ("placing", 1)


def test_gang_is_adopted_when_all_its_ranks_are_reported() -> None:
    scene = heard(a_scene(nodes=2))
    work = scene.work(replicas=2)
    restored()
    for _ in range(2):
        scene.links[0].beat(containers=[container(work, 2)])
    swept()
    assert ForgottenContainer.objects.get().waits_for == "ranks_missing"

    for _ in range(2):
        scene.links[1].beat(containers=[container(work, 2, rank=1)])
    swept()

    assert seen(work) == ("placing", 2)
    assert len(scene.held(work)) == 2


def test_unknown_work_goes_on_keeps_its_card_and_is_stopped_by_its_name() -> None:
    scene = heard(a_scene(cards=1))
    restored()
    name = new_id().hex
    scene.links[0].beat(containers=[container(name, 1)])
    scene.links[0].beat(containers=[container(name, 1, devices=(card(scene),))])
    reply = scene.links[0].beat(containers=[container(name, 1, devices=(card(scene),))])
    work = scene.work(gpus=1)
    swept()
    run_once()

    assert left_alone(reply) == {(f"{name}.0", 1)}
    assert not reply.graces
    found = scene.nodes[0].accelerators.get()
    assert (found.state, found.fault) == ("dirty", "unknown_work")
    assert seen(work) == ("queued", 0)
    row = ForgottenContainer.objects.get()
    with pytest.raises(DeniedError):
        recovery.stop_container(
            actor=an_actor(scene.owner), container_id=row.pk, name=row.allocation
        )
    with pytest.raises(InvalidError):
        recovery.stop_container(actor=an_operator(), container_id=row.pk, name="another")
    recovery.stop_container(actor=an_operator(), container_id=row.pk, name=row.allocation)
    stopping = scene.links[0].beat(containers=[container(name, 1, devices=(card(scene),))])
    assert not stopping.unknown
    scene.links[0].beat()
    scene.links[0].beat()
    run_once()

    assert seen(work) == ("placing", 1)
    actions = AuditEvent.objects.filter(action__startswith="recovery.").values_list(
        "action", flat=True
    )
    assert {"recovery.stop_container", "recovery.container_ended"} <= set(actions)


def test_cancelled_meanwhile_is_stopped() -> None:
    scene = heard(a_scene())
    work = scene.work()
    restored()
    assert left_alone(scene.links[0].beat(containers=[container(work, 1)]))

    cancel(work)
    reply = scene.links[0].beat(containers=[container(work, 1)])

    assert not reply.unknown


def test_work_that_had_ended_by_the_backup_waits_for_an_operator() -> None:
    scene = heard(a_scene())
    work = scene.work()
    cancel(work)
    restored()

    reply = scene.links[0].beat(containers=[container(work, 1)])
    swept()

    assert left_alone(reply)
    assert ForgottenContainer.objects.get().waits_for == "workload_is_over"


def test_attempt_that_the_backup_knows_as_over_is_stopped_at_once() -> None:
    scene = heard(a_scene())
    work = scene.work()
    (held,) = scene.place(work)
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    scene.links[0].beat()  # it is gone, and queued again
    restored()

    reply = scene.links[0].beat(containers=[running(held)])

    assert not reply.unknown
    assert [item.seconds for item in reply.graces] == [0]


def test_placement_that_no_node_has_begun_is_given_up_and_not_sent_again() -> None:
    scene = heard(a_scene(nodes=2))
    work = scene.work()
    scene.place(work)  # by the backup; later it was queued again and started on the other node
    restored()

    first = scene.links[0].beat()
    scene.links[1].beat(containers=[container(work, 2)])
    scene.links[0].beat()
    scene.links[1].beat(containers=[container(work, 2)])
    swept()

    assert not first.containers
    assert seen(work) == ("placing", 2)
    assert [item.node_id for item in scene.held(work)] == [scene.nodes[1].pk]


def test_known_work_goes_on_as_it_was() -> None:
    scene = heard(a_scene())
    work = scene.work()
    (held,) = scene.place(work)
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    restored()
    swept()

    reply = scene.links[0].beat(containers=[running(held)])

    assert [(item.allocation, item.epoch) for item in reply.containers] == [(held.wire_name, 1)]
    assert seen(work) == ("running", 1)


def test_reboot_since_the_backup_is_believed_at_once() -> None:
    scene = heard(a_scene())
    work = scene.work()
    (held,) = scene.place(work)
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    restored()

    scene.links[0].boot_id = "boot-2"
    reply = scene.links[0].beat(containers=[container(work, 2)])

    assert left_alone(reply) == {(held.wire_name, 2)}
    assert seen(work) == ("queued", 1)


def test_heartbeat_that_knows_more_than_the_database_begins_a_recovery() -> None:
    scene = heard(a_scene(nodes=2))
    work = scene.work()
    link = scene.links[0]
    link.seq = link.applied = 500

    reply = link.beat(containers=[container(work, 2)])
    swept()

    assert left_alone(reply)
    begun = Recovery.objects.get()
    assert (begun.noticed_on, begun.finished_at) == (scene.nodes[0].name, None)
    run_once()
    assert seen(work) == ("queued", 0)
    scene.links[1].beat()
    link.beat(containers=[container(work, 2)])
    swept()
    assert Recovery.objects.get().finished_at is not None
    assert seen(work) == ("placing", 2)


def test_operator_may_end_it_or_declare_the_last_node_lost() -> None:
    scene = heard(a_scene(nodes=2))
    restored()
    scene.links[0].beat()
    with pytest.raises(InvalidError):
        recovery.finish_recovery(actor=an_operator(), confirm="yes")
    with pytest.raises(DeniedError):
        recovery.finish_recovery(actor=an_actor(scene.owner), confirm="finish")
    recovery.finish_recovery(actor=an_operator(), confirm="finish")
    assert Recovery.objects.get().finished_by
    with pytest.raises(ConflictError):
        recovery.finish_recovery(actor=an_operator(), confirm="finish")

    # What the other node runs is listed nevertheless when it speaks.
    assert left_alone(scene.links[1].beat(containers=[container(new_id().hex, 1)]))
    restored()
    scene.links[0].beat()
    silent = scene.nodes[1]
    with freeze(now() + 60 * SECOND):
        swept()
        scene.links[0].beat()
        nodes.declare_node_lost(actor=an_operator(), node_id=silent.pk, name=silent.name)
        swept()

    assert not Recovery.objects.filter(finished_at=None).exists()


def test_replaceable_work_has_a_whole_lease_from_the_restore_on() -> None:
    scene = heard(a_scene(nodes=2, silence="replace"))
    work = scene.work()
    (held,) = scene.place(work)
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    with freeze(now() + timedelta(minutes=20)):
        restored()
        swept()
        assert seen(work) == ("running", 1)
        scene.links[0].beat(containers=[running(held)])
        swept()

    assert seen(work) == ("running", 1)


def test_log_of_a_forgotten_attempt_is_kept() -> None:
    scene = heard(a_scene())
    work = scene.work()
    restored()
    scene.links[0].beat(containers=[container(work, 2)])
    text = b"after the backup"
    chunk = LogChunk(
        allocation=f"{work.pk.hex}.0",
        epoch=2,
        offset=0,
        data=base64.b64encode(text).decode(),
    )

    ack = append_log(store_log, scene.nodes[0].pk, chunk)

    path = log_path(get_site_config().storage_dir, work.pk, 0, 2)
    assert ack.size == len(text)
    assert path.read_bytes() == text
