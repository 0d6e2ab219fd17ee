"""Carries out what the plan decides: each step as the person whose work it is, in a transaction of its own.

Submissions go through admission like everybody's, and may be refused; then the next round decides again.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import structlog

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import DomainError
from portal.demo.activity.world import (
    NOTEBOOK_CPU_MILLI,
    End,
    JobDraft,
    Leave,
    NotebookDraft,
    Open,
    ReleaseHold,
    Resume,
    Step,
    Submit,
)
from portal.demo.organisation import (
    DEVELOPMENT,
    JOB_IMAGE,
    SHARES,
    SIMULATED_IMAGE,
    TRAINING,
)
from portal.identity.models import User
from portal.jobs import queue_controls
from portal.jobs import services as jobs
from portal.notebooks import services as notebooks
from portal.tenancy.actors import load_actor
from portal.workloads.dependencies import DependencyRequest
from portal.workloads.models import Dependency, Workload
from portal.workloads.submission.admission import Submission
from portal.workloads.submission.array_indexes import ArrayIndexes
from scheduler.core.model.entities import Request

LOAD_VARIABLE: Final = "SIMULATED_GPU"
"""How work declares the load of its simulated GPUs to its node; see `nodeagent.disk.declared_load`."""
MEMORY_MIB_PER_GPU: Final = 16 * 1024
NOTEBOOK_MEMORY_MIB: Final = 4 * 1024

log = structlog.get_logger(__name__)


def carry_out(steps: Iterable[Step]) -> int:
    """Carry out steps; return how many were. One that is refused leaves the others alone."""
    done = 0
    for step in steps:
        try:
            _carry_out(step)
        except DomainError as refusal:
            log.info("activity.refused", step=type(step).__name__, code=refusal.code)
        else:
            done += 1
    return done


def _carry_out(step: Step) -> None:
    match step:
        case Submit(job):
            _submit(job)
        case Open(notebook):
            notebooks.create_notebook(
                actor=_actor(notebook.owner), submission=_notebook_submission(notebook)
            )
        case Resume(work):
            notebooks.start_notebook(actor=_actor(work.owner), workload_id=UUID(work.id))
        case Leave(work):
            notebooks.stop_notebook(actor=_actor(work.owner), workload_id=UUID(work.id))
        case ReleaseHold(work):
            queue_controls.release_job(actor=_actor(work.owner), workload_id=UUID(work.id))
        case End(work):
            end = jobs.cancel_job if work.is_job else notebooks.delete_notebook
            end(actor=_actor(work.owner), workload_id=UUID(work.id))


def _submit(job: JobDraft) -> None:
    actor, submission = _actor(job.owner), _job_submission(job)
    if job.tasks == 1:
        jobs.submit_job(actor=actor, submission=submission)
        return
    indexes = tuple(range(job.tasks))
    given = ArrayIndexes(f"0-{job.tasks - 1}", indexes, job.running_max)
    jobs.submit_array(actor=actor, submission=submission, given=given)


def _job_submission(job: JobDraft) -> Submission:
    after = [DependencyRequest(Dependency.Type.AFTER_OK, UUID(job.after))] if job.after else []
    return Submission(
        kind=jobs.KIND,
        group=job.group,
        name=job.name,
        image=JOB_IMAGE,
        pool=TRAINING,
        request=Request(
            gpus=job.gpus,
            replicas=job.replicas,
            cpu_milli=job.gpus * job.cpu_milli_per_gpu,
            memory_mib=job.gpus * MEMORY_MIB_PER_GPU,
        ),
        time_limit_s=job.time_limit_s,
        priority=job.priority,
        preemptible=True,
        spec={
            "command": [],
            "script": job.script,
            "launcher": "plain",
            "notice_signal": "SIGTERM",
            **_environment(job.load),
        },
        not_before=now() + timedelta(seconds=job.begins_in_s) if job.begins_in_s else None,
        held_by=Workload.HeldBy.USER.value if job.is_held else "",
        dependencies=after,
        simulated=True,
    )


def _notebook_submission(notebook: NotebookDraft) -> Submission:
    return Submission(
        kind=notebooks.KIND,
        group=notebook.group,
        name=notebook.name,
        image=SIMULATED_IMAGE,
        pool=DEVELOPMENT if notebook.slices else SHARES,
        request=Request(
            slices=notebook.slices,
            gpu_milli=notebook.gpu_milli,
            gpu_memory_mib=notebook.gpu_memory_mib,
            cpu_milli=NOTEBOOK_CPU_MILLI,
            memory_mib=NOTEBOOK_MEMORY_MIB,
        ),
        spec=_environment(notebook.load),
        simulated=True,
    )


def _environment(load: str) -> dict[str, Any]:
    return {"env": {LOAD_VARIABLE: load}}


def _actor(username: str) -> Actor:
    return load_actor(User.objects.get(username=username))
