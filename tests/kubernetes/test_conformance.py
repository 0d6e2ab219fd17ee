"""What every back end keeps, on Kubernetes: by the names of `tests/portal/execution`, and what is its own.

They hold on a pretended cluster.
"""

import ast
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import pytest

from portal.common.actor import Actor
from portal.common.clock import freeze, now
from portal.common.site_config import get_site_config
from portal.execution.desired import WantedContainer, WorkSpec
from portal.foreign.attempts import JobKey
from portal.foreign.bounds import IN_DOUBT_S
from portal.inventory.models import Node
from portal.kubernetes.models import KubernetesCluster, KubernetesLog
from portal.kubernetes.planning import IMAGE_WAIT_S
from portal.kubernetes.transport import KubeRequest
from portal.kubernetes.values import CreatePods
from portal.workloads.logs.files import log_path
from portal.workloads.models import ForgottenContainer, Recovery, Workload
from portal.workloads.operations import recovery
from portal.workloads.state import lifecycle
from portal.workloads.sweep import run_sweep
from scheduler.core.model.entities import WorkloadId
from scheduler.core.model.plan import EvictionCause
from scheduler.runtime.loop import run_once
from tests.builders.scenes import assert_sound, cancel
from tests.kubernetes.pretended import PretendedKubernetes
from tests.kubernetes.site import (
    IMAGE,
    PODS,
    POLITE,
    KubernetesSite,
    a_kubernetes_site,
    an_image_at,
)
from tests.portal.execution import test_conformance as of_all
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db

REFUSED: Final = {
    "test_gang_runs_once_each_rank_has_answered_its_probe",
    "test_what_was_ready_once_goes_on_when_it_does_not_answer_again",
}
"""Of what it cannot do, which is refused: `test_what_it_cannot_run_is_refused_in_words`."""


def test_every_case_of_the_back_ends_is_here() -> None:
    assert _cases(of_all.__file__) - _cases(__file__) - REFUSED == set()


