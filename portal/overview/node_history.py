"""What has happened to a node, for the platform's staff: what people and its agent did, and its alarms.

Operators read here of the audit log only what concerns the node and its cards.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from portal.alarms.models import Alarm
from portal.alarms.selectors import alarms_visible_to
from portal.audit.models import AuditEvent
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import DeniedError
from portal.inventory.models import Accelerator
from portal.inventory.selectors import node_visible_to
from portal.tenancy import policies

EVENTS_MAX: Final = 100
"""Events of one answer, the newest of all."""
_ROUTINE: Final = ("node.rotate_key",)
_RESULTS: Final = ("after", "to")
"""Where acts write what the node has since: a version, a pool."""


@dataclass(frozen=True, slots=True)
class NodeEvent:
    """An act upon a node or one of its cards, or something that an alarm rule has found there."""

    at: datetime
    code: str
    """Of the act, as the audit log has it; or the kind of the alarm's rule."""
    card: int | None = None
    """Index of the card that it concerns."""
    detail: str = ""
    value: int | None = None
    """Of an alarm."""
    ended_at: datetime | None = None
    """When what an alarm found was over."""
    is_act: bool = True
    actor_kind: str = ""
    actor_name: str = ""


def history_visible_to(actor: Actor, node_id: UUID) -> list[NodeEvent]:
    """Return what happened to a node, the newest first (five queries).

    Raises:
        NotFoundError: there is no such node in service.
        DeniedError: the actor is none of the platform's staff.
    """
    node = node_visible_to(actor, node_id)
    if not policies.can_see_everything(actor):
        raise DeniedError("denied", action=Action.NODE_MANAGE.value)
    cards = dict(Accelerator.objects.filter(node=node).values_list("pk", "index"))
    found = [*_acts(node.pk, cards), *_alarms(actor, node.pk, cards)]
    return sorted(found, key=lambda event: event.at, reverse=True)[:EVENTS_MAX]


def _acts(node_id: UUID, cards: Mapping[UUID, int]) -> Iterator[NodeEvent]:
    # One query for each: both are read in the order of their index.
    done = AuditEvent.objects.filter(outcome=AuditEvent.Outcome.OK).exclude(action__in=_ROUTINE)
    of_node = done.filter(object_type="node", object_id=str(node_id))
    of_cards = done.filter(object_type="accelerator", object_id__in=[str(key) for key in cards])
    indexes = {str(key): index for key, index in cards.items()}
    for row in (*of_node.order_by("-id")[:EVENTS_MAX], *of_cards.order_by("-id")[:EVENTS_MAX]):
        yield NodeEvent(
            at=row.at,
            code=row.action,
            card=indexes.get(row.object_id),
            detail=next((str(row.params[name]) for name in _RESULTS if name in row.params), ""),
            actor_kind=row.actor_kind,
            actor_name=row.actor_name,
        )


def _alarms(actor: Actor, node_id: UUID, cards: Mapping[UUID, int]) -> Iterator[NodeEvent]:
    rows = alarms_visible_to(actor, {}).filter(node_id=node_id).order_by("-since")
    for row in rows[:EVENTS_MAX]:
        yield _alarm(row, cards.get(row.subject_id))


def _alarm(row: Alarm, card: int | None) -> NodeEvent:
    return NodeEvent(
        at=row.since,
        code=row.rule.kind,
        card=card,
        detail=row.detail,
        value=row.value,
        ended_at=row.resolved_at,
        is_act=False,
    )
