"""What every back end keeps, by name: submit, gang, stop with grace, loss, restart, adoption, proofs."""

from dataclasses import dataclass
from datetime import timedelta

import pytest

from portal.common.actor import Actor
from portal.common.clock import freeze, now
from portal.execution.capabilities import Capabilities
from portal.workloads.models import Allocation, ForgottenContainer, Workload
from portal.workloads.operations import recovery
from portal.workloads.state import lifecycle
from portal.workloads.sweep import run_sweep
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import EvictionCause
from scheduler.runtime.loop import run_once
from tests.builders.machines import an_image
from tests.builders.scenes import Scene, a_scene, assert_sound, cancel
from tests.portal.execution.backends import BACKENDS, BackendUnderTest, Machine, key_of
from wire.words import Probe

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.parametrize("backend", BACKENDS, ids=lambda row: row.name),
]


@dataclass
class Site:
    """A pool of one back end, with its machines."""

    scene: Scene
    machines: list[Machine]

    def run(self, work: Workload) -> list[Allocation]:
        """Place work, a rank on each machine, and let it come up."""
        ranks = [self.scene.placement(at) for at in range(work.replicas)]
        held = self.scene.place(work, *ranks)
        for machine, item in zip(self.machines, held, strict=False):
            machine.exchange()
            machine.come_up(item)
            machine.exchange()
        work.refresh_from_db()
        assert work.state == "running"
        return held


def a_site(backend: BackendUnderTest, *, nodes: int = 1, silence: str = "keep") -> Site:
    scene = a_scene(nodes=nodes, silence=silence)
    return Site(scene, backend.machines(scene.pool, scene.nodes))


def state_of(work: Workload) -> str:
    work.refresh_from_db()
    return work.state


def test_submit_is_placed_runs_and_ends(backend: BackendUnderTest) -> None:
    site = a_site(backend)
    [machine] = site.machines
    machine.exchange()
    job = site.scene.work(gpus=1)
    run_once()
    [held] = site.scene.held(job)

    machine.exchange()
    assert len(machine.wanted[key_of(held)].devices) == 1
    machine.come_up(held)
    machine.exchange()
    assert state_of(job) == "running"
    machine.end(held)
    machine.exchange()

    assert state_of(job) == "succeeded"
    assert not machine.ended, "an end is reported until it is acknowledged"
    assert not site.scene.held(job)
    assert_sound()


def test_gang_knows_its_ranks_and_ends_as_one(backend: BackendUnderTest) -> None:
    site = a_site(backend, nodes=2)
    one, two = site.machines
    job = site.scene.work(replicas=2)
    first, second = site.run(job)
    specs = [one.wanted[key_of(first)].spec, two.wanted[key_of(second)].spec]
    assert [(spec.rank, spec.ranks, len(spec.hosts)) for spec in specs] == [(0, 2, 2), (1, 2, 2)]

    one.end(first, 7)
    one.exchange()
    two.exchange()
    assert (state_of(job), two.wanted) == ("stopping", {})
    two.stop(second)
    two.exchange()

    assert (state_of(job), job.exit_code) == ("failed", 7)
    assert_sound()


def test_gang_runs_once_each_rank_has_answered_its_probe(backend: BackendUnderTest) -> None:
    site = a_site(backend, nodes=2)
    job = site.scene.work(replicas=2)
    ranks = site.scene.place(job, site.scene.placement(0), site.scene.placement(1))
    for machine, held in zip(site.machines, ranks, strict=True):
        machine.exchange()
        machine.come_up(held)
        machine.unready.add(key_of(held))
        machine.exchange()
    assert state_of(job) == "starting"
    first, second = site.machines

    first.unready.clear()
    first.exchange()
    assert state_of(job) == "starting"
    second.unready.clear()
    second.exchange()

    assert state_of(job) == "running"
    assert all(item.ready_at for item in site.scene.held(job))
    assert_sound()


def test_only_work_of_a_kind_with_a_probe_is_asked(backend: BackendUnderTest) -> None:
    site = a_site(backend)
    [machine] = site.machines
    job, notebook = site.scene.work(), site.scene.work(kind="environment", gpus=1)
    [ready] = site.scene.place(job)
    [asked] = site.scene.place(notebook, site.scene.placement(cards=(0,)))

    machine.exchange()

    assert machine.wanted[key_of(ready)].spec.probe is None
    assert machine.wanted[key_of(asked)].spec.probe == Probe("/api/status", period_ms=50)


def test_what_was_ready_once_goes_on_when_it_does_not_answer_again(
    backend: BackendUnderTest,
) -> None:
    """As after the folder of a container was lost: its node asks once more."""
    site = a_site(backend)
    [machine] = site.machines
    job = site.scene.work()
    [held] = site.run(job)
    began = site.scene.held(job)[0].ready_at

    machine.unready.add(key_of(held))
    machine.exchange()
    machine.unready.clear()
    machine.exchange()

    assert (state_of(job), site.scene.held(job)[0].ready_at) == ("running", began)


