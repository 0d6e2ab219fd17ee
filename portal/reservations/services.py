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
from portal.notices.inbox import notify_people
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
def end_reservation(*, actor: Actor, reservation: AdvanceReservation) -> None:
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
def move_devices(
    *,
    actor: Actor,
    reservation_id: UUID,
    failed: Collection[tuple[UUID, int]],
    chosen: Collection[tuple[UUID, int]],
) -> None:
    """Give a reservation other devices for those that failed; the caller has locked and checked them.

    Raises:
        ConflictError: it was cancelled meanwhile, or another has one of the devices at that time.
    """
    row = AdvanceReservation.objects.select_for_update(no_key=True).get(pk=reservation_id)
    moment = now()
    windows = list(ReservationWindow.objects.filter(reservation=row, ends_at__gt=moment))
    if row.cancelled_at is not None or not windows:
        raise ConflictError("changed_meanwhile", state="")
    for window in windows:
        rows = ReservedDevice.objects.filter(window=window, accelerator__in={c for c, _ in failed})
        rows.filter(pk__in=[each.pk for each in rows if _key(each) in failed]).delete()
    try:
        with transaction.atomic():
            ReservedDevice.objects.bulk_create(
                ReservedDevice(
                    window=window,
                    accelerator_id=card,
                    slot=slot,
                    during=(max(window.starts_at, moment), window.ends_at),
                )
                for window in windows
                for card, slot in chosen
            )
    except IntegrityError as error:
        raise ConflictError("changed_meanwhile", state="") from error
    row.missing, row.missing_since = 0, None
    row.save(update_fields=["missing", "missing_since"])
    _announce(actor, "reservation.move", row, devices=len(chosen))


@transaction.atomic
def note_missing(*, actor: Actor, reservation_id: UUID, missing: int) -> None:
    """Write down how much of a reservation is missing; its maker is notified by mail when it is more."""
    row = AdvanceReservation.objects.select_for_update(no_key=True).get(pk=reservation_id)
    before = row.missing
    if before == missing:
        return
    row.missing = missing
    row.missing_since = (row.missing_since or now()) if missing else None
    row.save(update_fields=["missing", "missing_since"])
    action = "reservation.short" if missing else "reservation.whole"
    _announce(actor, action, row, missing=missing)
    if missing > before and row.created_by_id is not None:
        notify_people(
            users=[row.created_by_id],
            code="reservation_short",
            path="/reservations",
            params={
                "reservation": row.name,
                "pool": row.pool.name,
                "missing": missing,
                "reserved": row.gpus or row.slices,
            },
        )


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


def _key(device: ReservedDevice) -> tuple[UUID, int]:
    return device.accelerator_id, device.slot


def _announce(actor: Actor, action: str, row: AdvanceReservation, **more: int) -> None:
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
            **more,
        },
    )
    invalidate_topics([NODES_TOPIC])
    wake_scheduler()
