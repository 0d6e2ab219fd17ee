"""Cards that a living allocation gives up and gets again: devices, quota and meter move together.

The allocation itself stays, with its node, epoch, processors and memory. Whoever calls holds the
lock on its workload.
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import connection

from portal.common.clock import now
from portal.common.notifications import NODES_TOPIC, invalidate_topics, wake_nodes, wake_scheduler
from portal.quotas import services as quotas
from portal.quotas.counters import Use
from portal.workloads import accounting
from portal.workloads.holdings import HOLD_DEVICES
from portal.workloads.models import Allocation, AllocationDevice, Workload
from portal.workloads.placement import Candidate, Claim
from scheduler.core.resources import Resources

_MS: Final = timedelta(milliseconds=1)


def give_up(workload: Workload, allocation: Allocation) -> None:
    """Free the cards of an allocation whose node has proven that nothing of it is on them."""
    moment = now()
    AllocationDevice.objects.filter(allocation=allocation, released_at=None).update(
        claim_mode=None, released_at=moment
    )
    amount = Resources(gpu=allocation.gpu_milli, gpu_memory=allocation.gpu_memory_mib)
    quotas.release_all([use_of(workload, allocation.pool_id, amount)])
    accounting.count_given_up(workload, allocation, moment)
    since = allocation.cards_since or allocation.created_at
    allocation.metered_before += allocation.gpu_milli * ((moment - since) // _MS)
    allocation.gpu_milli = allocation.gpu_memory_mib = 0
    _save(allocation)
    wake_scheduler()
    invalidate_topics([NODES_TOPIC])


def take(allocation: Allocation, candidate: Candidate, claim: Claim, cost: Resources) -> None:
    """Give an allocation these cards; quota was reserved in the same transaction."""
    moment = now()
    rows = [
        (allocation.pk, card.id, slot, candidate.share_milli, candidate.share_mib)
        for card, slot in claim.slots
    ]
    with connection.cursor() as cursor:
        cursor.execute(HOLD_DEVICES, [list(column) for column in zip(*rows, strict=True)])
    allocation.gpu_milli, allocation.gpu_memory_mib = cost.gpu, cost.gpu_memory
    allocation.cards_since = moment
    Allocation.objects.filter(pk=allocation.pk).update(accounted_until=moment)
    _save(allocation)
    wake_nodes([allocation.node_id])
    invalidate_topics([NODES_TOPIC])


def _save(allocation: Allocation) -> None:
    allocation.save(update_fields=["gpu_milli", "gpu_memory_mib", "cards_since", "metered_before"])


def use_of(workload: Workload, pool_id: UUID, amount: Resources) -> Use:
    """Return what is counted against the quotas of a workload."""
    return Use(workload.group_id, pool_id, workload.owner_id, amount)
