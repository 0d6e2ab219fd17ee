"""The queue of one pool: waiting work in order, running work with its end, and reservations.

All readers see order and times; names and owners only of work that they may see.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from portal.common.actor import Actor
from portal.common.clock import from_millis
from portal.inventory.models import Node, Pool
from portal.tenancy.selectors import group_visible_to
from portal.workloads.models import Allocation, SchedulerPass, Workload
from portal.workloads.responses.queue_status import (
    part_of_queue_for_system,
    queue_head_for_system,
    queue_statuses_for_system,
)
from portal.workloads.responses.redaction import Viewer
from scheduler.core.model.states import LIVE_ALLOCATION

ROWS_MAX: Final = 200
"""Waiting, and running, workloads in one answer."""


def present_queue(
    actor: Actor, pool: Pool, *, reason: str | None = None, group_id: UUID | None = None
) -> dict[str, Any]:
    """Return the queue of a pool, read in a fixed number of queries.

    With a reason or a group only such work is among the waiting.

    Raises:
        NotFoundError: the actor may not see the group.
    """
    viewer = Viewer.for_actor(actor)
    reserved = _load_reservations(pool)
    if reason is None and group_id is None:
        head = queue_head_for_system(pool.pk, ROWS_MAX)
    else:
        if group_id is not None:
            group_visible_to(actor, group_id)
        head = part_of_queue_for_system(pool.pk, ROWS_MAX, reason=reason, group_id=group_id)
    keys = {*head.workloads, *(UUID(item["workload"]) for item in reserved)}
    rows = _load_workloads(keys)
    statuses = queue_statuses_for_system(rows.values())
    return {
        "waiting_total": head.total,
        "waiting": [
            {
                "position": statuses[pk].position,
                "work": viewer.view(rows[pk]),
                "priority": rows[pk].priority,
                "submitted_at": rows[pk].submitted_at,
                "expected_start": statuses[pk].expected_start,
                "reasons": statuses[pk].reasons,
            }
            for pk in head.workloads
            if pk in statuses
        ],
        "reservations": _present_reservations(viewer, reserved, rows),
        "running": _present_running(viewer, pool),
    }


def _load_workloads(keys: Collection[UUID]) -> Mapping[UUID, Workload]:
    return Workload.objects.select_related("owner", "group").defer("spec").in_bulk(list(keys))


def _load_reservations(pool: Pool) -> list[dict[str, Any]]:
    """Return the reservations that the last pass made in this pool."""
    last = SchedulerPass.objects.values_list("reservations", flat=True).first() or []
    return [item for item in last if item["pool"] == str(pool.pk)]


def _present_reservations(
    viewer: Viewer, reserved: Collection[Mapping[str, Any]], rows: Mapping[UUID, Workload]
) -> list[dict[str, Any]]:
    names = dict(Node.objects.values_list("pk", "name")) if reserved else {}
    return [
        {
            "work": viewer.view(rows[UUID(item["workload"])]),
            "starts_at": from_millis(item["starts_at"]),
            "nodes": [
                {"node": {"id": UUID(node), "name": names[UUID(node)]}, "replicas": replicas}
                for node, replicas in item["nodes"]
                if UUID(node) in names
            ],
        }
        for item in reserved
        if UUID(item["workload"]) in rows
    ]


def _present_running(viewer: Viewer, pool: Pool) -> list[dict[str, Any]]:
    """Return work on nodes of this pool, and work of this pool on nodes of other pools."""
    held = Allocation.objects.filter(
        Q(node__pool=pool) | Q(workload__pool=pool),
        state__in=LIVE_ALLOCATION,
    )
    # A large pool runs tens of thousands of workloads: limit them in the database.
    in_order = held.order_by("workload__started_at", "workload").distinct()
    first = list(in_order.values_list("workload_id", "workload__started_at")[:ROWS_MAX])
    live = (
        held.filter(workload__in=[key for key, _ in first])
        .select_related("workload__owner", "workload__group", "workload__pool", "node__pool")
        .order_by("workload__started_at", "workload", "rank")
    )
    found: dict[UUID, dict[str, Any]] = {}
    for allocation in live:
        row, node = allocation.workload, allocation.node
        shown = found.setdefault(
            row.pk,
            {
                "work": viewer.view(row),
                "state": row.state,
                "pool": row.pool,
                "lender": node.pool if node.pool_id != row.pool_id else None,
                "started_at": row.started_at,
                "ends_at": _ends_at(row),
                "nodes": [],
            },
        )
        shown["nodes"].append(node.name)
    return list(found.values())


def _ends_at(row: Workload) -> datetime | None:
    return row.started_at + timedelta(seconds=row.time_limit_s) if row.started_at else None
