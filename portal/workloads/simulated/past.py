"""Writes the simulated past of a demo: work that has ended, its attempts and its log, in bulk."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from django.db import transaction

from portal.workloads import gpu_accounting, measured_use
from portal.workloads.models import Allocation, AllocationDevice, Workload, WorkloadEvent
from portal.workloads.owner_notices import skip_present_events

BATCH: Final = 500
"""Rows of one statement: a workload has about seventy columns."""


@dataclass(slots=True)
class PastRows:
    """Unsaved rows of work that has ended, each with its keys; events in the order of their moments."""

    workloads: list[Workload] = field(default_factory=list)
    allocations: list[Allocation] = field(default_factory=list)
    devices: list[AllocationDevice] = field(default_factory=list)
    events: list[WorkloadEvent] = field(default_factory=list)
    samples: Sequence[measured_use.UsageSample] = ()
    """Measured use of the attempts."""


@transaction.atomic
def write_past(rows: PastRows) -> None:
    """Save simulated work as its own life would have left it; nobody is notified of it.

    What has ended holds nothing, so that no quota, node or queue changes.
    """
    for work in rows.workloads:
        work.simulated = True
    Workload.objects.bulk_create(rows.workloads, batch_size=BATCH)
    Allocation.objects.bulk_create(rows.allocations, batch_size=BATCH)
    AllocationDevice.objects.bulk_create(rows.devices, batch_size=4 * BATCH)
    WorkloadEvent.objects.bulk_create(rows.events, batch_size=4 * BATCH)
    measured_use.add_samples(rows.samples)
    gpu_accounting.recount_released()
    skip_present_events()
