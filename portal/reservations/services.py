"""Writes of advance reservations: their rows, and the end of windows."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError
from portal.common.notifications import NODES_TOPIC, invalidate_topics, wake_scheduler
from portal.inventory.models import Pool
from portal.reservations.models import AdvanceReservation, ReservationWindow, ReservedDevice
from portal.tenancy.models import Group


@dataclass(frozen=True, slots=True)
class ReservationTerms:
    """What is reserved, for whom and when."""

    name: str
    pool: Pool
    group: Group
    user_ids: tuple[UUID, ...]
    gpus: int
    slices: int
    windows: tuple[tuple[datetime, datetime], ...]
    release_unused_after_s: int | None = None


@transaction.atomic
def write_reservation(
    *, actor: Actor, terms: ReservationTerms, devices: Sequence[tuple[UUID, int]]
) -> AdvanceReservation:
    """Write a reservation of these cards and slots; the caller has locked and checked them.

    Raises:
        ConflictError: another reservation has one of them at that time.
    """
    row = AdvanceReservation.objects.create(
        name=terms.name,
        pool=terms.pool,
        group=terms.group,
        user_ids=list(terms.user_ids),
        gpus=terms.gpus,
        slices=terms.slices,
        release_unused_after_s=terms.release_unused_after_s,
        created_by_id=actor.user_id,
    )
    windows = ReservationWindow.objects.bulk_create(
        ReservationWindow(reservation=row, starts_at=start, ends_at=end)
        for start, end in terms.windows
    )
    try:
        with transaction.atomic():
            ReservedDevice.objects.bulk_create(
                ReservedDevice(
                    window=window,
                    accelerator_id=card,
                    slot=slot,
                    during=(window.starts_at, window.ends_at),
                )
                for window in windows
                for card, slot in devices
            )
    except IntegrityError as error:
        raise ConflictError("changed_meanwhile", state="") from error
    _announce(actor, "reservation.create", row)
    return row


@transaction.atomic
def cancel_reservation(*, actor: Actor, reservation: AdvanceReservation) -> None:
    """End a reservation now: an open window closes, those to come are removed."""
    row = AdvanceReservation.objects.select_for_update(no_key=True, of=("self",)).get(
        pk=reservation.pk
    )
    if row.cancelled_at is not None:
        return
    moment = now()
    ReservationWindow.objects.filter(reservation=row, starts_at__gte=moment).delete()
    _end_windows(row, moment, is_released=False)
    row.cancelled_at = moment
    row.save(update_fields=["cancelled_at"])
    _announce(actor, "reservation.cancel", row)


@transaction.atomic
def release_windows(*, actor: Actor, reservations: Collection[UUID]) -> int:
    """Give back the open windows of these reservations; return how many."""
    rows = AdvanceReservation.objects.filter(pk__in=reservations).order_by("id")
    found = list(rows.select_for_update(no_key=True))
    for row in found:
        _end_windows(row, now(), is_released=True)
        _announce(actor, "reservation.release", row)
    return len(found)


def _end_windows(row: AdvanceReservation, moment: datetime, *, is_released: bool) -> None:
    """End the open windows of a locked reservation at this moment, and free their devices."""
    opened = ReservationWindow.objects.filter(
        reservation=row, starts_at__lt=moment, ends_at__gt=moment
    )
    for window in opened.order_by("id"):
        ReservedDevice.objects.filter(window=window).update(during=(window.starts_at, moment))
        window.ends_at = moment
        window.released_at = moment if is_released else None
        window.save(update_fields=["ends_at", "released_at"])


def _announce(actor: Actor, action: str, row: AdvanceReservation) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="reservation",
        object_id=row.pk,
        group_id=row.group_id,
        params={
            "name": row.name,
            "pool": str(row.pool_id),
            "gpus": row.gpus,
            "slices": row.slices,
        },
    )
    invalidate_topics([NODES_TOPIC])
    wake_scheduler()
