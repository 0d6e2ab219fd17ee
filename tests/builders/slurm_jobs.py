"""Plain values of a Slurm cluster: records, rows of its queue and accounting, and what replies name."""

from typing import Any
from uuid import UUID

from portal.execution.desired import DesiredState, WantedContainer, WorkSpec
from portal.foreign.attempts import JobKey
from portal.slurm.values import (
    AccountedJob,
    AttemptRecord,
    ClusterView,
    PartitionTerms,
    QueuedJob,
    SubmitJob,
)

AT = 1_800_000_000
KEY = JobKey(UUID(int=7), 2)
TERMS = PartitionTerms("0000abcd", "gpu", "/shared/work", time_limit_s=3600)


def a_record(key: JobKey = KEY, **chosen: Any) -> AttemptRecord:
    """Return the record of a job on `n1` that was submitted a minute ago."""
    usual = {"nodes": ("n1",), "submitted_at": AT - 60, "job_id": 11, "state": "RUNNING"}
    return AttemptRecord(key, **{**usual, **chosen})


def a_queued_job(key: JobKey = KEY, **chosen: Any) -> QueuedJob:
    """Return a job that runs on `n1`."""
    usual = {"id": 11, "state": "RUNNING", "reason": "None", "started_at": AT - 50}
    return QueuedJob(key=key, **{**usual, "nodes": ("n1",), **chosen})


def an_accounted_job(key: JobKey = KEY, **chosen: Any) -> AccountedJob:
    """Return a job that has ended well."""
    usual = {"id": 11, "state": "COMPLETED", "exit_code": 0, "signal": 0}
    times = {"started_at": AT - 50, "ended_at": AT - 10}
    return AccountedJob(key=key, **{**usual, **times, **chosen})


def a_view(*queue: QueuedJob, at: int = AT, **chosen: Any) -> ClusterView:
    """Return a look at a cluster with these jobs in its queue."""
    return ClusterView(at, queue=queue, **chosen)


def a_rank(key: JobKey = KEY, rank: int = 0, ranks: int = 1, **chosen: Any) -> WantedContainer:
    """Return what a reply names of one rank; the rest are fields of its spec."""
    usual: dict[str, Any] = {"command": ("true",), "rank": rank, "ranks": ranks}
    spec = {"kind": "training", "workload": str(key.workload), "name": "work", "image": ""}
    fields = {**spec, "cpu_milli": 1500, "memory_mib": 512, **usual, **chosen}
    return WantedContainer(*key.rank(rank), WorkSpec(**fields))


def an_order(*ranks: WantedContainer, nodes: tuple[str, ...] = ("n1",)) -> SubmitJob:
    """Return the submission of these ranks."""
    return SubmitJob(KEY, ranks or (a_rank(),), nodes)


def a_reply(*containers: WantedContainer, **chosen: Any) -> DesiredState:
    """Return a reply that names these."""
    return DesiredState(containers=containers, **chosen)
