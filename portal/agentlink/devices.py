"""The devices of a node's containers as the wire describes them: shares, ceilings, isolation."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import connection

from portal.common.model_rows import ModelRows
from portal.common.postgresql.arrays import format_array
from portal.inventory.policy import read_policy
from portal.workloads.models import Allocation, AllocationDevice, Workload
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


_DEVICES: Final = ModelRows(AllocationDevice, "device")
# Written out, because every heartbeat of every node asks it.
_HELD: Final = _DEVICES.fill("""
SELECT {device}, card.uuid, pool.id, pool.name, pool.policy
FROM workloads_allocationdevice device
JOIN inventory_accelerator card ON card.id = device.accelerator_id
JOIN inventory_pool pool ON pool.id = card.pool_id
WHERE device.allocation_id = ANY(%s::uuid[]) AND device.released_at IS NULL
ORDER BY card.index, device.slot
""")


def load_devices(
    allocations: Collection[Allocation], workloads: Mapping[UUID, Workload]
) -> Mapping[UUID, AllocationDevices]:
    """Return the devices of allocations of these workloads by key, in the order of the cards."""
    work_of = {item.pk: workloads[item.workload_id] for item in allocations if item.has_devices}
    if not work_of:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_HELD, [format_array(work_of)])
        rows = cursor.fetchall()
    policies: dict[UUID, PoolPolicy] = {}
    devices: dict[UUID, list[Device]] = defaultdict(list)
    tenants: dict[UUID, str] = {}
    for *values, card, pool, name, stored in rows:
        if pool not in policies:
            policies[pool] = read_policy(name, json.loads(stored))
        row, policy = _DEVICES.build(values), policies[pool]
        devices[row.allocation_id].append(_device(row, card, work_of[row.allocation_id], policy))
        if policy.mix_groups:
            tenants[row.allocation_id] = f"pool:{pool}"
    return {
        key: AllocationDevices(tuple(found), tenants.get(key, "")) for key, found in devices.items()
    }


def _device(row: AllocationDevice, card: str, work: Workload, policy: PoolPolicy) -> Device:
    """Return one device of a card by its UUID; only a share has a ceiling and needs isolation."""
    if row.slices == 1 and not row.gpu_milli:
        return Device(uuid=card, slot=row.slot, slices=1, memory_mib=row.memory_mib)
    milli = row.gpu_milli or WHOLE_MILLI // row.slices
    return Device(
        uuid=card,
        slot=row.slot,
        slices=row.slices,
        profile=work.mig_profile,
        memory_mib=row.memory_mib,
        ceiling_mib=memory_ceiling_mib(row, work, policy),
        compute_milli=min(WHOLE_MILLI, milli * policy.burst_pct // 100),
        gpu_milli=row.gpu_milli,
        isolation=Isolation.MIG if work.mig_profile else Isolation(policy.isolation.value),
    )
