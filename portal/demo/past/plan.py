"""What a simulated past consists of, in plain values. Moments are seconds since its beginning."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

from scheduler.core.model.states import WorkloadState

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
WEEK_MINUTES: Final = 7 * 24 * 60


class Draw(random.Random):
    """Random numbers that are the same for the same name."""


@dataclass(frozen=True, slots=True)
class LabCard:
    """One card that has joined."""

    node: str
    slices: int = 1
    """More than one: it is of the pool of notebooks, which lends it when nobody needs it."""


@dataclass(frozen=True, slots=True)
class Lab:
    """The site of a past, its people, and how long it lasts."""

    cards: Sequence[LabCard]
    people: Sequence[tuple[str, str]]
    """User names, each with the name of the group."""
    length_s: int
    first_minute: int
    """Of the week, Monday 00:00 is 0: what the clock of the site shows when the past begins."""
    ceiling: int
    """Cards that one group may hold at a time."""
    seed: int = 1

    def minute_of_week(self, moment_s: int) -> int:
        """Return what the clock of the site shows at a moment."""
        return (self.first_minute + moment_s // MINUTE) % WEEK_MINUTES


class Ending(StrEnum):
    """How an attempt ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    RETRIED = "retried"
    """It failed, and is queued again."""
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    EVICTED = "evicted"
    NODE_LOST = "node_lost"
    IDLE = "idle"
    """A notebook that nobody used any more."""
    CLOSED = "closed"
    """A notebook that its owner has stopped."""


@dataclass(frozen=True, slots=True)
class Fate:
    """How a job ends that nobody disturbs."""

    ending: Ending
    exit_code: int | None = None
    cause: str = ""
    error: str = ""
    """Which error its log shows; a key of `portal.demo.past.log_texts`."""


@dataclass(frozen=True, slots=True)
class Project:
    """A kind of job that a group runs again and again."""

    name: str
    gpus: int
    hours: float
    """Mean length."""
    script: str
    tags: tuple[str, ...]
    weight: int = 4
    """How often, compared with the others of the group."""
    ranks: int = 1
    use_pct: int = 88
    """Mean use of its GPUs."""


class Held(NamedTuple):
    """A part of a card: some of its slots, or all of them."""

    card: int
    """Index into the cards of the lab."""
    slots: tuple[int, ...]


@dataclass(slots=True)
class Attempt:
    """One placement of work, from the decision until its cards were free again."""

    ranks: Sequence[Sequence[Held]]
    placed_s: int
    runs_s: int
    """When its program began."""
    ends_s: int
    ending: Ending = Ending.SUCCEEDED
    cause: str = ""


@dataclass(slots=True)
class PastJob:
    """A job and what became of it."""

    number: int
    owner: str
    group: str
    project: Project
    name: str
    submitted_s: int
    length_s: int
    """How long it runs undisturbed."""
    limit_s: int
    preemptible: bool
    fate: Fate
    gives_up_s: int | None = None
    """Its owner cancels it then if it still waits."""
    cancelled_s: int | None = None
    """When it was cancelled while it waited."""
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def cards(self) -> int:
        """How many cards it holds."""
        return self.project.gpus * self.project.ranks


class Session(NamedTuple):
    """A stretch of time in which somebody wants to work in a notebook."""

    begins_s: int
    ends_s: int
    ending: Ending


@dataclass(slots=True)
class PastNotebook:
    """A notebook, which is started again and again until it is deleted."""

    number: int
    owner: str
    group: str
    name: str
    slices: int
    use_pct: int
    sessions: Sequence[Session]
    asked: list[int] = field(default_factory=list)
    """When each of its attempts was queued."""
    attempts: list[Attempt] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LabPast:
    """All work of a past; everything has ended."""

    jobs: Sequence[PastJob]
    notebooks: Sequence[PastNotebook]


class Step(NamedTuple):
    """One line of the log of a workload."""

    at_s: int
    source: str
    target: WorkloadState
    epoch: int
    cause: str
    params: dict[str, int | str]
    by: str
    """`owner`, `scheduler`, `sweep`, or the name of a node."""
