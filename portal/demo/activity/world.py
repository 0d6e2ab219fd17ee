"""What the plan of the activity is decided from, and what it can decide; pure values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from portal.demo.organisation import SLICES_PER_CARD

GPU: Final = 1000
"""Thousandths in a GPU."""
QUEUED: Final = "queued"
JOB_CPU_MILLI: Final = 6_000
"""Of a job, for each of its GPUs."""
NOTEBOOK_CPU_MILLI: Final = 1_000
SUSPENDED: Final = "suspended"
STOPPING: Final = "stopping"


@dataclass(frozen=True, slots=True)
class Amount:
    """What a quota counts."""

    gpu_milli: int = 0
    cpu_milli: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.gpu_milli + other.gpu_milli, self.cpu_milli + other.cpu_milli)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The quotas of a group; None is no limit."""

    gpu_milli: int | None = None
    cpu_milli: int | None = None

    def admits(self, amount: Amount) -> bool:
        """Return whether a group may hold so much."""
        return not (
            (self.gpu_milli is not None and amount.gpu_milli > self.gpu_milli)
            or (self.cpu_milli is not None and amount.cpu_milli > self.cpu_milli)
        )

    @property
    def gpu_milli_of_jobs(self) -> int | None:
        """What small and wide jobs may hold of GPUs together, by both quotas."""
        if self.cpu_milli is None:
            return self.gpu_milli
        by_cpu = self.cpu_milli // JOB_CPU_MILLI * GPU
        return by_cpu if self.gpu_milli is None else min(by_cpu, self.gpu_milli)


@dataclass(frozen=True, slots=True)
class Work:
    """Live work of the activity; suspended notebooks count."""

    id: str
    owner: str
    group: str
    pool: str
    is_job: bool
    state: str
    amount: Amount
    """Of all ranks together."""
    gpus: int = 0
    """Whole GPUs of one rank."""
    slices: int = 0
    priority: int = 0
    age_s: float = 0
    """Since its submission."""
    wait_s: float = 0
    """Since it was queued last."""
    run_s: float = 0
    """Since its present start; 0 unless it runs."""
    array: str = ""
    """Of a task of an array: the array."""
    running_max: int = 0
    """Of a task of an array: how many of them may run at once."""
    is_lent: bool = False
    """Whether it is a job that runs in a pool that lends."""
    is_held: bool = False
    has_begin: bool = False
    """Whether it may only start at a moment."""
    depends: bool = False

    @property
    def is_queued(self) -> bool:
        """Whether it waits to be placed."""
        return self.state == QUEUED

    @property
    def is_suspended(self) -> bool:
        """Whether it is a notebook that its owner has left."""
        return self.state == SUSPENDED

    @property
    def is_placed(self) -> bool:
        """Whether it has its GPUs, or gets them now, or leaves them."""
        return not (self.is_queued or self.is_suspended)


WIDE_GPUS: Final = 4
"""GPUs of one node that a wide job has."""


@dataclass(frozen=True, slots=True)
class Room:
    """What is free now, of everybody's."""

    training_largest: int = 0
    """Most free GPUs on one node of the training pool."""
    training_free: int = 0
    lendable: int = 0
    """Untouched cards of the development pool."""
    slices_free: int = 0
    share_milli_free: int = 0
    """Of the pool with shares; 0 where there is none."""


@dataclass(frozen=True, slots=True)
class World:
    """One moment of the site."""

    seed: int
    now: datetime
    """By the site's clock."""
    room: Room
    work: tuple[Work, ...] = ()
    ceilings: Mapping[str, Ceiling] = field(default_factory=dict)
    """Quotas by group; a group that is missing is not used."""
    used_by_others: Mapping[str, Amount] = field(default_factory=dict)
    """What people hold, by group."""
    are_others_waiting: bool = False
    """Whether work of people waits for capacity; then the activity adds nothing."""


@dataclass(frozen=True, slots=True)
class JobDraft:
    """A job to submit, as its owner."""

    owner: str
    group: str
    name: str
    gpus: int
    script: str
    load: str
    """Declared of its simulated GPUs."""
    time_limit_s: int
    replicas: int = 1
    priority: int = 0
    is_held: bool = False
    begins_in_s: int = 0
    after: str = ""
    """The work after whose success it starts."""
    tasks: int = 1
    """Above 1: an array of so many, of which `running_max` run at once."""
    running_max: int = 0
    cpu_milli_per_gpu: int = JOB_CPU_MILLI

    @property
    def amount(self) -> Amount:
        """What it holds at most at one time."""
        gpus = self.gpus * self.replicas * (self.running_max or 1)
        return Amount(gpus * GPU, gpus * self.cpu_milli_per_gpu)


@dataclass(frozen=True, slots=True)
class NotebookDraft:
    """A notebook to open, as its owner: on slices, or on a share of a card."""

    owner: str
    group: str
    name: str
    load: str
    slices: int = 0
    gpu_milli: int = 0
    """Of a share; 0 on slices."""
    gpu_memory_mib: int = 0

    @property
    def amount(self) -> Amount:
        """What it counts as."""
        gpu_milli = self.gpu_milli or self.slices * GPU // SLICES_PER_CARD
        return Amount(gpu_milli, NOTEBOOK_CPU_MILLI)


@dataclass(frozen=True, slots=True)
class Submit:
    """Queue a job."""

    job: JobDraft


@dataclass(frozen=True, slots=True)
class Open:
    """Queue a notebook: a new one."""

    notebook: NotebookDraft


@dataclass(frozen=True, slots=True)
class Resume:
    """Start a suspended notebook again."""

    work: Work


@dataclass(frozen=True, slots=True)
class Leave:
    """Stop a notebook and keep it."""

    work: Work


@dataclass(frozen=True, slots=True)
class ReleaseHold:
    """Let held work start."""

    work: Work


@dataclass(frozen=True, slots=True)
class End:
    """End work permanently: cancel a job, delete a notebook."""

    work: Work


Step = Submit | Open | Resume | Leave | ReleaseHold | End
