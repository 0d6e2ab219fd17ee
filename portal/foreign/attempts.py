"""Which attempt something is, what the replies name of one, and what work needs beyond a back end: pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from portal.execution.backends import BEYOND, Need
from portal.execution.desired import DesiredState, GrantedGrace, WantedContainer
from portal.execution.report import AttemptKey

CANNOT: Final = "backend_cannot_"
"""Begins the detail of an end of what a back end cannot run; what it lacks follows."""


@dataclass(frozen=True, slots=True)
class JobKey:
    """One attempt of a workload, with all its ranks."""

    workload: UUID
    epoch: int

    def rank(self, number: int) -> AttemptKey:
        """Return the attempt of one rank."""
        return f"{self.workload.hex}.{number}", self.epoch


@dataclass(frozen=True, slots=True)
class RefuseAttempt:
    """An attempt that a cluster cannot run: it ends without having started."""

    key: JobKey
    nodes: tuple[str, ...]
    """Of each rank."""
    detail: str


@dataclass(slots=True)
class WantedAttempt:
    """What the replies name of one attempt, by rank."""

    ranks: dict[int, WantedContainer] = field(default_factory=dict)
    nodes: dict[int, str] = field(default_factory=dict)

    @property
    def is_whole(self) -> bool:
        """Return whether every rank was named."""
        return len(self.ranks) == next(iter(self.ranks.values())).spec.ranks


def parse_attempt(attempt: AttemptKey) -> tuple[JobKey, int]:
    """Return the job and the rank of an attempt."""
    workload, _, rank = attempt[0].partition(".")
    return JobKey(UUID(workload), attempt[1]), int(rank)


def gather_wanted(replies: Mapping[str, DesiredState]) -> Mapping[JobKey, WantedAttempt]:
    """Return what the replies to the nodes name, by attempt; ranks in order."""
    found: dict[JobKey, WantedAttempt] = {}
    rows = [
        (*parse_attempt(item.key), node, item)
        for node, reply in replies.items()
        for item in reply.containers
    ]
    for key, rank, node, item in sorted(rows, key=lambda row: row[1]):
        wanted = found.setdefault(key, WantedAttempt())
        wanted.ranks[rank], wanted.nodes[rank] = item, node
    return found


def gather_graces(replies: Mapping[str, DesiredState]) -> Mapping[AttemptKey, GrantedGrace]:
    """Return the grace of each attempt that has one."""
    return {item.key: item for reply in replies.values() for item in reply.graces}


def first_lacking(backend: str, ranks: Iterable[WantedContainer]) -> Need | None:
    """Return one thing that these need and the back end cannot do."""
    return min((need for item in ranks for need in needs_beyond(backend, item)), default=None)


def needs_beyond(backend: str, item: WantedContainer) -> frozenset[Need]:
    """Return what an attempt needs that a back end cannot do; its submission was refused long before."""
    spec = item.spec
    asked = {
        Need.SERVER: bool(spec.app_token or spec.ports or spec.probe),
        Need.BUILD: spec.builds_image,
        Need.SECRETS: spec.has_secrets,
        Need.FILES: bool(spec.datasets or spec.volumes or spec.inputs),
        Need.LAUNCHER: spec.launcher != "plain",
        Need.SHARES: any(device.slices > 1 or device.gpu_milli for device in item.devices),
    }
    return frozenset(need for need, is_asked in asked.items() if is_asked) & BEYOND[backend]
