"""The tables of workloads, one module for each subject; Django finds all of them here.

Which module writes which table and state is listed in `tests/architecture/test_writes.py`.
"""

from portal.workloads.models.allocations import Allocation, AllocationDevice
from portal.workloads.models.idleness import Idleness
from portal.workloads.models.queue_controls import Dependency, JobArray
from portal.workloads.models.recovery import ForgottenContainer, Recovery
from portal.workloads.models.scheduling import (
    ExpectedStart,
    NoticedEvents,
    PoolQueue,
    SchedulerPass,
    StartHistory,
)
from portal.workloads.models.usage import DailyGpuUse, DecayedGpuUse, MeasuredUse
from portal.workloads.models.workloads import Workload, WorkloadEvent

__all__ = [
    "Allocation",
    "AllocationDevice",
    "DailyGpuUse",
    "DecayedGpuUse",
    "Dependency",
    "ExpectedStart",
    "ForgottenContainer",
    "Idleness",
    "JobArray",
    "MeasuredUse",
    "NoticedEvents",
    "PoolQueue",
    "Recovery",
    "SchedulerPass",
    "StartHistory",
    "Workload",
    "WorkloadEvent",
]
