"""Ray and Dask over two hosts with an agent each: a rank is killed, and the job restarts by its rule."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from portal.workloads.models import Workload
from tests.builders.workloads import a_workload
from tests.clusters import attempts_in, program_on
from tests.nodeagent.faults.hosts import ADDRESSES, Host, a_cable
from tests.nodeagent.faults.site import SLOWLY_S, Site
from tests.packages import packages_of
from tests.waiting import PATIENCE_S, wait_until

pytestmark = [pytest.mark.docker]


@dataclass
class ClusterJob:
    """A job of two ranks that holds a card on each host."""

    work: Workload
    outputs: Path

    def attempts(self) -> list[list[object]]:
        """Return what every attempt so far has seen and computed."""
        return attempts_in(self.outputs)

    def rank(self, number: int) -> psutil.Process:
        """Return the program that runs a rank."""
        (found,) = [item for item in psutil.process_iter() if self._is_rank(item, number)]
        return found

    def _is_rank(self, process: psutil.Process, number: int) -> bool:
        try:
            line, env = process.cmdline(), process.environ()
        except psutil.Error:
            return False
        is_ours = env.get("BERTH_WORKLOAD") == str(self.work.pk)
        return bool(is_ours) and env["NODE_RANK"] == str(number) and line[1].endswith("/cluster.py")


@pytest.fixture
def shared(hosts: list[Host], site: Site, tmp_path: Path) -> Iterator[Path]:
    """Storage that both agents share; they run work as processes, and a cable is between them."""
    storage = tmp_path / "shared"
    storage.mkdir()
    with a_cable(hosts):
        for number in range(2):
            site.agent(
                number,
                runtime="process",
                process_default_prefix=sys.prefix,
                advertise_address=ADDRESSES[number],
                storage_dir=str(storage),
            )
        yield storage
        site.clear()


def a_cluster_job(
    site: Site, shared: Path, launcher: str, script: str, packages: Path
) -> ClusterJob:
    work = a_workload(
        site.owner, site.group, site.pool, gpus=1, replicas=2, cpu_milli=1000, memory_mib=2048
    )
    env = {"PYTHONPATH": str(packages)}
    Workload.objects.filter(pk=work.pk).update(
        spec={"script": script, "env": env, "launcher": launcher},
        restart={"rule": "on_failure"},
        retries_max=1,
    )
    return ClusterJob(work, shared / "outputs" / str(work.pk))


@pytest.mark.parametrize("launcher", ["dask", pytest.param("ray", marks=pytest.mark.long)])
def test_a_cluster_on_two_agents_starts_again_after_a_rank_was_killed(
    site: Site, shared: Path, launcher: str
) -> None:
    job = a_cluster_job(site, shared, launcher, program_on(launcher), packages_of(launcher))
    wait_until(lambda: len(job.attempts()) == 1, within_s=3 * PATIENCE_S, every_s=SLOWLY_S)

    job.rank(1).kill()
    wait_until(
        lambda: Workload.objects.get(pk=job.work.pk).finished_at,
        within_s=3 * PATIENCE_S,
        every_s=SLOWLY_S,
    )

    job.work.refresh_from_db()
    assert (job.work.state, job.work.retries, job.work.epoch) == ("succeeded", 1, 2)
    ranks = [[address, 1, 1] for address in ADDRESSES]
    assert job.attempts() == [[0, ranks, 285], [1, ranks, 285]]


def test_an_image_without_the_program_fails_to_start_and_says_so(
    site: Site, shared: Path, tmp_path: Path
) -> None:
    job = a_cluster_job(site, shared, "ray", "exit 0\n", tmp_path)
    Workload.objects.filter(pk=job.work.pk).update(restart={"rule": "on_infrastructure"})

    wait_until(
        lambda: Workload.objects.get(pk=job.work.pk).finished_at,
        within_s=PATIENCE_S,
        every_s=SLOWLY_S,
    )

    job.work.refresh_from_db()
    assert (job.work.state, job.work.cause) == ("failed", "start_failed")
    assert job.work.cause_params["detail"] == "program_missing: ray"
