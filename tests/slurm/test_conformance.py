"""What every back end keeps, on Slurm: by the names of `tests/portal/execution`, and what is Slurm's own.

Each case holds on the pretended cluster and, by `make test-slurm`, on the real one.
"""

import ast
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest

from portal.common.actor import Actor
from portal.common.clock import freeze, now
from portal.common.site_config import get_site_config
from portal.execution.desired import WantedContainer, WorkSpec
from portal.foreign.attempts import JobKey
from portal.foreign.bounds import IN_DOUBT_S
from portal.inventory.models import Node
from portal.slurm.judging import LOST_S
from portal.slurm.models import SlurmJob
from portal.slurm.values import SubmitJob
from portal.workloads.logs.files import log_path
from portal.workloads.models import ForgottenContainer, Recovery, Workload
from portal.workloads.operations import recovery
from portal.workloads.state import lifecycle
from portal.workloads.sweep import run_sweep
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import EvictionCause
from scheduler.runtime.loop import run_once
from tests.builders.scenes import assert_sound, cancel
from tests.portal.execution import test_conformance as of_all
from tests.slurm.site import POLITE, SlurmSite, a_slurm_site
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db

REFUSED: Final = {
    "test_gang_runs_once_each_rank_has_answered_its_probe",
    "test_what_was_ready_once_goes_on_when_it_does_not_answer_again",
}
"""Of what Slurm cannot do, which is refused: `test_what_it_cannot_run_is_refused_in_words`."""


def test_every_case_of_the_back_ends_is_here() -> None:
    assert _cases(of_all.__file__) - _cases(__file__) - REFUSED == set()


