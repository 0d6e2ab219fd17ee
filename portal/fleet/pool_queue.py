"""The queue of one pool: waiting work in order, running work with its end, and reservations.

All readers see order and times; names and owners only of work that they may see.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection

from portal.common.actor import Actor
from portal.common.clock import from_millis
from portal.common.postgresql.arrays import format_array
from portal.common.postgresql.column_lists import fill_columns
from portal.inventory.models import Node, Pool
from portal.tenancy.selectors import group_visible_to
from portal.workloads.models import SchedulerPass
from portal.workloads.responses.queue_status import (
    part_of_queue_for_system,
    queue_head_for_system,
    queue_statuses_for_system,
)
from portal.workloads.responses.redaction import (
    WORK_COLUMNS,
    WORK_TABLES,
    Viewer,
    WorkColumns,
    work_from,
)

ROWS_MAX: Final = 200
"""Waiting, and running, workloads in one answer."""

# OFFSET 0: without it, PostgreSQL reads all work of the past to join the little that runs.
_RUNNING: Final = """
SELECT held.workload_id, node.name, node.pool_id FROM (
    SELECT work.id, work.pool_id, work.started_at
    FROM workloads_allocation live
    JOIN inventory_node at ON at.id = live.node_id
    CROSS JOIN LATERAL (
        SELECT found.id, found.pool_id, found.started_at
        FROM workloads_workload found WHERE found.id = live.workload_id OFFSET 0
    ) work
    WHERE live.state IN ('reserved', 'bound', 'lost')
        AND %(pool)s IN (at.pool_id, work.pool_id)
    GROUP BY work.id, work.pool_id, work.started_at ORDER BY work.started_at, work.id LIMIT %(most)s
) first
JOIN workloads_allocation held
    ON held.workload_id = first.id AND held.state IN ('reserved', 'bound', 'lost')
JOIN inventory_node node ON node.id = held.node_id
WHERE %(pool)s IN (node.pool_id, first.pool_id)
ORDER BY first.started_at, first.id, held.rank
"""


class _Row(NamedTuple):
    """The columns of a workload that the answer has."""

    work: WorkColumns
    state: str
    pool_id: UUID
    priority: int
    submitted_at: datetime
    queued_at: datetime
    started_at: datetime | None
    time_limit_s: int | None

    @property
    def pk(self) -> UUID:
        return self.work.pk

    @property
    def ends_at(self) -> datetime | None:
        if self.started_at is None or self.time_limit_s is None:
            return None
        return self.started_at + timedelta(seconds=self.time_limit_s)


# Keys come as one array: a statement with a parameter for each takes longer to write than to answer.
_ROWS: Final = fill_columns(
    "SELECT {columns} FROM {tables} WHERE work.id = ANY(%s::uuid[])",
    columns=", ".join((*WORK_COLUMNS, *(f"work.{name}" for name in _Row._fields[1:]))),
    tables=WORK_TABLES,
)


class _ReplicaPlace(NamedTuple):
    """Where a replica runs."""

    node: str
    pool: UUID


def present_queue(
    actor: Actor, pool: Pool, *, reason: str | None = None, group_id: UUID | None = None
) -> dict[str, Any]:
    """Return the queue of a pool, read in a fixed number of queries.

    With a reason or a group only such work is among the waiting.

    Raises:
        NotFoundError: the actor may not see the group.
    """
    viewer = Viewer.for_actor(actor)
    reserved, running = _load_reservations(pool), _load_running(pool)
    if reason is None and group_id is None:
        head = queue_head_for_system(pool.pk, ROWS_MAX)
    else:
        if group_id is not None:
            group_visible_to(actor, group_id)
        head = part_of_queue_for_system(pool.pk, ROWS_MAX, reason=reason, group_id=group_id)
    promised = {UUID(item["workload"]) for item in reserved}
    rows = _load_rows({*head.workloads, *promised, *running})
    waiting = {*head.workloads, *promised} & rows.keys()
    statuses = queue_statuses_for_system(rows[pk] for pk in sorted(waiting))
    reserved = [item for item in reserved if UUID(item["workload"]) in statuses]
    return {
        "waiting_total": head.total,
        "waiting": [
            {
                "position": statuses[pk].position,
                "work": viewer.view(rows[pk].work),
                "priority": rows[pk].priority,
                "submitted_at": rows[pk].submitted_at,
                "expected_start": statuses[pk].expected_start,
                "reasons": statuses[pk].reasons,
            }
            for pk in head.workloads
            if pk in statuses
        ],
        "reservations": _present_reservations(viewer, reserved, rows),
        "running": _present_running(viewer, running, rows),
    }


def _load_rows(keys: Collection[UUID]) -> Mapping[UUID, _Row]:
    width = len(WORK_COLUMNS)
    with connection.cursor() as cursor:
        cursor.execute(_ROWS, [format_array(keys)])
        return {row[0]: _Row(work_from(row[:width]), *row[width:]) for row in cursor.fetchall()}


def _load_reservations(pool: Pool) -> list[dict[str, Any]]:
    """Return the reservations that the last pass made in this pool."""
    last = SchedulerPass.objects.values_list("reservations", flat=True).first() or []
    return [item for item in last if item["pool"] == str(pool.pk) and item.get("is_promised")]


def _load_running(pool: Pool) -> Mapping[UUID, Sequence[_ReplicaPlace]]:
    """Return where work runs on nodes of this pool, or of this pool on others; the oldest first."""
    found: dict[UUID, list[_ReplicaPlace]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(_RUNNING, {"pool": pool.pk, "most": ROWS_MAX})
        for key, *place in cursor.fetchall():
            found[key].append(_ReplicaPlace(*place))
    return found


def _present_reservations(
    viewer: Viewer, reserved: Collection[Mapping[str, Any]], rows: Mapping[UUID, _Row]
) -> list[dict[str, Any]]:
    names = dict(Node.objects.values_list("pk", "name")) if reserved else {}
    return [
        {
            "work": viewer.view(rows[UUID(item["workload"])].work),
            "starts_at": from_millis(item["starts_at"]),
            "nodes": [
                {"node": {"id": UUID(node), "name": names[UUID(node)]}, "replicas": replicas}
                for node, replicas in item["nodes"]
                if UUID(node) in names
            ],
        }
        for item in reserved
    ]


def _present_running(
    viewer: Viewer, running: Mapping[UUID, Sequence[_ReplicaPlace]], rows: Mapping[UUID, _Row]
) -> list[dict[str, Any]]:
    shown = [(rows[key], places) for key, places in running.items() if key in rows]
    pools = Pool.objects.in_bulk(
        {key for row, (first, *_) in shown for key in (row.pool_id, first.pool)}
    )
    return [
        {
            "work": viewer.view(row.work),
            "state": row.state,
            "pool": pools[row.pool_id],
            "lender": pools[places[0].pool] if places[0].pool != row.pool_id else None,
            "started_at": row.started_at,
            "ends_at": row.ends_at,
            "nodes": [place.node for place in places],
        }
        for row, places in shown
    ]
