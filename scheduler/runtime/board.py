"""Publishes what a pass found: why each workload waits, and what capacity is free."""

import json
from collections.abc import Collection, Iterable
from dataclasses import asdict
from itertools import chain, islice
from typing import Final
from uuid import UUID

from django.db import transaction

from portal.common.clock import from_millis
from portal.common.poke import poke
from portal.workloads.models import Hold, SchedulerPass
from scheduler.core import plan as core
from scheduler.core.entities import WorkloadId
from scheduler.core.snapshot import Snapshot

TOPICS_MAX: Final = 500
"""Bells of one pass. Whoever stands behind that many changes hears the bell of the pool."""
_NO_EVENT: Final = 0
"""Sequence number of a bell that no event stands behind: look again, whatever you know."""


@transaction.atomic
def publish(plan: core.Plan, snapshot: Snapshot, *, undecided: Collection[WorkloadId]) -> None:
    """Write the rows that changed and ring for them; placements that were refused stay as shown."""
    rows = Hold.objects.values_list("workload_id", "position", "reasons")
    known = {workload_id: answer for workload_id, *answer in rows}
    found = {hold.workload_id: hold for hold in _rows(plan)}
    changed = [
        hold for key, hold in found.items() if known.get(key) != [hold.position, hold.reasons]
    ]
    stale = known.keys() - found.keys() - {UUID(workload) for workload in undecided}
    Hold.objects.filter(workload__in=stale).delete()
    Hold.objects.bulk_create(
        changed,
        batch_size=1000,
        update_conflicts=True,
        unique_fields=["workload"],
        update_fields=["position", "reasons", "decided_at"],
    )
    SchedulerPass.objects.update_or_create(
        id=1,
        defaults={
            "at": from_millis(plan.made_at),
            "boards": [asdict(board) for board in plan.boards],
        },
    )
    _ring({hold.workload_id for hold in changed}, snapshot)


def _rows(plan: core.Plan) -> Iterable[Hold]:
    moment = from_millis(plan.made_at)
    return (
        Hold(
            workload_id=UUID(hold.workload),
            position=hold.position,
            reasons=[reason.as_json() for reason in hold.reasons],
            decided_at=moment,
        )
        for hold in plan.holds
    )


def _ring(changed: Collection[UUID], snapshot: Snapshot) -> None:
    """Wake the pages that show one of the changed answers."""
    if not changed:
        return
    waiting = [item for item in snapshot.pending if UUID(item.id) in changed]
    topics = chain(
        (f"pool:{item.pool}" for item in waiting),
        (f"user:{item.user}" for item in waiting),
        (f"workload:{item.id}" for item in waiting),
    )
    bells = list(islice(dict.fromkeys(topics), TOPICS_MAX))
    poke("bell", json.dumps({"topics": bells, "seq": _NO_EVENT}))
