"""Denied acts in the audit log: the first at once, repeats summed up.

Denials of the same actor and action within ten minutes are one event for the first and one, with
their number, for the others. So a storm of refused requests cannot fill the log, and none of them is
forgotten.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import DatabaseError, connection, transaction

from portal.audit import services as audit
from portal.audit.models import DenialCount
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import DeniedError

SUMMED_UP_AFTER: Final = timedelta(minutes=10)
"""Repeats of one denial become one event after so long."""
STRANGERS_MAX: Final = 1000
"""Addresses of callers without a session that are counted apart; the others count as one."""
_ROWS_MAX: Final = 1000
_LENGTH_MAX: Final = 64

_COUNT: Final = """
INSERT INTO audit_denialcount (
    key, since, last_at, repeats, actor_kind, actor_id, actor_name, action, object_type, group_id,
    code, address
) VALUES (
    %(key)s, %(now)s, %(now)s, 0, %(actor_kind)s, %(actor_id)s, %(actor_name)s, %(action)s,
    %(object_type)s, %(group_id)s, %(code)s, %(address)s
)
ON CONFLICT (key) DO UPDATE SET repeats = audit_denialcount.repeats + 1, last_at = EXCLUDED.last_at
RETURNING repeats
"""

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Denial:
    """An act that was refused to an actor who may see its object."""

    actor: Actor
    action: str
    object_type: str
    object_id: str = ""
    group_id: UUID | None = None
    """The group of the object, if it is known; its heads see the event."""
    code: str = "denied"


def record_denial(denial: Denial) -> None:
    """Write the first of its kind to the log and count its repeats; never raises.

    The refusal stands whatever happens here, so a database that is away costs the record only.
    """
    try:
        with transaction.atomic():
            if _count(denial) == 0:
                audit.record_denied(
                    actor=denial.actor,
                    action=denial.action,
                    object_type=denial.object_type,
                    object_id=denial.object_id[:_LENGTH_MAX],
                    group_id=denial.group_id,
                    params={"code": denial.code},
                )
    except DatabaseError:
        logger.exception("audit.denial_lost", action=denial.action)


@contextmanager
def recorded(denial: Denial) -> Iterator[None]:
    """Record a `DeniedError` that leaves the block, with its own code and group, and pass it on."""
    try:
        yield
    except DeniedError as error:
        group_id = error.group_id or denial.group_id
        record_denial(replace(denial, code=error.code, group_id=group_id))
        raise


@transaction.atomic
def sum_up_repeats() -> int:
    """Write what has been repeated, and forget denials that are ten minutes old; return how many."""
    due = DenialCount.objects.filter(since__lt=now() - SUMMED_UP_AFTER)
    rows = list(due.select_for_update(skip_locked=True).order_by("key")[:_ROWS_MAX])
    for row in rows:
        if row.repeats:
            audit.record_denied(
                actor=_actor_of(row),
                action=row.action,
                object_type=row.object_type,
                group_id=row.group_id,
                params={
                    "code": row.code,
                    "repeats": row.repeats,
                    "since": row.since.isoformat(timespec="seconds"),
                    "until": row.last_at.isoformat(timespec="seconds"),
                },
            )
    DenialCount.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return len(rows)


def _count(denial: Denial) -> int:
    """Return how many denials of this actor and action are counted already."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, {"key": _key(denial), "now": now(), **_columns(denial)})
        return int(cursor.fetchone()[0])


def _columns(denial: Denial) -> dict[str, Any]:
    return {
        "actor_kind": denial.actor.kind,
        "actor_id": str(denial.actor.user_id or ""),
        "actor_name": denial.actor.name,
        "action": denial.action[:_LENGTH_MAX],
        "object_type": denial.object_type,
        "group_id": denial.group_id,
        "code": denial.code[:_LENGTH_MAX],
        "address": denial.actor.address,
    }


def _key(denial: Denial) -> str:
    """Return what counts as the same denial; the object is left out, or it could be varied."""
    actor = denial.actor
    who = str(actor.user_id or "") or actor.address
    if actor.user_id is None:
        strangers = DenialCount.objects.filter(actor_id="")
        if strangers.count() >= STRANGERS_MAX:
            who = "strangers"
    return f"{who} {denial.action} {denial.object_type} {denial.code}"[:200]


def _actor_of(row: DenialCount) -> Actor:
    return Actor(
        user_id=UUID(row.actor_id) if row.actor_id else None,
        kind="robot" if row.actor_kind == "robot" else "person",
        name=row.actor_name,
        address=row.address,
    )
