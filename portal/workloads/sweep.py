"""The sweep: everything that is due by time, such as silent nodes, time limits and lost allocations.

It is level-triggered: each step reads what is due now and checks every case again under its lock, so
a sweep may be late, run twice or end anywhere.
"""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Final, TypeVar
from uuid import UUID

import structlog
from django.db import DatabaseError, transaction
from django.db.models import DurationField, Exists, ExpressionWrapper, F, OuterRef, Q

from portal.common.clock import now
from portal.common.errors import DomainError
from portal.inventory.models import Node
from portal.workloads import gpu_accounting
from portal.workloads.departures import handover
from portal.workloads.dependencies import (
    UnsatisfiableDependent,
    settle_dependencies,
    unsatisfiable_for_system,
)
from portal.workloads.idle import activity, unused_apps
from portal.workloads.models import Allocation, Workload
from portal.workloads.operations import node_state, nodes, recovery
from portal.workloads.state import adoption, allocations, job_arrays, lifecycle, owners
from portal.workloads.system_actors import SWEEP_ACTOR
from scheduler.core.model.plan import EvictionCause
from scheduler.core.model.policy import PoolPolicy
from scheduler.core.model.states import (
    HOLDING,
    LIVE_ALLOCATION,
    PLACED,
    AllocationState,
    NodeState,
    WorkloadState,
)
from wire.words import SilenceTerm

UNREPORTED_MAX: Final = timedelta(seconds=60)
"""A node with a link reports what it was sent to start within seconds."""

T = TypeVar("T")

logger = structlog.get_logger(__name__)


def run_sweep(*, heartbeat: timedelta) -> None:
    """Do everything that is due; one case that fails does not stop the others."""
    silence = 3 * heartbeat
    _each(
        _find_silent_nodes(silence),
        lambda node_id: node_state.expire_silent_node(node_id, silence=silence),
    )
    _each(
        _find_over_time(silence),
        lambda workload_id: _end_over_time(workload_id, silence=silence),
    )
    _each(_find_must_end(), _end_for_reservation)
    _each(_find_unreported(), _requeue_unreported)
    _each(nodes.find_past_deadline(), nodes.displace_from_node)
    _each(activity.find_idle_notebooks_for_system(), activity.act_on_idle_notebook)
    _each(owners.find_without_attempt_for_system(), handover.complete_handover)
    _each(unused_apps.find_unused_apps_for_system(), unused_apps.end_unused_app)
    _each(adoption.find_adoptable_for_system(), adoption.adopt_workload)
    recovery.finish_if_heard()
    _each(_find_without_allocations(), _advance_without_allocations)
    _each(unsatisfiable_for_system(), _cancel_unsatisfiable)
    settle_dependencies()
    gpu_accounting.count_running()


def _each(due: Iterable[T], act: Callable[[T], None]) -> None:
    for key in due:
        try:
            with transaction.atomic():
                act(key)
        except (DomainError, DatabaseError):
            logger.exception("sweep.failed", key=str(key), step=getattr(act, "__name__", ""))


def _find_silent_nodes(silence: timedelta) -> list[UUID]:
    """Return silent nodes, also those last heard in the future, and lost ones given late work."""
    given = Q(state=AllocationState.RESERVED) | Q(silence=SilenceTerm.REPLACE)
    holds = Exists(Allocation.objects.filter(given, node=OuterRef("pk"), state__in=LIVE_ALLOCATION))
    in_service = [NodeState.READY, NodeState.UNREADY, NodeState.CORDONED, NodeState.DRAINING]
    due = Q(state__in=in_service) | (Q(state=NodeState.LOST) & holds)
    moment = now()
    is_silent = Q(last_seen_at__lte=moment - silence) | Q(last_seen_at__gte=moment + silence)
    rows = Node.objects.filter(due & is_silent)
    return list(rows.order_by("id").values_list("pk", flat=True))


def _is_over_time(silence: timedelta) -> Q:
    """Select running work over its limit; a silent node ends what it keeps itself.

    Its report may say that the work had ended before its limit.
    """
    limit = ExpressionWrapper(
        F("time_limit_s") * timedelta(seconds=1), output_field=DurationField()
    )
    kept = Exists(
        Allocation.objects.filter(
            workload=OuterRef("pk"),
            state=AllocationState.BOUND,
            silence=SilenceTerm.KEEP,
            node__last_seen_at__lte=now() - silence,
        )
    )
    return ~kept & Q(state=WorkloadState.RUNNING, started_at__lte=now() - limit)


