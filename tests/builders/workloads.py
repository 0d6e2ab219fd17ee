"""Workloads and what they hold, written as rows: no service runs, so any state can be shown."""

from itertools import count

from portal.catalog.models import Image
from portal.common.clock import now
from portal.identity.models import User
from portal.inventory.models import Accelerator, Node, Pool
from portal.tenancy.models import Group
from portal.workloads.models import Allocation, AllocationDevice, Workload
from tests.builders.machines import an_image

_numbers = count(1)


def a_workload(
    owner: User,
    group: Group,
    pool: Pool,
    *,
    name: str = "",
    kind: str = "training",
    state: str = "queued",
    gpus: int = 0,
    slices: int = 0,
    gpu_milli: int = 0,
    gpu_memory_mib: int = 0,
    replicas: int = 1,
    cpu_milli: int = 1000,
    memory_mib: int = 1024,
    priority: int = 0,
    preemptible: bool = False,
    image: Image | None = None,
    **chosen: object,
) -> Workload:
    """Save a workload in any state; `chosen` are columns by which it chooses its GPUs."""
    return Workload.objects.create(
        kind=kind,
        name=name or f"work-{next(_numbers)}",
        owner=owner,
        group=group,
        pool=pool,
        image=image or an_image(),
        state=state,
        gpus=gpus,
        slices=slices,
        gpu_milli=gpu_milli,
        gpu_memory_mib=gpu_memory_mib,
        replicas=replicas,
        cpu_milli=cpu_milli,
        memory_mib=memory_mib,
        priority=priority,
        preemptible=preemptible,
        **{"time_limit_s": 3600, **chosen},
    )


def an_allocation(
    workload: Workload,
    node: Node,
    *,
    rank: int = 0,
    state: str = "bound",
    on: list[tuple[Accelerator, int]] | None = None,
) -> Allocation:
    """Save what one replica holds; `on` lists its (card, slot) pairs."""
    allocation = Allocation.objects.create(
        workload=workload,
        rank=rank,
        epoch=workload.epoch,
        node=node,
        pool=workload.pool,
        state=state,
        cpu_milli=workload.cpu_milli,
        memory_mib=workload.memory_mib,
        bound_at=now() if state == "bound" else None,
    )
    for card, slot in on or []:
        AllocationDevice.objects.create(
            allocation=allocation,
            accelerator=card,
            slot=slot,
            slices=card.slices,
            memory_mib=card.slice_mib,
            claim_mode=card.mode,
        )
    return allocation
