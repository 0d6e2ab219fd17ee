"""One pool as its queue sees it: who waits in which order, who runs until when, what is promised.

Everybody sees the order and the times; of other tenants' work the reader learns only that.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from portal.common.actor import Actor
from portal.common.clock import from_millis
from portal.inventory.models import Node, Pool
from portal.workloads.models import Allocation, SchedulerPass, Workload
from portal.workloads.responses.queue_status import queue_head_for_system, queue_statuses_for_system
from portal.workloads.responses.redaction import Viewer
from scheduler.core.model.states import LIVE_ALLOCATION

ROWS_MAX: Final = 200
"""Waiting, and running, workloads in one answer."""


def present_queue(actor: Actor, pool: Pool) -> dict[str, Any]:
    """Return the queue of a pool in a fixed number of queries."""
    reader = Viewer.for_actor(actor)
    promised = _promised(pool)
    line = queue_head_for_system(pool.pk, ROWS_MAX)
    wanted = {*line.workloads, *(UUID(item["workload"]) for item in promised)}
    rows = _rows(wanted)
    answers = queue_statuses_for_system(rows.values())
    return {
        "waiting_total": line.total,
        "waiting": [
            {
                "position": answers[pk].position,
                "work": reader.view(rows[pk]),
                "priority": rows[pk].priority,
                "submitted_at": rows[pk].submitted_at,
                "expected_start": answers[pk].expected_start,
                "reasons": answers[pk].reasons,
            }
            for pk in line.workloads
            if pk in answers
        ],
        "reservations": _reservations(reader, promised, rows),
        "running": _running(reader, pool),
    }


def _rows(wanted: Collection[UUID]) -> Mapping[UUID, Workload]:
    return Workload.objects.select_related("owner", "group").defer("spec").in_bulk(list(wanted))


def _promised(pool: Pool) -> list[dict[str, Any]]:
    """Return the starts that the last pass has promised in this pool."""
    last = SchedulerPass.objects.values_list("reservations", flat=True).first() or []
    return [item for item in last if item["pool"] == str(pool.pk)]


def _reservations(
    reader: Viewer, promised: Collection[Mapping[str, Any]], rows: Mapping[UUID, Workload]
) -> list[dict[str, Any]]:
    names = dict(Node.objects.values_list("pk", "name")) if promised else {}
    return [
        {
            "work": reader.view(rows[UUID(item["workload"])]),
            "starts_at": from_millis(item["starts_at"]),
            "nodes": [
                {"node": {"id": UUID(node), "name": names[UUID(node)]}, "replicas": replicas}
                for node, replicas in item["nodes"]
                if UUID(node) in names
            ],
        }
        for item in promised
        if UUID(item["workload"]) in rows
    ]


def _running(reader: Viewer, pool: Pool) -> list[dict[str, Any]]:
    """Return what holds nodes of this pool, and what of this pool is a guest elsewhere."""
    held = Allocation.objects.filter(
        Q(node__pool=pool) | Q(workload__pool=pool),
        state__in=LIVE_ALLOCATION,
    )
    # A large pool holds tens of thousands: only those that are shown leave the database.
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
                "work": reader.view(row),
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
