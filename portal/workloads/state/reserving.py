"""Locking the cards that an advance reservation is about to keep, against placements at that moment."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from portal.inventory.models import Accelerator
from portal.workloads.errors import ConcurrentChangeError
from portal.workloads.models import AllocationDevice, Workload
from portal.workloads.state.transitions import limit_attempts


def lock_devices(
    devices: Collection[tuple[UUID, int]], *, holders: Collection[UUID], must_end_at: datetime
) -> None:
    """Lock these cards, and let the work that holds the devices end by then at the latest.

    No placement is written on them until the caller's transaction ends. Preemptible work is not
    limited: the scheduler evicts it in time.

    Raises:
        ConcurrentChangeError: other work than `holders` has got one of the devices meanwhile.
    """
    rows = Workload.objects.filter(pk__in=holders).select_for_update(no_key=True).order_by("id")
    firm = [row.pk for row in rows if not row.preemptible]
    cards = {card for card, _ in devices}
    list(Accelerator.objects.filter(pk__in=cards).select_for_update(no_key=True).order_by("id"))
    live = AllocationDevice.objects.filter(accelerator__in=cards, released_at=None)
    columns = ("accelerator", "slot", "gpu_milli", "allocation__workload")
    for card, slot, milli, workload in live.values_list(*columns):
        if (card, 0 if milli else slot) in devices and workload not in holders:
            raise ConcurrentChangeError("changed_meanwhile", state="")
    limit_attempts(firm, must_end_at)
