"""Slurm's states and reasons in the portal's words."""

from collections.abc import Mapping
from typing import Final

from portal.slurm.values import AccountedJob, JobEnd
from wire.words import ExitCause

WAITING: Final = frozenset({"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT"})
RUNNING: Final = frozenset({"RUNNING", "SUSPENDED", "STOPPED", "SIGNALING"})
STARTING: Final = frozenset({"CONFIGURING", "RESIZING"})
STOPPING: Final = frozenset({"COMPLETING", "STAGE_OUT"})
LIVE: Final = WAITING | RUNNING | STARTING | STOPPING
"""States in which a job may still run; every other one is an end, which accounting tells."""

IN_QUEUE: Final = "foreign_queue"
"""Begins the detail of what waits in the queue of another scheduler; its reason follows."""
_REASONS: Final[Mapping[str, str]] = {
    "None": "unplanned",
    "Resources": "resources",
    "Priority": "priority",
    "Dependency": "same_name",
    "BeginTime": "begin_time",
    "Reservation": "reservation",
    "Prolog": "starting",
    "Cleaning": "starting",
    "Licenses": "licenses",
    "JobHeldUser": "held",
    "JobHeldAdmin": "held",
    "JobLaunchFailure": "launch_failed",
    "NodeDown": "node_away",
    "NonZeroExitCode": "launch_failed",
    "PartitionDown": "partition_down",
    "PartitionInactive": "partition_down",
    "PartitionNodeLimit": "limit",
    "PartitionTimeLimit": "limit",
    "ReqNodeNotAvail": "node_away",
    "BadConstraints": "impossible",
    "InvalidAccount": "account",
    "InvalidQOS": "account",
    "AccountNotAllowed": "account",
    "QOSNotAllowed": "account",
    "SchedDefer": "unplanned",
    "FrontEndDown": "node_away",
}
_LIMITS: Final = ("Assoc", "QOS", "MaxCpuPerAccount", "MaxGRESPerAccount", "Max")
OTHER: Final = "other"


def waiting_reason(reason: str) -> str:
    """Return why a job waits there: `ReqNodeNotAvail, UnavailableNodes:n1` is about its nodes."""
    word = reason.strip("() ").split(",")[0].split(":")[0].strip()
    if word in _REASONS:
        return _REASONS[word]
    return "limit" if word.startswith(_LIMITS) else OTHER


_CAUSES: Final[Mapping[str, ExitCause]] = {
    "COMPLETED": ExitCause.EXITED,
    "FAILED": ExitCause.EXITED,
    "OUT_OF_MEMORY": ExitCause.OUT_OF_MEMORY,
    "TIMEOUT": ExitCause.TIME_LIMIT,
    "DEADLINE": ExitCause.TIME_LIMIT,
    "NODE_FAIL": ExitCause.NODE_FAULT,
    "BOOT_FAIL": ExitCause.NODE_FAULT,
    "PREEMPTED": ExitCause.NODE_FAULT,
    "REVOKED": ExitCause.NODE_FAULT,
    "CANCELLED": ExitCause.KILLED,
}


def is_end(job: AccountedJob) -> bool:
    """Return whether accounting has written an end down.

    After `slurmdbd` was away, it has the state for a while before the exit code and the moment: until then
    a failed job looks like one that has ended with 0.
    """
    return job.state in _CAUSES and job.ended_at is not None


def end_of(job: AccountedJob, *, was_stopped: bool) -> JobEnd:
    """Return how a job has ended; one that the portal was stopping was stopped, whatever it says."""
    cause = _CAUSES[job.state]
    detail = "" if cause is ExitCause.EXITED else f"slurm_{job.state.lower()}"
    if cause is ExitCause.EXITED and job.signal:
        cause = ExitCause.KILLED
    if was_stopped and job.state not in ("COMPLETED", "NODE_FAIL"):
        cause, detail = ExitCause.STOPPED, ""
    return JobEnd(cause.value, _exit_code(job), job.started_at, job.ended_at, detail)


def _exit_code(job: AccountedJob) -> int | None:
    """Return the exit code, below 0 for a signal; a failure with 0 is not known any better."""
    if job.state == "FAILED" and not (job.signal or job.exit_code):
        return None
    return -job.signal if job.signal else job.exit_code