def test_a_rank_that_a_process_of_before_saw_run_is_ready_at_its_next_report(
    backend: BackendUnderTest,
) -> None:
    site = a_site(backend)
    [machine] = site.machines
    job = site.scene.work()
    [held] = site.scene.place(job)
    machine.exchange()
    machine.come_up(held)
    Allocation.objects.filter(pk=held.pk).update(phase="running", state="bound")

    machine.exchange()

    assert state_of(job) == "running"
    assert site.scene.held(job)[0].ready_at
    assert_sound()


def test_stop_frees_nothing_before_the_end_is_proven(backend: BackendUnderTest) -> None:
    site = a_site(backend)
    [machine] = site.machines
    job = site.scene.work(gpus=1)
    [held] = site.scene.place(job, site.scene.placement(cards=(0,)))
    machine.exchange()
    cancel(job)
    machine.exchange()
    machine.exchange()

    assert machine.wanted == {}
    assert (state_of(job), len(site.scene.held(job))) == ("stopping", 1)
    machine.stop(held)
    machine.exchange()
    assert (state_of(job), site.scene.held(job)) == ("cancelled", [])
    assert_sound()


def test_evicted_work_has_its_grace(backend: BackendUnderTest) -> None:
    site = a_site(backend)
    [machine] = site.machines
    job = site.scene.work(preemptible=True)
    [held] = site.run(job)

    lifecycle.evict_workload(
        workload_id=WorkloadId(str(job.pk)),
        version=job.version,
        cause=EvictionCause.RECLAIMED,
        beneficiary=None,
        grace_s=45,
    )
    machine.exchange()

    graces = [(item.key, item.seconds, item.reason) for item in machine.reply.graces]
    assert graces == [(key_of(held), 45, "reclaimed")]
    machine.stop(held)
    machine.exchange()
    assert (state_of(job), site.scene.held(job)) == ("queued", [])
    assert_sound()


def test_a_lost_node_frees_what_may_be_replaced_only(backend: BackendUnderTest) -> None:
    kept, replaced = a_site(backend), a_site(backend, silence="replace")
    stays, moves = kept.scene.work(), replaced.scene.work()
    kept.run(stays)
    replaced.run(moves)

    with freeze(now() + timedelta(minutes=15)):
        run_sweep(heartbeat=timedelta(seconds=5))

    assert (state_of(stays), state_of(moves)) == ("running", "queued")
    assert_sound()


def test_work_goes_on_when_either_side_restarts(backend: BackendUnderTest) -> None:
    site = a_site(backend)
    [machine] = site.machines
    job = site.scene.work()
    [held] = site.run(job)

    machine.restart()
    machine.exchange(hears=False)
    machine.exchange(is_heard=False)
    machine.exchange()

    assert (state_of(job), list(machine.running)) == ("running", [key_of(held)])
    assert_sound()


def test_a_reply_that_was_lost_starts_nothing_twice(backend: BackendUnderTest) -> None:
    site = a_site(backend)
    [machine] = site.machines
    job = site.scene.work()
    [held] = site.scene.place(job)

    machine.exchange(hears=False)
    machine.exchange()

    assert list(machine.running) == [key_of(held)]
    machine.forget(held)
    machine.exchange()
    machine.exchange()
    assert not machine.running, "its epoch was started before"


def test_what_a_restored_database_does_not_know_goes_on(backend: BackendUnderTest) -> None:
    site = a_site(backend)
    [machine] = site.machines
    machine.exchange()
    unknown = ("f" * 32 + ".0", 3)
    machine.running[unknown] = "running"
    recovery.begin_recovery(actor=Actor.system("console"))

    machine.exchange()

    assert machine.reply.unknown == (unknown,)
    assert not machine.reply.graces
    assert ForgottenContainer.objects.get().key == unknown


def test_a_tombstone_frees_and_is_acknowledged(backend: BackendUnderTest) -> None:
    site = a_site(backend)
    [machine] = site.machines
    job = site.scene.work()
    [held] = site.run(job)

    machine.forget(held)
    machine.exchange()

    assert not machine.tombstones
    assert (state_of(job), site.scene.held(job)) == ("queued", [])
    assert_sound()


def test_an_earlier_epoch_is_stopped_and_says_nothing_of_the_present(
    backend: BackendUnderTest,
) -> None:
    site = a_site(backend)
    [machine] = site.machines
    job = site.scene.work()
    [first] = site.run(job)
    machine.forget(first)
    machine.exchange()
    [second] = site.scene.place(job)
    machine.exchange()
    machine.running[key_of(first)] = "running"
    machine.exchange()

    assert [(item.epoch, item.seconds) for item in machine.reply.graces] == [(first.epoch, 0)]
    machine.end(first)
    machine.exchange()
    assert (state_of(job), second.epoch) == ("starting", first.epoch + 1)
    assert_sound()


def test_a_node_is_asked_for_nothing_that_it_cannot_do(backend: BackendUnderTest) -> None:
    site = a_site(backend)
    [machine] = site.machines
    image = an_image("ahead")

    machine.exchange()
    assert machine.reply.images == ()
    machine.can = Capabilities(pulls_images=True)
    machine.exchange()

    assert image.reference in machine.reply.images
