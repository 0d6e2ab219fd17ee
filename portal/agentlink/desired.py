"""What shall run on a node: the containers of its wanted allocations, complete with devices."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from portal.environments.access import app_token, base_path
from portal.workloads.holdings import NodeWork
from portal.workloads.models import Allocation, AllocationDevice, Workload
from wire.messages import ContainerSpec, DesiredContainer, Device


def containers(
    work: NodeWork, wanted: Sequence[Allocation], *, secret_key: str
) -> tuple[DesiredContainer, ...]:
    """Return the desired containers of a node, in the order of its allocations."""
    devices = _devices(wanted)
    masters = _master_addresses([work.workloads[item.workload_id] for item in wanted])
    return tuple(
        DesiredContainer(
            allocation=item.wire_name,
            epoch=item.epoch,
            devices=tuple(devices[item.pk]),
            spec=_spec(work.workloads[item.workload_id], item.rank, masters, secret_key),
        )
        for item in wanted
    )


def _devices(allocations: Collection[Allocation]) -> Mapping[UUID, list[Device]]:
    found: dict[UUID, list[Device]] = defaultdict(list)
    rows = AllocationDevice.objects.filter(allocation__in=[item.pk for item in allocations])
    for row in rows.select_related("accelerator").order_by("accelerator__index", "slot"):
        device = Device(
            uuid=row.accelerator.uuid, slot=row.slot, slices=row.slices, memory_mib=row.memory_mib
        )
        found[row.allocation_id].append(device)
    return found


def _master_addresses(workloads: Collection[Workload]) -> Mapping[UUID, str]:
    """Return where the ranks of each gang meet: the node of its rank 0 in the present attempt."""
    gangs = {workload.pk: workload.epoch for workload in workloads if workload.replicas > 1}
    if not gangs:
        return {}
    rows = Allocation.objects.filter(workload__in=gangs, rank=0)
    return {
        workload_id: address
        for workload_id, epoch, address in rows.values_list("workload", "epoch", "node__address")
        if epoch == gangs[workload_id]
    }


def _spec(
    workload: Workload, rank: int, masters: Mapping[UUID, str], secret_key: str
) -> ContainerSpec:
    is_environment = workload.kind == Workload.Kind.ENVIRONMENT
    return ContainerSpec(
        kind="environment" if is_environment else "training",
        workload=str(workload.pk),
        name=workload.name,
        image=workload.image.reference,
        command=tuple(workload.spec.get("command", ())),
        script=workload.spec.get("script", ""),
        env=workload.spec.get("env", {}),
        cpu_milli=workload.cpu_milli,
        memory_mib=workload.memory_mib,
        rank=rank,
        ranks=workload.replicas,
        master_address=masters.get(workload.pk, ""),
        app_token=app_token(secret_key, workload.pk, workload.epoch) if is_environment else "",
        base_path=base_path(workload.pk) if is_environment else "/",
    )
