"""What shall run on a node: the containers of its wanted allocations, complete with devices."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db.models import F

from portal.agentlink.shares import Shares, shares_of
from portal.catalog.selectors import references_of
from portal.datasets.selectors import paths_readable_for_system
from portal.environments.app_access import base_path, derive_app_token
from portal.workloads.idleness import parked_for_system
from portal.workloads.models import Allocation, Workload
from portal.workloads.state.allocations import NodeAllocations
from wire.messages import ContainerSpec, DatasetMount, DesiredContainer, StopGrace
from wire.versions import STOP_GRACE_S

SIGTERM: Final = "SIGTERM"
NO_SIGNAL: Final = "none"
"""The notice file alone."""
_NOTHING: Final = Shares()
"""What work without cards has of them."""


def containers(
    work: NodeAllocations, wanted: Sequence[Allocation], *, secret_key: str
) -> tuple[DesiredContainer, ...]:
    """Return the desired containers of a node, in the order of its allocations."""
    shares = shares_of(wanted)
    gangs = _gangs([work.workloads[item.workload_id] for item in wanted])
    parked = parked_for_system([work.workloads[item.workload_id] for item in wanted])
    datasets = _datasets([work.workloads[item.workload_id] for item in wanted])
    images = references_of({work.workloads[item.workload_id].image_id for item in wanted})
    found = []
    for item in wanted:
        workload, share = work.workloads[item.workload_id], shares.get(item.pk, _NOTHING)
        spec = _spec(workload, item, images[workload.image_id], gangs, secret_key)
        more = {
            "datasets": datasets.get(item.workload_id, ()),
            "disk_mib": settings.DISK_MIB_MAX,
            "tenant": share.tenant or str(workload.group_id),
        }
        found.append(
            DesiredContainer(
                allocation=item.wire_name,
                epoch=item.epoch,
                is_parked=item.workload_id in parked,
                devices=share.devices,
                spec=spec.model_copy(update=more),
            )
        )
    return tuple(found)


def _datasets(workloads: Collection[Workload]) -> Mapping[UUID, tuple[DatasetMount, ...]]:
    """Return what each workload reads: what its group may read now; the rest is left out."""
    wanted = [
        (item.pk, item.group_id, name)
        for item in workloads
        for name in item.spec.get("datasets", ())
    ]
    paths = paths_readable_for_system((group, name) for _, group, name in wanted)
    found: dict[UUID, list[DatasetMount]] = defaultdict(list)
    for workload, group, name in wanted:
        if (path := paths.get((group, name))) is not None:
            found[workload].append(DatasetMount(name=name, path=path))
    return {workload: tuple(mounts) for workload, mounts in found.items()}


@dataclass(frozen=True, slots=True)
class Seat:
    """Where one rank of a gang is."""

    node: UUID
    address: str


def _gangs(workloads: Collection[Workload]) -> Mapping[UUID, Mapping[int, Seat]]:
    """Return where the ranks of each gang are in its present attempt."""
    epochs = {workload.pk: workload.epoch for workload in workloads if workload.replicas > 1}
    found: dict[UUID, dict[int, Seat]] = {key: {} for key in epochs}
    if not epochs:
        return found
    rows = Allocation.objects.filter(workload__in=epochs, epoch=F("workload__epoch"))
    columns = ("workload", "rank", "node", "node__address")
    for key, rank, node, address in rows.order_by("rank").values_list(*columns):
        found[key][rank] = Seat(node, address)
    return found


def _meeting(own: Allocation, seats: Mapping[int, Seat]) -> dict[str, Any]:
    """Return what a rank is told about the others; nothing when it is alone."""
    if not seats:
        return {}
    here = [rank for rank, seat in seats.items() if seat.node == own.node_id]
    return {
        "master_address": seats[0].address,
        "hosts": tuple(seats[rank].address for rank in sorted(seats)),
        "ranks_here": len(here),
        "local_rank": here.index(own.rank),
    }


def _spec(
    workload: Workload,
    held: Allocation,
    image: str,
    gangs: Mapping[UUID, Mapping[int, Seat]],
    secret_key: str,
) -> ContainerSpec:
    is_environment = workload.kind == Workload.Kind.ENVIRONMENT
    return ContainerSpec(
        kind="environment" if is_environment else "training",
        workload=str(workload.pk),
        name=workload.name,
        image=image,
        command=tuple(workload.spec.get("command", ())),
        script=workload.spec.get("script", ""),
        env=workload.spec.get("env", {}),
        ports=tuple(workload.spec.get("ports", ())),
        cpu_milli=workload.cpu_milli,
        memory_mib=workload.memory_mib,
        rank=held.rank,
        ranks=workload.replicas,
        restart=workload.epoch - 1,
        launcher=workload.spec.get("launcher", "plain"),
        **_meeting(held, gangs.get(workload.pk, {})),
        app_token=derive_app_token(secret_key, workload.pk, workload.epoch)
        if is_environment
        else "",
        base_path=base_path(workload.pk) if is_environment else "/",
    )


def grace(workload: Workload, left_out: Allocation, seconds: int) -> StopGrace:
    """Return how an evicted container is warned and stopped.

    Work that asked for SIGTERM gets it at once and has the whole time; other work goes on until
    its notice is over, and is asked to stop then.
    """
    signal = workload.spec.get("notice_signal", SIGTERM)
    is_stop = signal == SIGTERM
    return StopGrace(
        allocation=left_out.wire_name,
        epoch=left_out.epoch,
        seconds=seconds,
        notice_s=0 if is_stop else seconds - min(STOP_GRACE_S, seconds // 3),
        signal="" if signal in (SIGTERM, NO_SIGNAL) else signal,
        reason=workload.cause,
    )
