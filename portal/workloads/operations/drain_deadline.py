"""The end of a drain's patience: what may be moved is moved, the rest as the operator chose."""

from uuid import UUID

from django.db.models import F, Q, QuerySet

from portal.common.clock import now
from portal.workloads.models import Allocation, Workload
from portal.workloads.operations.node_state import SWEEP
from portal.workloads.state import lifecycle
from scheduler.core.model.policy import PoolPolicy
from scheduler.core.model.states import LIVE_ALLOCATION, PLACED, NodeHold, WorkloadState

NODE_DRAINED = "node_drained"


def find_overdue_drains() -> list[UUID]:
    """Return the work that holds something on a node whose drain has waited long enough."""
    return list(_overdue().order_by("workload").values_list("workload", flat=True).distinct())


def displace_from_node(workload_id: UUID) -> None:
    """Take one workload off the node: jobs are queued again, notebooks suspended.

    Work that may be interrupted is queued again whatever it is.
    """
    workload = lifecycle.lock_workload(workload_id)
    if not _overdue().filter(workload=workload_id).exists():
        return
    if workload.kind == Workload.Kind.ENVIRONMENT and not workload.preemptible:
        lifecycle.request_stop(
            workload, outcome=WorkloadState.SUSPENDED, cause=NODE_DRAINED, actor=SWEEP
        )
        return
    grace_s = int(workload.pool.policy.get("grace_s", PoolPolicy().grace_s))
    lifecycle.displace_workload(workload, cause=NODE_DRAINED, grace_s=grace_s, actor=SWEEP)


def _overdue() -> QuerySet[Allocation]:
    return Allocation.objects.filter(
        Q(workload__preemptible=True) | Q(node__drain_stops=True),
        state__in=LIVE_ALLOCATION,
        node__hold=NodeHold.DRAIN,
        node__drain_until__lte=now(),
        workload__state__in=PLACED,
        workload__epoch=F("epoch"),
    )
