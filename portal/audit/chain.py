"""The hash chain over the audit log: runs of events are sealed, and checked against their seals.

Sealing in runs keeps writers apart: a chain from event to event would make every transaction wait
for the one before it.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import structlog
from django.db import OperationalError, connection, transaction

from portal.audit.models import AuditEvent, AuditSeal

EVENTS_PER_SEAL_MAX: Final = 5000
"""Events under one seal, and in memory at once."""
SEALS_PER_RUN_MAX: Final = 20
"""Seals that one run of the task adds."""
_COLUMNS: Final = (
    *("id", "at", "actor_kind", "actor_id", "actor_name", "action", "object_type", "object_id"),
    *("group_id", "outcome", "params", "request_id", "address"),
)

logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ChainBreak:
    """A seal that does not fit what it covers."""

    seal_id: int
    detail: str


def seal_events() -> int:
    """Seal what has been written since the last seal; return how many events that were.

    Each seal is also logged, so that a log kept elsewhere can prove that the chain was not replaced.
    """
    settled = _settled_id()
    sealed = 0
    for _ in range(SEALS_PER_RUN_MAX):
        seal = _add_seal(settled)
        if seal is None:
            break
        sealed += seal.count
        logger.info("audit.sealed", seal=seal.pk, last_event=seal.last_id, digest=seal.digest)
    return sealed


def find_breaks_for_system() -> Iterator[ChainBreak]:
    """Compare every seal with its events and with the seal before it, one run at a time."""
    previous, following = "", 1
    for seal in AuditSeal.objects.order_by("id").iterator():
        if seal.first_id != following or seal.previous != previous:
            yield ChainBreak(seal.pk, "does not follow the seal before it")
        rows = _rows(seal.first_id, seal.last_id, seal.count + 1)
        if len(rows) != seal.count:
            yield ChainBreak(seal.pk, f"covers {seal.count} events, found {len(rows)}")
        elif _digest(seal.previous, rows) != seal.digest:
            yield ChainBreak(seal.pk, "an event was changed")
        previous, following = seal.digest, seal.last_id + 1


def _settled_id() -> int:
    """Return the highest event id below which no transaction can add one any more.

    0 while writers are too busy to be kept out for a moment: the next run seals more.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT audit_settled_id()")
            return int(cursor.fetchone()[0])
    except OperationalError as error:
        logger.warning("audit.seal_delayed", error=str(error))
        return 0


@transaction.atomic
def _add_seal(settled: int) -> AuditSeal | None:
    """Seal the next run of events up to an id; None when there is nothing to seal."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('audit_seal'))")
    before = AuditSeal.objects.order_by("-id").first()
    first, previous = (before.last_id + 1, before.digest) if before else (1, "")
    rows = _rows(first, settled, EVENTS_PER_SEAL_MAX)
    if not rows:
        return None
    return AuditSeal.objects.create(
        first_id=first,
        last_id=rows[-1][0],
        count=len(rows),
        previous=previous,
        digest=_digest(previous, rows),
    )


def _rows(first: int, last: int, most: int) -> list[tuple[Any, ...]]:
    covered = AuditEvent.objects.filter(id__gte=first, id__lte=last).order_by("id")
    return list(covered.values_list(*_COLUMNS)[:most])


def _digest(previous: str, rows: Iterable[tuple[Any, ...]]) -> str:
    """Return the SHA-256 of a digest and of events as JSON, one a line."""
    total = hashlib.sha256(previous.encode())
    for row in rows:
        total.update(b"\n")
        total.update(json.dumps(row, sort_keys=True, default=_as_text).encode())
    return total.hexdigest()


def _as_text(value: object) -> str:
    """Return moments in UTC, and ids, as text."""
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else str(value)
