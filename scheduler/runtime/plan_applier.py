"""Commits a plan: each decision in its own short transaction, re-checked against the present.

A decision that no longer holds is dropped alone; the next pass decides anew. So no row is locked
for longer than one placement, and a plan made from an old snapshot can do no harm.
"""

from dataclasses import dataclass

import structlog
from django.db import DatabaseError

from portal.workloads import lifecycle
from portal.workloads.errors import PlacementRefusedError
from scheduler.core.entities import WorkloadId
from scheduler.core.plan import Place, Plan
from scheduler.core.snapshot import Snapshot
from scheduler.runtime import board

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of the placements of one plan."""

    placed: int
    refused: frozenset[WorkloadId]


def apply(plan: Plan, snapshot: Snapshot) -> Applied:
    """Commit the placements in plan order, then publish positions, reasons and free capacity."""
    refused = frozenset(place.workload for place in plan.places if not _commit(place))
    board.publish(plan, snapshot, undecided=refused)
    return Applied(placed=len(plan.places) - len(refused), refused=refused)


def _commit(place: Place) -> bool:
    """Tell whether the placement was written; a database that is in the way is no more than that."""
    try:
        lifecycle.place(
            workload_id=place.workload, version=place.version, placements=place.placements
        )
    except PlacementRefusedError as error:
        logger.info(
            "placement.refused", workload=place.workload, code=error.code, params=error.params
        )
        return False
    except DatabaseError:
        logger.exception("placement.failed", workload=place.workload)
        return False
    return True