def _cases(file: str | None) -> set[str]:
    tree = ast.parse(Path(file or "").read_text(encoding="utf-8"))
    names = (node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {name for name in names if name.startswith("test_")}


def submit_beside(site: SlurmSite, work: Workload, epoch: int) -> int:
    """Submit an attempt of work behind the portal's back, and return the id of the job."""
    spec = WorkSpec("training", str(work.pk), work.name, "", 1000, 64, command=("sleep", "600"))
    wanted = WantedContainer(f"{work.pk.hex}.0", epoch, spec)
    return site.client.submit(SubmitJob(JobKey(work.pk, epoch), (wanted,), ("n1",)))


def text_of(work: Workload, rank: int = 0) -> str:
    where = (get_site_config().storage_dir, work.pk, rank, work.epoch)
    path = log_path(*where)
    return path.read_text() if path.exists() else ""


def test_nodes_have_as_many_gpus_as_slurm_counts(site: SlurmSite) -> None:
    nodes = [(it.name, it.state, it.runtime, it.cpu_milli) for it in site.scene.nodes]
    assert nodes == [("n1", "ready", "slurm", 8000), ("n2", "ready", "slurm", 8000)]
    cards = list(site.scene.nodes[0].accelerators.order_by("index"))
    assert [(card.model, card.state) for card in cards] == [("a100", "ok")] * 4


def test_submit_is_placed_runs_and_ends(site: SlurmSite) -> None:
    job = site.work(gpus=2)
    run_once()
    [held] = site.scene.held(job)

    site.until(job, "running")
    assert site.live() == [site.name(job)]
    assert site.scene.held(job)[0].started_at
    site.end(job)
    site.until(job, "succeeded")

    assert (job.exit_code, held.silence) == (0, "keep")
    assert site.job(job).settled_at, "its end is not reported again"
    assert text_of(job) == "rank 0 of 1\n"
    assert_sound()


def test_gang_knows_its_ranks_and_ends_as_one(site: SlurmSite) -> None:
    job = site.work(replicas=2, gpus=1)
    site.start(job, 0, 1)
    assert len(site.live()) == 1, "its ranks are one job: none starts without the others"
    wait_until(lambda: site.round() and text_of(job, 1))
    assert [text_of(job, rank) for rank in range(2)] == ["rank 0 of 2\n", "rank 1 of 2\n"]

    site.end(job, 7, rank=1)
    site.until(job, "failed")

    assert (job.exit_code, site.scene.held(job)) == (7, [])
    assert_sound()


def test_two_ranks_may_share_a_node(site: SlurmSite) -> None:
    job = site.work(replicas=2, gpus=1)
    first, second = site.scene.placement(0, cards=(0,)), site.scene.placement(0, cards=(1,))
    site.scene.place(job, first, second)
    site.until(job, "running")

    assert site.job(job).nodes == ["n1", "n1"]
    site.end(job, rank=0)
    site.end(job, rank=1)
    site.until(job, "succeeded")


def test_a_rank_that_a_process_of_before_saw_run_is_ready_at_its_next_report(
    site: SlurmSite,
) -> None:
    job = site.work()
    site.start(job)
    began = site.scene.held(job)[0].ready_at

    site.round()

    assert began
    assert site.scene.held(job)[0].ready_at == began


def test_only_work_of_a_kind_with_a_probe_is_asked(site: SlurmSite) -> None:
    job = site.work()
    site.start(job)
    assert site.state_of(job) == "running", "nothing asks it whether it is ready"


@pytest.mark.parametrize(
    ("lacking", "asked"),
    [
        ("server", {"kind": "environment"}),
        ("launcher", {"spec": {"command": ["true"], "launcher": "torchrun"}}),
    ],
)
def test_what_it_cannot_run_is_refused_in_words(
    site: SlurmSite, lacking: str, asked: dict[str, object]
) -> None:
    job = site.work(**asked)  # type: ignore[arg-type]
    site.place(job)
    site.round()
    site.round()

    assert (site.live(), site.scene.held(job)) == ([], [])
    job.refresh_from_db()
    assert job.cause_params["detail"] == f"backend_cannot_{lacking}"
    assert_sound()


def test_what_slurm_refuses_ends_with_its_words(site: SlurmSite) -> None:
    Node.objects.filter(pk=site.scene.nodes[0].pk).update(memory_mib=64_000)
    job = site.work(memory_mib=32_000)
    site.place(job)
    site.round()
    site.round()

    assert (site.state_of(job), site.scene.held(job)) == ("failed", [])
    words = "Requested node configuration is not available"
    assert job.cause_params["detail"] == f"slurm_refused: {words}"


def test_stop_frees_nothing_before_the_end_is_proven(site: SlurmSite) -> None:
    job = site.work(gpus=1)
    site.start(job)
    wait_until(lambda: site.round() and text_of(job))
    cancel(job)
    site.round()

    assert (site.state_of(job), len(site.scene.held(job))) == ("stopping", 1)
    site.round()
    assert (site.state_of(job), len(site.scene.held(job))) == ("stopping", 1)
    with freeze(now() + timedelta(minutes=2)):
        site.until(job, "cancelled")
    assert site.scene.held(job) == []
    assert_sound()


def test_stop_of_what_waits_there_leaves_the_queue(site: SlurmSite) -> None:
    site.cluster.occupy("n1")
    job = site.work(gpus=1)
    site.place(job, 0)
    site.round()
    cancel(job)

    site.until(job, "cancelled")

    assert site.live() == ["others"]
    assert_sound()


def test_evicted_work_has_its_grace(site: SlurmSite) -> None:
    job = site.work(POLITE, preemptible=True)
    site.start(job)
    wait_until(lambda: site.round() and text_of(job))

    lifecycle.evict_workload(
        workload_id=WorkloadId(str(job.pk)),
        version=job.version,
        cause=EvictionCause.RECLAIMED,
        beneficiary=None,
        grace_s=45,
    )
    wait_until(lambda: site.round() and not site.scene.held(job))

    assert (site.outputs(job) / "told").read_text() == "notified\n"
    assert site.state_of(job) == "queued"
    assert_sound()


def test_a_lost_node_frees_what_may_be_replaced_only(site: SlurmSite) -> None:
    """Slurm's own word ends what ran on a node; its silence ends nothing."""
    job = site.work()
    site.start(job, 0)
    with freeze(now() + timedelta(days=3)):
        run_sweep(heartbeat=timedelta(seconds=5))
    assert len(site.scene.held(job)) == 1

    site.cluster.parts.lose("n1")
    try:
        site.until(job, "queued")
        assert [(node.name, node.state) for node in site.scene.nodes] == [
            ("n1", "unready"),
            ("n2", "ready"),
        ]
        site.start(job, 1)
        assert site.job(job).nodes == ["n2"]
    finally:
        site.cluster.parts.bring_back("n1")
    assert_sound()


def test_work_goes_on_when_either_side_restarts(site: SlurmSite) -> None:
    job = site.work()
    site.start(job)

    site.cluster.parts.kill("slurmctld")
    assert not site.round()
    assert site.state_of(job) == "running"
    site.cluster.parts.start("slurmctld")
    wait_until(site.round)

    assert site.live() == [site.name(job)]
    site.end(job)
    site.until(job, "succeeded")
    assert_sound()


def test_ends_wait_for_accounting(site: SlurmSite) -> None:
    job = site.work()
    site.start(job)
    site.cluster.parts.kill("slurmdbd")
    site.end(job, 5)
    wait_until(lambda: not site.live())
    site.round()
    assert site.state_of(job) == "running", "the queue has forgotten it, and nothing proves its end"

    site.cluster.parts.start("slurmdbd")
    site.until(job, "failed")

    assert job.exit_code == 5
    assert_sound()


def test_a_reply_that_was_lost_starts_nothing_twice(site: SlurmSite) -> None:
    job = site.work()
    site.place(job)
    site.cluster.unanswered.add("sbatch")
    site.round()
    assert site.job(job).job_id is None
    site.cluster.unanswered.clear()

    with freeze(now() + timedelta(seconds=2 * IN_DOUBT_S)):
        site.until(job, "running")

    assert site.live() == [site.name(job)]
    site.end(job)
    site.until(job, "succeeded")
    assert SlurmJob.objects.count() == 1


def test_a_submission_that_did_not_arrive_is_made_again(site: SlurmSite) -> None:
    job = site.work()
    site.place(job)
    site.cluster.unheard.add("sbatch")
    site.round()
    site.cluster.unheard.clear()
    site.round()
    assert (site.state_of(job), site.live()) == ("starting", []), "it may still arrive"

    with freeze(now() + timedelta(seconds=2 * IN_DOUBT_S)):
        site.until(job, "running")

    assert site.live() == [site.name(job)]


def test_what_did_not_arrive_and_is_stopped_is_not_made(site: SlurmSite) -> None:
    job = site.work()
    site.place(job)
    site.cluster.unheard.add("sbatch")
    site.round()
    cancel(job)

    with freeze(now() + timedelta(seconds=2 * IN_DOUBT_S)):
        site.until(job, "cancelled")

    assert site.live() == []
    assert_sound()


def test_of_two_jobs_of_one_attempt_one_runs_and_one_is_cancelled(site: SlurmSite) -> None:
    job = site.work()
    site.start(job)
    first = site.job(job).job_id
    assert submit_beside(site, job, 1) != first

    wait_until(lambda: site.round() and site.live() == [site.name(job)])

    assert (site.state_of(job), site.job(job).job_id) == ("running", first)
    site.end(job)
    site.until(job, "succeeded")


def test_what_waits_there_is_not_given_up(site: SlurmSite) -> None:
    site.cluster.occupy("n1")
    job = site.work(gpus=4)
    site.place(job, 0)
    wait_until(
        lambda: site.round() and site.scene.held(job)[0].detail == "foreign_queue: resources"
    )

    with freeze(now() + timedelta(hours=25)):
        run_sweep(heartbeat=timedelta(seconds=5))
        assert site.round()
        assert (site.state_of(job), len(site.scene.held(job))) == ("starting", 1)

    site.cluster.parts.clear()
    assert site.live() == []


def test_what_a_restored_database_does_not_know_goes_on(site: SlurmSite) -> None:
    job = site.work()
    site.start(job)
    unknown = (f"{'f' * 32}.0", 3)
    options = ("--comment=n1", f"--job-name=berth-{site.partition.site}-{'f' * 32}-3")
    where = ("--partition=gpu", "--nodelist=n1", "--output=/dev/null")
    script = b"#!/bin/sh\nexec sleep 600\n"
    site.cluster.run(("sbatch", "--parsable", *options, *where), script)
    recovery.begin_recovery(actor=Actor.system("console"))

    wait_until(lambda: site.round() and ForgottenContainer.objects.exists())
    site.round()

    assert ForgottenContainer.objects.get().key == unknown
    assert len(site.live()) == 2
    assert site.state_of(job) == "running"


def test_a_job_without_a_record_shows_that_the_database_is_older(site: SlurmSite) -> None:
    job = site.work()
    site.start(job)
    SlurmJob.objects.all().delete()

    site.round()

    assert Recovery.objects.get().noticed_on == site.scene.pool.name
    assert site.live() == [site.name(job)]
    site.until(job, "running")
    site.end(job)
    site.until(job, "succeeded")


def test_a_tombstone_frees_and_is_acknowledged(site: SlurmSite) -> None:
    """Neither controller nor accounting tell how it ended: after an hour it counts as vanished."""
    job = site.work()
    site.start(job)
    site.cluster.parts.forget_everything()
    site.round()
    assert site.state_of(job) == "running"

    with freeze(now() + timedelta(seconds=LOST_S + 60)):
        site.until(job, "queued")

    assert site.scene.held(job) == []
    assert_sound()


def test_an_earlier_epoch_is_stopped_and_says_nothing_of_the_present(site: SlurmSite) -> None:
    job = site.work()
    site.start(job)
    first = site.job(job)
    site.cluster.parts.lose("n1")
    try:
        site.until(job, "queued")
    finally:
        site.cluster.parts.bring_back("n1")
    site.start(job, 1)
    assert job.epoch == first.epoch + 1

    submit_beside(site, job, first.epoch)
    wait_until(lambda: site.round() and site.live() == [site.name(job)])

    assert site.state_of(job) == "running"
    site.end(job)
    site.until(job, "succeeded")
    assert_sound()


def test_a_node_is_asked_for_nothing_that_it_cannot_do(site: SlurmSite) -> None:
    node = site.scene.nodes[0]
    assert not node.capabilities.pulls_images
    assert not node.capabilities.builds_images
    assert node.capabilities.keeps_cards


def test_work_over_its_limit_is_ended_by_the_portal(site: SlurmSite) -> None:
    job = site.work(POLITE, time_limit_s=600)
    site.start(job)
    wait_until(lambda: site.round() and text_of(job))

    with freeze(now() + timedelta(seconds=700)):
        site.round()
        run_sweep(heartbeat=timedelta(seconds=5))
        wait_until(lambda: site.round() and not site.scene.held(job))

    assert (site.outputs(job) / "told").exists()
    assert (site.state_of(job), job.cause) == ("expired", "time_limit")
    assert_sound()


def test_two_pools_do_not_see_each_others_jobs(site: SlurmSite) -> None:
    job = site.work()
    site.start(job)
    other = a_slurm_site(site.cluster)

    assert other.scene.nodes == [], "its nodes belong to the first"
    assert other.client.queue() == ()
    assert site.live() == [site.name(job)]
