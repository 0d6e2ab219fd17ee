"""The devices of a node's containers as the wire describes them: shares, ceilings, isolation."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from portal.inventory.policy import read_policy
from portal.workloads.models import Allocation, AllocationDevice
from portal.workloads.submission.gpu_fractions import memory_ceiling_mib
from scheduler.core.model.policy import PoolPolicy
from wire.words import Device, Isolation

WHOLE_MILLI = 1000


@dataclass(frozen=True, slots=True)
class AllocationDevices:
    """The devices of one allocation, and with whose work they may be shared."""

    devices: tuple[Device, ...] = ()
    tenant: str = ""
    """The pool, where its policy mixes groups on a card; empty is the group of the work."""


def load_devices(allocations: Collection[Allocation]) -> Mapping[UUID, AllocationDevices]:
    """Return the devices of allocations by key, in the order of the cards (one query)."""
    keys = [item.pk for item in allocations if item.has_devices]
    if not keys:
        return {}
    rows = AllocationDevice.objects.filter(allocation__in=keys, released_at=None)
    policies: dict[UUID, PoolPolicy] = {}
    devices: dict[UUID, list[Device]] = defaultdict(list)
    tenants: dict[UUID, str] = {}
    related = rows.select_related("accelerator__pool", "allocation__workload").order_by(
        "accelerator__index", "slot"
    )
    for row in related:
        pool = row.accelerator.pool
        policy = policies.setdefault(pool.pk, read_policy(pool.name, pool.policy))
        devices[row.allocation_id].append(_device(row, policy))
        if policy.mix_groups:
            tenants[row.allocation_id] = f"pool:{pool.pk}"
    return {
        key: AllocationDevices(tuple(found), tenants.get(key, "")) for key, found in devices.items()
    }


def _device(row: AllocationDevice, policy: PoolPolicy) -> Device:
    """Return one device. Only a share of a card has a ceiling and needs isolation."""
    card, work = row.accelerator, row.allocation.workload
    if row.slices == 1 and not row.gpu_milli:
        return Device(uuid=card.uuid, slot=row.slot, slices=1, memory_mib=row.memory_mib)
    milli = row.gpu_milli or WHOLE_MILLI // row.slices
    return Device(
        uuid=card.uuid,
        slot=row.slot,
        slices=row.slices,
        profile=work.mig_profile,
        memory_mib=row.memory_mib,
        ceiling_mib=memory_ceiling_mib(row, work, policy),
        compute_milli=min(WHOLE_MILLI, milli * policy.burst_pct // 100),
        gpu_milli=row.gpu_milli,
        isolation=Isolation.MIG if work.mig_profile else Isolation(policy.isolation.value),
    )
