"""Reads of idle notebooks and of the GPUs that they have released."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from portal.common.work_kinds import IdleRule
from portal.workloads.models import Allocation, AllocationDevice, Idleness, Workload
from scheduler.core.model.entities import AcceleratorId
from scheduler.core.model.states import WorkloadState

GpuState = Idleness.GpuState
REPORT_VALID_FOR: Final = timedelta(minutes=3)
"""After so long without a report of its node, nothing is known of a notebook's use."""
IDLE_AFTER: Final = timedelta(minutes=2)
"""A notebook is idle when it has not been in use for so long."""


def parked_for_system(workloads: Collection[Workload]) -> frozenset[UUID]:
    """Return those of these workloads that are to run without GPUs at the moment."""
    watched = (item for item in workloads if item.terms.idle_rule is IdleRule.POOL)
    epochs = {item.pk: item.epoch for item in watched}
    if not epochs:
        return frozenset()
    without = [GpuState.RELEASING, GpuState.RELEASED, GpuState.REQUESTED]
    rows = Idleness.objects.filter(pk__in=epochs, gpu_state__in=without).values_list("pk", "epoch")
    return frozenset(key for key, epoch in rows if epochs[key] == epoch)


def requests_for_system() -> frozenset[str]:
    """Return the ids of requests by which parked notebooks wait for GPUs."""
    rows = Idleness.objects.filter(gpu_state=GpuState.REQUESTED, gpu_request__isnull=False)
    return frozenset(str(name) for name in rows.values_list("gpu_request", flat=True))


def needs_same_cards(allocation: Allocation) -> bool:
    """Return whether only the cards that it had will do: a container cannot be given others."""
    is_real = AllocationDevice.objects.filter(
        allocation=allocation, accelerator__is_simulated=False
    )
    return allocation.node.capabilities.keeps_cards and is_real.exists()


def last_released_devices(allocation: Allocation) -> tuple[tuple[AcceleratorId, int], ...]:
    """Return the cards and slots that an allocation has released last."""
    rows = AllocationDevice.objects.filter(allocation=allocation, released_at__isnull=False)
    newest = rows.order_by("-released_at").values_list("released_at", flat=True).first()
    found = rows.filter(released_at=newest).order_by("accelerator", "slot")
    return tuple(
        (AcceleratorId(str(card)), slot) for card, slot in found.values_list("accelerator", "slot")
    )


def idle_since_for_system(moment: datetime) -> Mapping[UUID, datetime]:
    """Return since when running notebooks have been idle, for those that are."""
    rows = Idleness.objects.filter(
        workload__state=WorkloadState.RUNNING,
        reported_at__gte=moment - REPORT_VALID_FOR,
        active_at__lte=moment - IDLE_AFTER,
    )
    return dict(rows.values_list("workload", "active_at"))
