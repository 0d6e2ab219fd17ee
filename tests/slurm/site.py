"""A pool whose work a Slurm cluster runs, real or pretended, and jobs that end when a test says so."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Protocol

from portal.config.cluster_rounds import SLURM_ROUNDS
from portal.execution.backends import SLURM
from portal.foreign.attempts import JobKey
from portal.inventory.models import Node, Pool
from portal.slurm.client import SlurmClient
from portal.slurm.commands import CommandError, Commands
from portal.slurm.models import SlurmJob, SlurmPartition
from portal.slurm.names import job_name
from portal.slurm.records import terms_of
from portal.workloads.models import Allocation, Workload
from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_member
from tests.builders.scenes import Scene
from tests.slurm.cluster import GPUS_PER_NODE, PARTITION
from tests.waiting import wait_until

HELD: Final = """trap 'echo notified >> told' TERM
echo "rank $NODE_RANK of $NNODES"
while [ ! -e "end.$NODE_RANK" ]; do sleep 0.1; done
exit "$(cat "end.$NODE_RANK")"
"""
"""Ends when a file says with which code, and not by TERM alone."""
POLITE: Final = HELD.replace("told'", "told; exit 3'")
"""Ends itself when it is notified."""


class Parts(Protocol):
    """What a test does to a cluster."""

    @property
    def work_dir(self) -> Path:
        """Return the folder that all its nodes share."""

    def kill(self, part: str) -> None:
        """Kill `slurmctld` or `slurmdbd`."""

    def start(self, part: str) -> None:
        """Start it again."""

    def lose(self, node: str) -> None:
        """Lose a node with all that runs on it."""

    def bring_back(self, node: str) -> None:
        """Bring it back."""

    def forget_everything(self) -> None:
        """Lose all that the controller knows of jobs."""

    def clear(self) -> None:
        """End all jobs."""


@dataclass
class ClusterUnderTest:
    """A cluster, and a line to it that may be cut: before or behind its ears."""

    line: Commands
    parts: Parts
    unheard: set[str] = field(default_factory=set)
    """Programs that do not reach it."""
    unanswered: set[str] = field(default_factory=set)
    """Programs that reach it, and whose answer is lost."""

    def run(self, argv: Sequence[str], stdin: bytes = b"") -> bytes:
        """Run a command, unless it is cut off."""
        program = argv[2] if argv[0] == "env" else argv[0]
        if program in self.unheard:
            raise CommandError("cut")
        answer = self.line.run(argv, stdin)
        if program in self.unanswered:
            raise CommandError("cut")
        return answer

    def occupy(self, node: str) -> None:
        """Let somebody else's job take all GPUs of a node."""
        script = b"#!/bin/sh\nexec sleep 600\n"
        options = (f"--nodelist={node}", f"--gres=gpu:{GPUS_PER_NODE}", "--output=/dev/null")
        self.line.run(
            ("sbatch", "--parsable", "--job-name=others", f"--partition={PARTITION}", *options),
            script,
        )


@dataclass
class SlurmSite:
    """One pool, its partition, and a group with a member."""

    scene: Scene
    partition: SlurmPartition
    cluster: ClusterUnderTest

    @property
    def client(self) -> SlurmClient:
        """Return what speaks to its cluster."""
        return SlurmClient(self.cluster, terms_of(self.partition, self.scene.pool))

    def round(self) -> bool:
        """Run one round, and look at what it made of the nodes."""
        heard = replace(SLURM_ROUNDS, retry_s=0).run(self.partition, self.client)
        nodes = Node.objects.filter(pool=self.scene.pool).exclude(state="retired")
        self.scene.nodes[:] = list(nodes.order_by("name"))
        return heard

    def work(self, script: str = HELD, **asked: object) -> Workload:
        """Save queued work that runs a script."""
        small = {"cpu_milli": 1000, "memory_mib": 64, "spec": {"script": script}}
        return self.scene.work(**{**small, **asked})

    def start(self, work: Workload, *nodes: int) -> list[Allocation]:
        """Place work, a rank on each named node, and run rounds until it runs."""
        held = self.place(work, *nodes)
        self.until(work, "running")
        return held

    def place(self, work: Workload, *nodes: int) -> list[Allocation]:
        """Place work, with the first free cards of the named nodes, each of which has a rank."""
        where = nodes or tuple(range(work.replicas))
        cards = tuple(range(work.gpus))
        return self.scene.place(work, *(self.scene.placement(at, cards=cards) for at in where))

    def until(self, work: Workload, state: str) -> None:
        """Run rounds until work is in a state."""
        wait_until(lambda: self.round() and self.state_of(work) == state, every_s=0.2)

    def state_of(self, work: Workload) -> str:
        """Return the state of work."""
        work.refresh_from_db()
        return work.state

    def end(self, work: Workload, code: int = 0, rank: int = 0) -> None:
        """Let the program of a rank end."""
        self.outputs(work).mkdir(parents=True, exist_ok=True)
        (self.outputs(work) / f"end.{rank}").write_text(f"{code}\n")

    def outputs(self, work: Workload) -> Path:
        """Return the folder in which work runs."""
        return Path(self.partition.work_dir) / "outputs" / str(work.pk)

    def job(self, work: Workload) -> SlurmJob:
        """Return the record of the present attempt."""
        return SlurmJob.objects.get(workload_id=work.pk, epoch=work.epoch)

    def name(self, work: Workload) -> str:
        """Return the name of the present attempt on the cluster."""
        return job_name(self.partition.site, JobKey(work.pk, work.epoch))

    def live(self) -> list[str]:
        """Return the names of jobs that wait or run on the cluster."""
        found = self.cluster.run(("squeue", "--noheader", "--me", "--format=%j"))
        return sorted(found.decode().split())


def a_slurm_site(cluster: ClusterUnderTest) -> SlurmSite:
    """Save a pool that is the test cluster's partition."""
    pool = a_pool()
    Pool.objects.filter(pk=pool.pk).update(backend=SLURM)
    pool.refresh_from_db()
    partition = SlurmPartition.objects.create(
        pool=pool,
        partition=PARTITION,
        work_dir=str(cluster.parts.work_dir),
        gpu_memory_mib=81920,
    )
    group = a_group()
    site = SlurmSite(Scene(pool, [], group, a_member(group)), partition, cluster)
    assert site.round()
    return site
