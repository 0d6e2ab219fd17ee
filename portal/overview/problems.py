"""What is not well now: one line for each kind of problem, with those that have it."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.db.models import Q

from portal.alarms.kinds import AlarmSeverity
from portal.alarms.selectors import count_firing
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.fleet.health import PASS_AGE_MAX, check_readiness
from portal.inventory.card_facts import REMOVED
from portal.inventory.models import Accelerator, Node
from portal.tenancy import policies
from portal.workloads.models import ForgottenContainer, Recovery
from portal.workloads.operations.node_loss import find_loss_faults
from scheduler.core.model.states import AcceleratorState, NodeState

SUBJECTS_MAX: Final = 5
"""Nodes or GPUs that a problem names; its count says how many have it."""
_OF_NODES: Final = ("name", "state", "hold", "faults", "last_seen_at", "returned_at", "lost_as")
_DOWN: Final = (NodeState.UNREADY, NodeState.LOST)


class ProblemCode(StrEnum):
    """What is not well, the most urgent first."""

    SCHEDULER_SILENT = "scheduler_silent"
    """No scheduling pass for a minute: no work is placed."""
    REDIS_AWAY = "redis_away"
    NODES_DOWN = "nodes_down"
    """Not heard, or reported as unable to run work."""
    GPUS_LOST = "gpus_lost"
    """Off the bus, or not listed by their node any more."""
    GPUS_FAULTY = "gpus_faulty"
    RESTORE_PENDING = "restore_pending"
    """The portal was restored from a backup, and not every node has reported what it runs."""
    NODES_WARN = "nodes_warn"
    """They run work, and report something that will keep them from it or is unsafe."""
    ALARMS_FIRING = "alarms_firing"
    NODES_HELD = "nodes_held"
    """Cordoned, draining, drained or quarantined by people."""


SEVERITIES: Final = {
    ProblemCode.SCHEDULER_SILENT: AlarmSeverity.CRITICAL,
    ProblemCode.REDIS_AWAY: AlarmSeverity.CRITICAL,
    ProblemCode.NODES_DOWN: AlarmSeverity.CRITICAL,
    ProblemCode.GPUS_LOST: AlarmSeverity.CRITICAL,
    ProblemCode.GPUS_FAULTY: AlarmSeverity.CRITICAL,
    ProblemCode.RESTORE_PENDING: AlarmSeverity.CRITICAL,
    ProblemCode.NODES_WARN: AlarmSeverity.WARNING,
    ProblemCode.ALARMS_FIRING: AlarmSeverity.WARNING,
    ProblemCode.NODES_HELD: AlarmSeverity.INFO,
}


@dataclass(frozen=True, slots=True)
class ProblemSubject:
    """A node with a problem, or the node of a GPU that has one."""

    node: UUID
    name: str
    detail: str
    """Code of its state, hold or first fault."""


@dataclass(frozen=True, slots=True)
class ClusterProblem:
    """One line: what is wrong, how many have it, since when, and the first of them."""

    code: ProblemCode
    count: int
    since: datetime | None = None
    subjects: tuple[ProblemSubject, ...] = ()

    @property
    def severity(self) -> AlarmSeverity:
        """Return how urgent it is."""
        return SEVERITIES[self.code]


def find_problems(actor: Actor) -> list[ClusterProblem]:
    """Return what is not well as far as it concerns the actor, the most urgent first.

    Nodes and GPUs are the business of the platform's staff; a restore that of those who end it.
    """
    found = [*_of_scheduler(), *_of_alarms(actor)]
    if policies.can_see_everything(actor):
        found += [*_of_nodes(), *_of_gpus()]
    if policies.can(actor, Action.NODE_MANAGE, None):
        found += _of_restore()
    order = list(ProblemCode)
    return sorted(found, key=lambda problem: order.index(problem.code))


def _of_scheduler() -> Iterable[ClusterProblem]:
    ready = check_readiness()
    age_s = ready.scheduler_age_s
    if age_s is None or age_s > PASS_AGE_MAX.total_seconds():
        since = None if age_s is None else now() - timedelta(seconds=age_s)
        yield ClusterProblem(ProblemCode.SCHEDULER_SILENT, 1, since)
    if not ready.redis:
        yield ClusterProblem(ProblemCode.REDIS_AWAY, 1)


def _of_alarms(actor: Actor) -> Iterable[ClusterProblem]:
    if count := count_firing(actor):
        yield ClusterProblem(ProblemCode.ALARMS_FIRING, count)


def _of_nodes() -> Iterable[ClusterProblem]:
    rows = Node.objects.exclude(state=NodeState.RETIRED).filter(
        Q(state__in=_DOWN) | ~Q(hold="") | ~Q(faults=[]) | Q(returned_at__isnull=False)
    )
    nodes = list(rows.only(*_OF_NODES).order_by("name"))
    down = [node for node in nodes if node.state in _DOWN]
    faults = {node.pk: [*node.faults, *find_loss_faults(node)] for node in nodes}
    warn = [node for node in nodes if node.state not in _DOWN and faults[node.pk]]
    held = [node for node in nodes if node.state not in _DOWN and node.hold]
    seen = [node.last_seen_at for node in down if node.last_seen_at is not None]
    if down:
        subjects = _first(ProblemSubject(node.pk, node.name, node.state) for node in down)
        yield ClusterProblem(ProblemCode.NODES_DOWN, len(down), min(seen, default=None), subjects)
    if warn:
        subjects = _first(
            ProblemSubject(node.pk, node.name, faults[node.pk][0]["code"]) for node in warn
        )
        yield ClusterProblem(ProblemCode.NODES_WARN, len(warn), None, subjects)
    if held:
        subjects = _first(ProblemSubject(node.pk, node.name, node.hold) for node in held)
        yield ClusterProblem(ProblemCode.NODES_HELD, len(held), None, subjects)


def _of_gpus() -> Iterable[ClusterProblem]:
    """Count the GPUs that the page of nodes marks: lost, or out of service for a fault."""
    removed = Q(state=AcceleratorState.GONE, fault=REMOVED)
    rows = (
        Accelerator.objects.exclude(node__state=NodeState.RETIRED)
        .exclude(state=AcceleratorState.OK)
        .exclude(removed)
        .order_by("node__name", "index")
        .values_list("node_id", "node__name", "index", "state", "fault")
    )
    found: dict[ProblemCode, list[ProblemSubject]] = defaultdict(list)
    for node, name, index, state, fault in rows:
        is_lost = state == AcceleratorState.GONE
        code = ProblemCode.GPUS_LOST if is_lost else ProblemCode.GPUS_FAULTY
        found[code].append(ProblemSubject(node, f"{name} #{index}", fault or state))
    for code, subjects in found.items():
        yield ClusterProblem(code, len(subjects), None, _first(subjects))


def _of_restore() -> Iterable[ClusterProblem]:
    began = Recovery.objects.filter(finished_at=None).order_by("-created_at")
    since = began.values_list("created_at", flat=True).first()
    unknown = ForgottenContainer.objects.count()
    if since is not None or unknown:
        yield ClusterProblem(ProblemCode.RESTORE_PENDING, unknown, since)


def _first(subjects: Iterable[ProblemSubject]) -> tuple[ProblemSubject, ...]:
    return tuple(subjects)[:SUBJECTS_MAX]