def _cases(file: str | None) -> set[str]:
    tree = ast.parse(Path(file or "").read_text(encoding="utf-8"))
    names = (node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return {name for name in names if name.startswith("test_")}


def create_beside(site: KubernetesSite, key: JobKey, reply: int = 0) -> None:
    """Create a pod of an attempt behind the portal's back."""
    command = ("sh", "-c", "sleep 600")
    spec = WorkSpec("training", str(key.workload), "beside", IMAGE, 100, 64, command=command)
    wanted = WantedContainer(*key.rank(0), spec)
    site.client.create(CreatePods(key, (wanted,), ("n1",), (0,)), 0, reply)


def text_of(work: Workload, rank: int = 0) -> str:
    where = (get_site_config().storage_dir, work.pk, rank, work.epoch)
    path = log_path(*where)
    return path.read_text() if path.exists() else ""


def test_nodes_have_as_many_gpus_as_kubernetes_counts(site: KubernetesSite) -> None:
    first = site.scene.nodes[0]
    assert (first.name, first.state, first.runtime) == ("n1", "ready", "kubernetes")
    cards = list(first.accelerators.order_by("index"))
    assert [(card.memory_mib, card.state) for card in cards] == [(81920, "ok")] * 4


def test_submit_is_placed_runs_and_ends(site: KubernetesSite) -> None:
    job = site.work(gpus=2)
    run_once()
    [held] = site.scene.held(job)

    site.until(job, "running")
    assert site.live() == [site.name(job)]
    assert site.scene.held(job)[0].started_at
    site.end(job)
    site.until(job, "succeeded")

    assert (job.exit_code, held.silence) == (0, "keep")
    wait_until(lambda: site.round() and not site.live())
    assert text_of(job) == "rank 0 of 1\n"
    assert not KubernetesLog.objects.exists()
    assert_sound()


def test_gang_knows_its_ranks_and_ends_as_one(site: KubernetesSite) -> None:
    job = site.work(POLITE, replicas=2, gpus=1)
    site.start(job, 0, 0)
    assert site.live() == [site.name(job, rank) for rank in range(2)]
    wait_until(lambda: site.round() and text_of(job) and text_of(job, 1))
    assert [text_of(job, rank) for rank in range(2)] == ["rank 0 of 2\n", "rank 1 of 2\n"]

    site.end(job, 7, rank=1)
    site.until(job, "failed")

    assert (job.exit_code, site.scene.held(job)) == (7, [])
    wait_until(lambda: site.round() and not site.live())
    assert_sound()


def test_a_rank_that_a_process_of_before_saw_run_is_ready_at_its_next_report(
    site: KubernetesSite,
) -> None:
    job = site.work()
    site.start(job)
    began = site.scene.held(job)[0].ready_at

    site.round()

    assert began
    assert site.scene.held(job)[0].ready_at == began


def test_only_work_of_a_kind_with_a_probe_is_asked(site: KubernetesSite) -> None:
    job = site.work()
    site.start(job)
    assert site.state_of(job) == "running", "nothing asks it whether it is ready"


@pytest.mark.parametrize(
    ("detail", "asked"),
    [
        ("backend_cannot_server", {"kind": "environment"}),
        ("backend_cannot_launcher", {"spec": {"command": ["true"], "launcher": "torchrun"}}),
    ],
)
def test_what_it_cannot_run_is_refused_in_words(
    site: KubernetesSite, detail: str, asked: dict[str, Any]
) -> None:
    job = site.work(**asked)
    site.place(job)
    site.round()

    assert (site.live(), site.scene.held(job)) == ([], [])
    job.refresh_from_db()
    assert job.cause_params["detail"] == detail
    assert_sound()


def test_what_kubernetes_refuses_ends_with_its_words(site: KubernetesSite) -> None:
    Node.objects.filter(pk=site.scene.nodes[0].pk).update(memory_mib=64_000)
    job = site.work(memory_mib=32_000)
    site.place(job)
    site.round()

    assert (site.state_of(job), site.scene.held(job), site.live()) == ("failed", [], [])
    assert job.cause_params["detail"].startswith("kubernetes_refused: ")
    assert "exceeded quota" in job.cause_params["detail"]


def test_what_others_hold_is_not_taken_and_queued_again(site: KubernetesSite) -> None:
    site.cluster.occupy("n1")
    wait_until(lambda: site.round() and _runs(site, "others"))
    job = site.work(gpus=1)
    [held] = site.place(job)

    site.until(job, "queued")

    held.refresh_from_db()
    assert held.detail.startswith("kubernetes_out_of: ")
    assert_sound()


def _runs(site: KubernetesSite, name: str) -> bool:
    items = site.cluster.send(KubeRequest("GET", PODS, {"limit": "500"})).json()["items"]
    return any(
        pod["metadata"]["name"] == name and pod["status"]["phase"] == "Running" for pod in items
    )


def test_an_image_that_cannot_be_pulled_is_said_and_given_up(site: KubernetesSite) -> None:
    job = site.work(image=an_image_at("registry.invalid/nowhere:1"))
    site.place(job)
    wait_until(
        lambda: site.round() and site.scene.held(job)[0].detail.startswith("foreign_queue: image: ")
    )
    assert site.state_of(job) == "starting"

    with freeze(now() + timedelta(seconds=IMAGE_WAIT_S + 60)):
        site.until(job, "failed")

    assert (job.cause, site.scene.held(job)) == ("image_unavailable", [])
    assert job.cause_params["detail"].startswith("kubernetes_image")
    wait_until(lambda: site.round() and not site.live())


def test_stop_frees_nothing_before_the_end_is_proven(site: KubernetesSite) -> None:
    job = site.work(gpus=1)
    site.start(job)
    wait_until(lambda: site.round() and text_of(job))
    cancel(job)
    site.round()

    assert (site.state_of(job), len(site.scene.held(job))) == ("stopping", 1)
    site.round()
    assert (site.state_of(job), len(site.scene.held(job))) == ("stopping", 1)
    site.end(job, 5)
    site.until(job, "cancelled")
    assert site.scene.held(job) == []
    wait_until(lambda: site.round() and not site.live())
    assert_sound()


def test_evicted_work_has_its_grace(site: KubernetesSite) -> None:
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


def test_a_lost_node_frees_what_may_be_replaced_only(site: KubernetesSite) -> None:
    """The cluster's own word ends what ran on a node; its silence ends nothing."""
    job = site.work()
    site.start(job, 0)
    with freeze(now() + timedelta(days=3)):
        run_sweep(heartbeat=timedelta(seconds=5))
    assert len(site.scene.held(job)) == 1

    pretended = _pretended(site)
    pretended.nodes["n1"]["status"]["conditions"][0]["status"] = "Unknown"
    site.round()
    assert site.state_of(job) == "running"
    assert [(node.name, node.state) for node in site.scene.nodes] == [
        ("n1", "unready"),
        ("n2", "ready"),
    ]

    pretended.lose("n1")
    site.until(job, "queued")
    site.start(job, 1)
    assert site.live() == [site.name(job)]
    assert_sound()


def _pretended(site: KubernetesSite) -> PretendedKubernetes:
    assert isinstance(site.cluster.parts, PretendedKubernetes)
    return site.cluster.parts


def test_work_goes_on_when_either_side_restarts(site: KubernetesSite) -> None:
    job = site.work()
    site.start(job)

    site.cluster.parts.kill("apiserver")
    assert not site.round()
    assert site.state_of(job) == "running"
    site.cluster.parts.start("apiserver")
    wait_until(site.round)

    assert site.live() == [site.name(job)]
    site.end(job)
    site.until(job, "succeeded")
    assert_sound()


def test_a_reply_that_was_lost_starts_nothing_twice(site: KubernetesSite) -> None:
    job = site.work()
    site.place(job)
    site.cluster.unanswered.add("POST")
    assert not site.round()
    site.cluster.unanswered.clear()
    assert site.live() == [site.name(job)]
    assert not site.round(), "what was sent may still arrive"

    with freeze(now() + timedelta(seconds=IN_DOUBT_S + 1)):
        site.until(job, "running")

    assert site.live() == [site.name(job)]
    site.end(job)
    site.until(job, "succeeded")


def test_a_creation_that_did_not_arrive_is_made_again(site: KubernetesSite) -> None:
    job = site.work()
    site.place(job)
    site.cluster.unheard.add("POST")
    assert not site.round()
    site.cluster.unheard.clear()
    assert (site.state_of(job), site.live()) == ("placing", [])

    with freeze(now() + timedelta(seconds=IN_DOUBT_S + 1)):
        site.until(job, "running")

    assert site.live() == [site.name(job)]


def test_what_did_not_arrive_and_is_stopped_is_not_made(site: KubernetesSite) -> None:
    job = site.work()
    site.place(job)
    site.cluster.unheard.add("POST")
    site.round()
    site.cluster.unheard.clear()
    cancel(job)

    with freeze(now() + timedelta(seconds=IN_DOUBT_S + 1)):
        site.until(job, "cancelled")

    assert site.live() == []
    assert_sound()


def test_a_pod_that_somebody_deletes_has_ended(site: KubernetesSite) -> None:
    job = site.work(POLITE)
    site.start(job)
    site.cluster.send(KubeRequest("DELETE", f"{PODS}/{site.name(job)}"))

    wait_until(lambda: site.round() and not site.scene.held(job))

    assert site.state_of(job) == "failed"
    assert job.cause_params["detail"] == "kubernetes_deleted"


def test_what_a_restored_database_does_not_know_goes_on(site: KubernetesSite) -> None:
    job = site.work()
    site.start(job)
    unknown = JobKey(UUID(int=15), 3)
    create_beside(site, unknown)
    recovery.begin_recovery(actor=Actor.system("console"))

    wait_until(lambda: site.round() and ForgottenContainer.objects.exists())
    site.round()

    assert ForgottenContainer.objects.get().key == unknown.rank(0)
    assert len(site.live()) == 2
    assert site.state_of(job) == "running"


def test_a_pod_of_a_later_reply_shows_that_the_database_is_older(site: KubernetesSite) -> None:
    job = site.work()
    site.start(job)
    create_beside(site, JobKey(UUID(int=15), 3), reply=site.scene.nodes[0].last_seq + 99)

    site.round()

    assert Recovery.objects.get().noticed_on == site.scene.pool.name
    site.round()
    assert Recovery.objects.count() == 1
    assert len(site.live()) == 2
    site.until(job, "running")


def test_a_tombstone_frees_and_is_acknowledged(site: KubernetesSite) -> None:
    """A pod whose object is gone, with all that held it, has ended."""
    job = site.work()
    site.start(job)
    _pretended(site).pods.clear()

    site.until(job, "queued")

    assert site.scene.held(job) == []
    assert_sound()


def test_an_earlier_epoch_is_stopped_and_says_nothing_of_the_present(
    site: KubernetesSite,
) -> None:
    job = site.work()
    site.start(job, 0)
    first = JobKey(job.pk, job.epoch)
    _pretended(site).lose("n1")
    site.until(job, "queued")
    wait_until(lambda: site.round() and not site.live())
    _pretended(site).bring_back("n1")
    site.round()
    site.start(job, 1)
    assert job.epoch == first.epoch + 1

    create_beside(site, first)
    site.round()
    with freeze(now() + timedelta(seconds=10)):
        wait_until(lambda: site.round() and site.live() == [site.name(job)])

    assert site.state_of(job) == "running"
    site.end(job)
    site.until(job, "succeeded")
    assert_sound()


def test_a_node_is_asked_for_nothing_that_it_cannot_do(site: KubernetesSite) -> None:
    node = site.scene.nodes[0]
    assert not node.capabilities.pulls_images
    assert not node.capabilities.builds_images
    assert node.capabilities.keeps_cards


def test_work_over_its_limit_is_ended_by_the_portal(site: KubernetesSite) -> None:
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


def test_two_pools_do_not_see_each_others_pods(site: KubernetesSite) -> None:
    job = site.work()
    site.start(job)
    other = a_kubernetes_site(site.cluster)

    assert other.scene.nodes == [], "its nodes belong to the first"
    assert other.client.pods() == ()
    assert site.live() == [site.name(job)]


def test_another_cluster_behind_the_address_ends_nothing(site: KubernetesSite) -> None:
    job = site.work()
    site.start(job)
    KubernetesCluster.objects.update(namespace_uid="another")
    site.cluster_row.refresh_from_db()

    assert not site.round()

    assert site.state_of(job) == "running"
    fault = KubernetesCluster.objects.get().fault
    assert fault == "the namespace is another one than the pool was joined to"


def test_a_list_that_breaks_off_is_begun_again(site: KubernetesSite) -> None:
    job = site.work()
    site.start(job)
    others = _pretended(site)
    body = others.pods[site.name(job)]
    label = body["metadata"]["labels"]
    for number in range(600):
        name = f"berth-{number}"
        meta = {"name": name, "labels": label, "creationTimestamp": "2026-11-30T00:00:00Z"}
        others.pods[name] = {**body, "metadata": meta, "status": {"phase": "Failed"}}
    others.expired_pages = 1

    assert site.round()

    assert (others.expired_pages, site.state_of(job)) == (0, "running")
