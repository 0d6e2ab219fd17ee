"""Nodes and cards on which a workload has just failed, and that its next attempt avoids.

A failure caused by a card counts against that card, and against its node as soon as two cards of it
have failed the same work; a failure caused by a node counts against the node. For nodes only the
last attempt counts, for cards every attempt of the last hour. It is a preference: where there is no
other place, the work is placed there again.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.common.clock import now
from portal.workloads.retry import INFRASTRUCTURE_CAUSES
from scheduler.core.model.entities import AcceleratorId, NodeId, WorkloadId

AVOIDED_FOR: Final = timedelta(hours=1)
"""How long work avoids a card or node on which it has failed."""
CARD_FAULTS: Final = frozenset({"device_lost", "isolation_unavailable"})
"""Causes of an end after which the next attempt prefers another card."""
NODE_FAULTS: Final = (
    frozenset({"start_failed", "image_unavailable"})
    | INFRASTRUCTURE_CAUSES - {"not_started"} - CARD_FAULTS
)
"""Causes of an end after which the next attempt prefers another node."""
CARDS_TO_AVOID_NODE: Final = 2
"""So many cards of one node that failed the same work make the node avoided."""

_FAILURES: Final = """
SELECT work.id::text, past.node_id::text, node.name, past.exit_cause, past.epoch = work.epoch,
    past.released_at, card.id::text, card.uuid
FROM workloads_workload work
JOIN workloads_allocation past ON past.workload_id = work.id
JOIN inventory_node node ON node.id = past.node_id
LEFT JOIN LATERAL (
    SELECT DISTINCT device.accelerator_id FROM workloads_allocationdevice device
    WHERE device.allocation_id = past.id
) held ON past.exit_cause = ANY(%(of_cards)s)
LEFT JOIN inventory_accelerator card ON card.id = held.accelerator_id
WHERE work.state = 'queued' AND work.epoch > 0 AND past.released_at > %(since)s
    AND past.exit_cause = ANY(%(causes)s) AND (%(work)s::uuid IS NULL OR work.id = %(work)s)
ORDER BY work.id, past.released_at, card.uuid
"""


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """One end of an earlier attempt that a node or a card caused."""

    workload: WorkloadId
    node: NodeId
    node_name: str
    cause: str
    is_last: bool
    """Of the latest attempt."""
    at: datetime
    card: AcceleratorId | None = None
    uuid: str = ""


@dataclass(frozen=True, slots=True)
class AvoidedPlace:
    """A node, or one card of it, that work avoids, and until when."""

    node: NodeId
    node_name: str
    card: AcceleratorId | None
    uuid: str
    cause: str
    """Of the latest failure there."""
    failures: int
    until: datetime

    @property
    def node_ref(self) -> dict[str, str]:
        """The node, as answers name it."""
        return {"id": self.node, "name": self.node_name}

    @property
    def card_uuid(self) -> str | None:
        """The UUID of the card; None is the node with all its cards."""
        return self.uuid or None

    @property
    def place(self) -> NodeId | AcceleratorId:
        """What is avoided: the card, or the node with all its cards."""
        return self.node if self.card is None else self.card


def find_avoided_places(failures: Iterable[FailedAttempt]) -> tuple[AvoidedPlace, ...]:
    """Return what one workload avoids after these failures, given oldest first; pure."""
    of_cards: dict[AcceleratorId, list[FailedAttempt]] = defaultdict(list)
    of_nodes: dict[NodeId, list[FailedAttempt]] = defaultdict(list)
    for failure in failures:
        if failure.card is not None:
            of_cards[failure.card].append(failure)
        elif failure.is_last:
            of_nodes[failure.node].append(failure)
    cards_of: dict[NodeId, list[FailedAttempt]] = defaultdict(list)
    for found in of_cards.values():
        cards_of[found[-1].node].append(found[-1])
    for node, last in cards_of.items():
        if len(last) >= CARDS_TO_AVOID_NODE:
            of_nodes[node] += last
    return (
        *(_avoided_place(found, is_card=False) for found in of_nodes.values()),
        *(_avoided_place(found, is_card=True) for found in of_cards.values()),
    )


def _avoided_place(found: list[FailedAttempt], *, is_card: bool) -> AvoidedPlace:
    last = max(found, key=lambda failure: failure.at)
    return AvoidedPlace(
        node=last.node,
        node_name=last.node_name,
        card=last.card if is_card else None,
        uuid=last.uuid if is_card else "",
        cause=last.cause,
        failures=len(found),
        until=last.at + AVOIDED_FOR,
    )


def load_avoided(moment: datetime) -> Mapping[WorkloadId, frozenset[NodeId | AcceleratorId]]:
    """Return the nodes and cards that each queued workload avoids."""
    found: dict[WorkloadId, list[FailedAttempt]] = defaultdict(list)
    for failure in _load_failures(moment):
        found[failure.workload].append(failure)
    return {
        workload: frozenset(item.place for item in find_avoided_places(failures))
        for workload, failures in found.items()
    }


def load_avoided_by(workload_id: UUID) -> tuple[AvoidedPlace, ...]:
    """Return what a queued workload avoids now; nothing when it does not wait."""
    return find_avoided_places(_load_failures(now(), workload_id))


def _load_failures(moment: datetime, workload_id: UUID | None = None) -> list[FailedAttempt]:
    params: dict[str, Any] = {
        "of_cards": sorted(CARD_FAULTS),
        "causes": sorted(CARD_FAULTS | NODE_FAULTS),
        "since": moment - AVOIDED_FOR,
        "work": workload_id,
    }
    with connection.cursor() as cursor:
        cursor.execute(_FAILURES, params)
        return [FailedAttempt(*row) for row in cursor.fetchall()]
