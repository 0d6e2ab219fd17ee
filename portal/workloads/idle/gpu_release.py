"""Release the GPUs of a running allocation, and restore them: devices, quota and accounting at once.

The allocation itself stays, with its node, epoch, CPU and memory. The caller holds the lock on its
workload.
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

from portal.common.clock import now, now_or_later
from portal.common.notifications import (
    invalidate_nodes,
    wake_nodes,
    wake_scheduler,
)
from portal.quotas import services as quotas
from portal.quotas.counters import QuotaUse
from portal.workloads import gpu_accounting
from portal.workloads.models import Allocation, AllocationDevice, Workload
from portal.workloads.state.allocations import insert_devices
from portal.workloads.state.locked_rows import LockedWorkload
from portal.workloads.state.placement_recheck import RankCost, RankGrant
from scheduler.core.model.resources import Resources

_MS: Final = timedelta(milliseconds=1)


def release_gpus(workload: Workload, allocation: Allocation) -> None:
    """Release the GPUs of an allocation, after its node has verified that they are free."""
    since = allocation.gpus_since or allocation.created_at
    moment = now_or_later(since)
    AllocationDevice.objects.filter(allocation=allocation, released_at=None).update(
        claim_mode=None, released_at=moment
    )
    amount = Resources(gpu=allocation.total_gpu_milli, gpu_memory=allocation.total_gpu_memory_mib)
    cost = RankCost(amount, allocation.gpu_milli_by_model)
    quotas.release_quota([build_quota_use(workload, allocation.pool_id, cost)])
    gpu_accounting.count_released_gpus(workload, allocation, moment)
    allocation.released_gpu_milli_ms += allocation.total_gpu_milli * ((moment - since) // _MS)
    allocation.total_gpu_milli = allocation.total_gpu_memory_mib = 0
    allocation.gpu_milli_by_model = {}
    _save(allocation)
    wake_scheduler()
    invalidate_nodes([allocation.node_id])


def restore_gpus(
    allocation: Allocation, workload: LockedWorkload, grant: RankGrant, cost: RankCost
) -> None:
    """Give an allocation these GPUs; the caller has reserved the quota in the same transaction."""
    moment = now()
    insert_devices([(allocation.pk, workload, grant, cost)], moment)
    allocation.total_gpu_milli = cost.amount.gpu
    allocation.total_gpu_memory_mib = cost.amount.gpu_memory
    allocation.gpu_milli_by_model = dict(cost.gpu_milli_by_model)
    allocation.gpus_since = moment
    Allocation.objects.filter(pk=allocation.pk).update(accounted_until=moment)
    _save(allocation)
    wake_nodes([allocation.node_id])
    invalidate_nodes([allocation.node_id])


def _save(allocation: Allocation) -> None:
    allocation.save(
        update_fields=[
            *("total_gpu_milli", "total_gpu_memory_mib", "gpu_milli_by_model"),
            *("gpus_since", "released_gpu_milli_ms"),
        ]
    )


def build_quota_use(workload: Workload, pool_id: UUID, cost: RankCost) -> QuotaUse:
    """Return the use that counts against the quotas of a workload."""
    return QuotaUse(
        workload.group_id, pool_id, workload.owner_id, cost.amount, cost.gpu_milli_by_model
    )