def _find_over_time(silence: timedelta) -> list[UUID]:
    rows = Workload.objects.filter(_is_over_time(silence))
    return list(rows.order_by("id").values_list("pk", flat=True))


def _end_over_time(workload_id: UUID, *, silence: timedelta) -> None:
    workload = lifecycle.lock_workload(workload_id)
    if not Workload.objects.filter(_is_over_time(silence), pk=workload_id).exists():
        return
    if workload.terms.has_grace:
        grace_s = int(workload.pool.policy.get("grace_s", PoolPolicy().grace_s))
        allocations.set_stop_grace(allocations.live_allocations(workload), grace_s)
    lifecycle.request_stop(
        workload,
        outcome=workload.terms.over_time,
        cause="time_limit",
        params={"time_limit_s": workload.time_limit_s or 0},
        actor=SWEEP_ACTOR,
    )


def _must_end() -> Q:
    return Q(state__in=PLACED, must_end_at__lte=now())


def _find_must_end() -> list[UUID]:
    """Return placed work whose GPUs an advance reservation needs, or whose own has ended."""
    rows = Workload.objects.filter(_must_end())
    return list(rows.order_by("id").values_list("pk", flat=True))


def _end_for_reservation(workload_id: UUID) -> None:
    """Suspend a notebook, queue preemptible work again, and end any other job."""
    workload = lifecycle.lock_workload(workload_id)
    if not Workload.objects.filter(_must_end(), pk=workload_id).exists():
        return
    if workload.preemptible:
        lifecycle.displace_workload(
            workload, cause=EvictionCause.RESERVED.value, grace_s=0, actor=SWEEP_ACTOR
        )
        return
    lifecycle.request_stop(
        workload,
        outcome=workload.terms.over_time,
        cause="reservation_over",
        actor=SWEEP_ACTOR,
    )


def _find_unreported() -> list[UUID]:
    """Return placed work that a node was sent, and should have reported by now."""
    rows = Allocation.objects.filter(
        state=AllocationState.BOUND,
        phase="",
        bound_at__lte=_unreported_since(),
        node__state=NodeState.READY,
        workload__state__in=PLACED,
        workload__epoch=F("epoch"),
    )
    return list(rows.order_by("workload").values_list("workload", flat=True).distinct())


def _unreported_since() -> datetime:
    return now() - UNREPORTED_MAX


def _requeue_unreported(workload_id: UUID) -> None:
    workload = lifecycle.lock_workload(workload_id)
    silent = workload.allocations.filter(
        state=AllocationState.BOUND,
        phase="",
        bound_at__lte=_unreported_since(),
        epoch=workload.epoch,
    )
    if workload.state in PLACED and silent.exists():
        lifecycle.requeue_workload(workload, cause="not_started", actor=SWEEP_ACTOR)


def _find_without_allocations() -> list[UUID]:
    """Return placed work without a live allocation: no report of a node will move it."""
    holds = Exists(Allocation.objects.filter(workload=OuterRef("pk"), state__in=LIVE_ALLOCATION))
    rows = Workload.objects.filter(~holds, state__in=HOLDING)
    return list(rows.order_by("id").values_list("pk", flat=True))


def _advance_without_allocations(workload_id: UUID) -> None:
    workload = lifecycle.lock_workload(workload_id)
    if workload.state not in HOLDING or allocations.live_allocations(workload):
        return
    lifecycle.advance_workload(workload, actor=SWEEP_ACTOR)
    if workload.state in PLACED:
        lifecycle.requeue_workload(workload, cause="container_missing", actor=SWEEP_ACTOR)


def _cancel_unsatisfiable(dependent: UnsatisfiableDependent) -> None:
    """Cancel work that waits for the success of what has ended otherwise."""
    cause, params = "dependency_never_satisfied", {"job": str(dependent.on)}
    if dependent.array is not None:
        job_arrays.cancel_tasks(dependent.array, cause=cause, params=params, actor=SWEEP_ACTOR)
    elif dependent.workload is not None:
        lifecycle.request_stop(
            lifecycle.lock_workload(dependent.workload),
            outcome=WorkloadState.CANCELLED,
            cause=cause,
            params=params,
            actor=SWEEP_ACTOR,
        )
