"""Work and cards at the moment at which an advance reservation is made, moved or cancelled."""

from collections.abc import Collection, Iterable
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from portal.common.clock import now
from portal.inventory.models import Accelerator
from portal.reservations.selectors import KeptDevice, kept_devices_for_system
from portal.workloads.errors import ConcurrentChangeError
from portal.workloads.models import AllocationDevice, Workload
from portal.workloads.state.transitions import limit_attempts, set_attempt_end
from scheduler.core.model.states import PLACED

ReservedDevices = Collection[tuple[UUID, int]]
"""Cards and their slots; slot 0 is a whole card where cards are not cut into slices."""


def lock_devices(
    devices: ReservedDevices, *, holders: Collection[UUID], must_end_at: datetime
) -> None:
    """Lock these cards, and let the work that holds the devices end by then at the latest.

    No placement is written on them until the caller's transaction ends. Preemptible work is not
    limited: the scheduler evicts it in time.

    Raises:
        ConcurrentChangeError: other work than `holders` has got one of the devices meanwhile.
    """
    rows = _lock(holders, devices)
    limit_attempts([row.pk for row in rows if not row.preemptible], must_end_at)


def lock_for_move(
    failed: ReservedDevices,
    chosen: ReservedDevices,
    *,
    holders: Collection[UUID],
    must_end_at: datetime,
) -> list[Workload]:
    """Lock the cards that fail a reservation and those that replace them; return what holds the former.

    `holders` of the chosen devices end by `must_end_at`, as in `lock_devices`.

    Raises:
        ConcurrentChangeError: other work has got one of the devices meanwhile.
    """
    of_failed = _find_holders(failed)
    rows = _lock({*holders, *of_failed}, {*failed, *chosen})
    if not _find_holders(chosen) <= set(holders):
        raise ConcurrentChangeError("changed_meanwhile", state="")
    firm = [row.pk for row in rows if row.pk in holders and not row.preemptible]
    limit_attempts(firm, must_end_at)
    return [row for row in rows if row.pk in of_failed]


def lock_holders(devices: ReservedDevices) -> list[Workload]:
    """Lock the work that holds any of these devices, and the cards.

    Raises:
        ConcurrentChangeError: other work has got one of the devices meanwhile.
    """
    return _lock(_find_holders(devices), devices)


def renew_ends(workloads: Iterable[Workload]) -> None:
    """Let locked work end when the advance reservations that are left say so; else by its time limit.

    It ends with the open window that it is in. Before the next window of one of its devices it ends
    unless it is preemptible: then the scheduler evicts it in time.
    """
    for workload in workloads:
        if workload.must_end_at is None or workload.state not in PLACED:
            continue
        rows = _live_devices().filter(allocation__workload=workload)
        held = {_device(*row) for row in rows.values_list("accelerator", "slot", "gpu_milli")}
        windows = [
            kept
            for kept in kept_devices_for_system({card for card, _ in held})
            if (kept.accelerator_id, kept.slot) in held
        ]
        ends = [end for kept in windows if (end := _must_end_at(kept, workload)) is not None]
        set_attempt_end(workload, min(ends, default=None))


def _must_end_at(kept: KeptDevice, workload: Workload) -> datetime | None:
    if kept.starts_at <= now():
        return kept.ends_at
    return None if workload.preemptible else kept.starts_at


def _lock(holders: Collection[UUID], devices: ReservedDevices) -> list[Workload]:
    rows = Workload.objects.filter(pk__in=holders).select_for_update(no_key=True).order_by("id")
    locked = list(rows)
    cards = {card for card, _ in devices}
    list(Accelerator.objects.filter(pk__in=cards).select_for_update(no_key=True).order_by("id"))
    if not _find_holders(devices) <= set(holders):
        raise ConcurrentChangeError("changed_meanwhile", state="")
    return locked


def _find_holders(devices: ReservedDevices) -> set[UUID]:
    """Return the work that holds any of these devices, or a share of one."""
    live = _live_devices().filter(accelerator__in={card for card, _ in devices})
    rows = live.values_list("accelerator", "slot", "gpu_milli", "allocation__workload")
    return {row[3] for row in rows if _device(*row[:3]) in devices}


def _live_devices() -> "QuerySet[AllocationDevice]":
    return AllocationDevice.objects.filter(released_at=None)


def _device(card: UUID, slot: int, milli: int) -> tuple[UUID, int]:
    return card, 0 if milli else slot
