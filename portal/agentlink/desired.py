"""The desired state of a node: the containers of its wanted allocations, with their devices."""

import hashlib
import hmac
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import F

from portal.agentlink.devices import AllocationDevices, load_devices
from portal.agentlink.mounts import load_mounts
from portal.catalog.selectors import sources_for_system
from portal.common.clock import now
from portal.common.site_config import SiteConfig, get_site_config
from portal.environments.app_access import base_path, derive_app_token
from portal.execution.capabilities import Capabilities
from portal.execution.desired import Desired
from portal.inventory.models import Pool
from portal.workloads.idleness import parked_for_system
from portal.workloads.models import Allocation, JobArray, Workload
from portal.workloads.state import allocations
from portal.workloads.state.exchange import Exchange
from portal.workloads.submission.scripts import runnable_script
from scheduler.core.model.policy import PoolPolicy
from scheduler.core.model.states import WorkloadState
from wire.messages import (
    CLUSTER_LAUNCHERS,
    FRAMEWORKS,
    ArrayTask,
    ContainerSpec,
    DesiredContainer,
    NoticeSignal,
    StopGrace,
    TimeLimit,
)
from wire.versions import STOP_GRACE_S
from wire.words import SilenceTerm

SIGTERM: Final = "SIGTERM"
NO_SIGNAL: Final = "none"
"""Asks for the notice file alone."""
_NO_DEVICES: Final = AllocationDevices()


def name_work(exchange: Exchange) -> Desired:
    """Name what a node is to run: bind those allocations, and mark those that are left out."""
    work, seq = exchange.work, exchange.report.seq
    wanted = work.wanted_allocations()
    allocations.bind_allocations(wanted)
    kept = {item.pk for item in wanted}
    left_out = [item for item in work.allocations if item.pk not in kept]
    allocations.mark_unwanted(left_out, seq)
    graces = (
        _stop_grace(work.workloads[item.workload_id], item, item.stop_grace_s)
        for item in left_out
        if item.stop_grace_s is not None
    )
    containers = _containers(exchange, wanted, get_site_config())
    return Desired(containers=containers, graces=(*graces, *_stop_at_once(exchange)))


def _stop_at_once(exchange: Exchange) -> Iterator[StopGrace]:
    """Yield an order to kill for each container that the portal has given up: another may run."""
    live = ((item.wire_name, item.epoch) for item in exchange.work.allocations)
    held = {*exchange.reply.unknown, *live}
    for item in exchange.report.seen:
        if item.key not in held:
            yield StopGrace(allocation=item.allocation, epoch=item.epoch, seconds=0)


def _containers(
    exchange: Exchange, wanted: Sequence[Allocation], site: SiteConfig
) -> tuple[DesiredContainer, ...]:
    """Return the desired containers of a node, in the order of its allocations."""
    work, can = exchange.work, exchange.report.capabilities
    devices = load_devices(wanted, work.workloads)
    gangs = _gangs([work.workloads[item.workload_id] for item in wanted])
    parked = parked_for_system([work.workloads[item.workload_id] for item in wanted])
    mounts = load_mounts([work.workloads[item.workload_id] for item in wanted], can)
    graces = _time_limit_graces(
        [work.workloads[item.workload_id] for item in wanted], exchange.node.pool
    )
    arrays = _array_sizes([work.workloads[item.workload_id] for item in wanted])
    images = sources_for_system({work.workloads[item.workload_id].image_id for item in wanted})
    found = []
    for item in wanted:
        workload, held = work.workloads[item.workload_id], devices.get(item.pk, _NO_DEVICES)
        source = images[workload.image_id]
        spec = _spec(workload, item, source.reference, gangs, site.secret_key)
        more = {
            **mounts[item.workload_id].fields(),
            "disk_mib": site.disk_mib_max,
            "has_secrets": bool(workload.spec.get("secrets")),
            "has_registry_login": source.needs_login,
            "builds_image": "build" in workload.spec,
            "tenant": held.tenant or str(workload.group_id),
            "array": _array_task(workload, arrays),
            **_launcher(workload, site.secret_key, can),
        }
        found.append(
            DesiredContainer(
                allocation=item.wire_name,
                epoch=item.epoch,
                is_parked=item.workload_id in parked,
                devices=held.devices,
                silence=SilenceTerm(item.silence),
                limit=_time_limit(workload, graces[workload.pool_id]),
                spec=spec.model_copy(update=more),
            )
        )
    return tuple(found)


def _array_sizes(workloads: Collection[Workload]) -> Mapping[UUID, int]:
    """Return how many tasks each array of these workloads has."""
    named = {item.array_id for item in workloads if item.array_id is not None}
    return dict(JobArray.objects.filter(pk__in=named).values_list("pk", "size")) if named else {}


def _array_task(workload: Workload, sizes: Mapping[UUID, int]) -> ArrayTask | None:
    if workload.array_id is None or workload.array_index is None:
        return None
    size = sizes[workload.array_id]
    return ArrayTask(id=str(workload.array_id), index=workload.array_index, size=size)


@dataclass(frozen=True, slots=True)
class RankAddress:
    """The node of one rank of a gang, and its address."""

    node: UUID
    address: str


