"""What is said of a Slurm cluster and of the portal's jobs there: plain values; times in s since 1970."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from portal.execution.desired import WantedContainer
from portal.foreign.attempts import JobKey, RefuseAttempt


@dataclass(frozen=True, slots=True)
class ClusterNode:
    """A node of a partition."""

    name: str
    address: str
    state: str
    """As `sinfo` names it, in small letters, without marks."""
    cpus: int
    memory_mib: int
    gpus: Mapping[str, int] = field(default_factory=dict)
    """How many, by type; a type that is not named is empty."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job that the controller still knows."""

    id: int
    key: JobKey
    state: str
    reason: str
    started_at: int | None
    nodes: tuple[str, ...]
    """Where each rank was sent, in the order of ranks."""


@dataclass(frozen=True, slots=True)
class AccountedJob:
    """A job as accounting knows it."""

    id: int
    key: JobKey
    state: str
    exit_code: int
    signal: int
    started_at: int | None
    ended_at: int | None


@dataclass(frozen=True, slots=True)
class ClusterView:
    """What the cluster said in one round; the accounting covers the jobs that were asked for."""

    at: int
    nodes: tuple[ClusterNode, ...] = ()
    queue: tuple[QueuedJob, ...] = ()
    accounting: tuple[AccountedJob, ...] | None = ()
    """None: it did not answer, and nothing is known of what the controller has forgotten."""


@dataclass(frozen=True, slots=True)
class JobEnd:
    """How a job has ended, in the words of `portal.execution.report.EndedContainer`."""

    cause: str
    exit_code: int | None = None
    started_at: int | None = None
    ended_at: int | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """What the portal remembers of one attempt that it submitted, or was about to."""

    key: JobKey
    nodes: tuple[str, ...]
    """Of each rank."""
    submitted_at: int
    """When `sbatch` was run last."""
    job_id: int | None = None
    """None: not known to have been taken."""
    state: str = ""
    """Last state that the controller named."""
    reason: str = ""
    """Why it waits, in the portal's words."""
    started_at: int | None = None
    missing_since: int | None = None
    """Since when neither controller nor accounting say how it is."""
    stop_at: int | None = None
    """When it is killed; None while it is not to end."""
    end: JobEnd | None = None


@dataclass(frozen=True, slots=True)
class PartitionTerms:
    """How the jobs of a pool are submitted."""

    site: str
    """Begins the name of every job of the pool."""
    partition: str
    work_dir: str
    """A folder that all its nodes and the host of the commands share."""
    time_limit_s: int
    """Of work that has none of its own."""
    account: str = ""
    qos: str = ""


@dataclass(frozen=True, slots=True)
class SubmitJob:
    """Submit a job for all ranks of an attempt."""

    key: JobKey
    ranks: tuple[WantedContainer, ...]
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Signal:
    """Signal all processes of a job, and cancel it at a moment."""

    key: JobKey
    job_id: int
    name: str
    """Such as `TERM`; empty is none."""
    stop_at: int


@dataclass(frozen=True, slots=True)
class Cancel:
    """Let Slurm end a job: one that waits leaves the queue, one that runs has TERM, `KillWait` and KILL."""

    job_id: int
    key: JobKey | None = None
    """None of a job that was submitted beside the one that counts."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Give up what was not taken and is not wanted any more."""

    key: JobKey


Order = SubmitJob | RefuseAttempt | Signal | Cancel | Drop