def _gangs(workloads: Collection[Workload]) -> Mapping[UUID, Mapping[int, RankAddress]]:
    """Return the addresses of each gang's ranks in its present attempt."""
    epochs = {workload.pk: workload.epoch for workload in workloads if workload.replicas > 1}
    found: dict[UUID, dict[int, RankAddress]] = {key: {} for key in epochs}
    if not epochs:
        return found
    rows = Allocation.objects.filter(workload__in=epochs, epoch=F("workload__epoch"))
    columns = ("workload", "rank", "node", "node__address")
    for key, rank, node, address in rows.order_by("rank").values_list(*columns):
        found[key][rank] = RankAddress(node, address)
    return found


def _rendezvous(own: Allocation, ranks: Mapping[int, RankAddress]) -> dict[str, Any]:
    """Return how a rank reaches the others of its gang; nothing when it is alone."""
    if not ranks:
        return {}
    here = [rank for rank, other in ranks.items() if other.node == own.node_id]
    return {
        "master_address": ranks[0].address,
        "hosts": tuple(ranks[rank].address for rank in sorted(ranks)),
        "ranks_here": len(here),
        "local_rank": here.index(own.rank),
    }


def _spec(
    workload: Workload,
    held: Allocation,
    image: str,
    gangs: Mapping[UUID, Mapping[int, RankAddress]],
    secret_key: str,
) -> ContainerSpec:
    is_environment = workload.kind == Workload.Kind.ENVIRONMENT
    return ContainerSpec(
        kind="environment" if is_environment else "training",
        workload=str(workload.pk),
        name=workload.name,
        image=image,
        command=tuple(workload.spec.get("command", ())),
        script=runnable_script(workload.spec.get("script", "")),
        env=workload.spec.get("env", {}),
        ports=tuple(workload.spec.get("ports", ())),
        cpu_milli=workload.cpu_milli,
        memory_mib=workload.memory_mib,
        rank=held.rank,
        ranks=workload.replicas,
        restart=workload.epoch - 1,
        **_rendezvous(held, gangs.get(workload.pk, {})),
        app_token=derive_app_token(secret_key, workload.pk, workload.epoch)
        if is_environment
        else "",
        base_path=base_path(workload.pk) if is_environment else "/",
    )


def _launcher(workload: Workload, secret_key: str, can: Capabilities) -> dict[str, str]:
    """Return what starts its processes; a cluster's ranks share a secret that is derived, not stored.

    A node that does not know the launcher gets none, and a data set by which the start fails.
    """
    launcher = workload.spec.get("launcher", "plain")
    if launcher in FRAMEWORKS:
        return {"launcher": "torchrun", "framework": launcher}
    if launcher not in CLUSTER_LAUNCHERS:
        return {"launcher": launcher}
    if not can.runs_clusters:
        return {"launcher": "plain"}
    message = f"cluster:{workload.pk}:{workload.epoch}".encode()
    token = hmac.new(secret_key.encode(), message, hashlib.sha256).hexdigest()
    return {"launcher": launcher, "cluster_token": token}


def _time_limit_graces(workloads: Collection[Workload], own: Pool | None) -> Mapping[UUID, int]:
    """Return the grace of jobs over their time limit, by pool; other pools have lent this node."""
    found = {} if own is None else {own.pk: own.policy}
    others = {item.pool_id for item in workloads} - found.keys()
    if others:
        found |= dict(Pool.objects.filter(pk__in=others).values_list("pk", "policy"))
    return {key: int(policy.get("grace_s", PoolPolicy().grace_s)) for key, policy in found.items()}


def _time_limit(workload: Workload, grace_s: int) -> TimeLimit:
    """Return how long an attempt may still run, and how its node ends it without the portal."""
    left = timedelta(seconds=workload.time_limit_s)
    if workload.state == WorkloadState.RUNNING and workload.started_at is not None:
        left -= now() - workload.started_at
    remaining_s = max(0, math.ceil(left.total_seconds()))
    if workload.kind == Workload.Kind.ENVIRONMENT:
        return TimeLimit(remaining_s=remaining_s)
    notice_s, signal = _choose_notice(workload, grace_s)
    return TimeLimit(remaining_s=remaining_s, grace_s=grace_s, notice_s=notice_s, signal=signal)


def _stop_grace(workload: Workload, left_out: Allocation, seconds: int) -> StopGrace:
    """Return how an evicted container is notified and stopped.

    Work that asked for SIGTERM gets it at once and has the whole time to end; other work keeps
    running until its notice is over, and gets SIGTERM then.
    """
    notice_s, signal = _choose_notice(workload, seconds)
    return StopGrace(
        allocation=left_out.wire_name,
        epoch=left_out.epoch,
        seconds=seconds,
        notice_s=notice_s,
        signal=signal,
        reason=workload.cause,
    )


def _choose_notice(workload: Workload, seconds: int) -> tuple[int, NoticeSignal]:
    """Return how much of a grace is notice, and the signal that the work has chosen for it."""
    signal = workload.spec.get("notice_signal", SIGTERM)
    notice_s = 0 if signal == SIGTERM else seconds - min(STOP_GRACE_S, seconds // 3)
    return notice_s, "" if signal in (SIGTERM, NO_SIGNAL) else signal
