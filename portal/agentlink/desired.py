"""The desired state of a node: the containers of its wanted allocations, and how others are to end."""

import hashlib
import hmac
import math
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from portal.agentlink.devices import AllocationDevices
from portal.agentlink.wanted import RankAddress, Wanted
from portal.common.clock import now
from portal.common.work_kinds import WebEndpoint
from portal.endpoints.values import base_path, derive_app_token
from portal.execution.capabilities import Capabilities
from portal.execution.desired import (
    ArrayPosition,
    AttemptLimit,
    DesiredState,
    GrantedGrace,
    WantedContainer,
    WorkSpec,
)
from portal.workloads.models import Allocation, Workload
from portal.workloads.state import allocations
from portal.workloads.state.exchange import Exchange
from portal.workloads.submission.scripts import runnable_script
from scheduler.core.model.states import WorkloadState
from wire.messages import CLUSTER_LAUNCHERS, FRAMEWORKS
from wire.versions import STOP_GRACE_S
from wire.words import SilenceTerm

SIGTERM: Final = "SIGTERM"
NO_SIGNAL: Final = "none"
"""Asks for the notice file alone."""
_NO_DEVICES: Final = AllocationDevices()


def name_work(exchange: Exchange) -> DesiredState:
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
    loaded = Wanted.load(exchange, wanted)
    return DesiredState(
        containers=tuple(_container(item, loaded) for item in wanted),
        graces=(*graces, *_stop_at_once(exchange)),
    )


def _stop_at_once(exchange: Exchange) -> Iterator[GrantedGrace]:
    """Yield an order to kill for each container that the portal has given up: another may run."""
    live = ((item.wire_name, item.epoch) for item in exchange.work.allocations)
    held = {*exchange.reply.unknown, *live}
    for item in exchange.report.seen:
        if item.key not in held:
            yield GrantedGrace(allocation=item.allocation, epoch=item.epoch, seconds=0)


def _container(item: Allocation, wanted: Wanted) -> WantedContainer:
    workload, held = wanted.workloads[item.workload_id], wanted.devices.get(item.pk, _NO_DEVICES)
    return WantedContainer(
        allocation=item.wire_name,
        epoch=item.epoch,
        spec=_spec(workload, item, held, wanted),
        devices=held.devices,
        is_parked=item.workload_id in wanted.parked,
        silence=SilenceTerm(item.silence),
        limit=_time_limit(workload, wanted.graces[workload.pool_id]),
    )


def _array_task(workload: Workload, sizes: Mapping[UUID, int]) -> ArrayPosition | None:
    if workload.array_id is None or workload.array_index is None:
        return None
    size = sizes[workload.array_id]
    return ArrayPosition(id=str(workload.array_id), index=workload.array_index, size=size)


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
    workload: Workload, item: Allocation, held: AllocationDevices, wanted: Wanted
) -> WorkSpec:
    has_server = workload.terms.endpoint is WebEndpoint.SERVER
    source, secret_key = wanted.images[workload.image_id], wanted.site.secret_key
    return WorkSpec(
        kind=workload.terms.container,
        workload=str(workload.pk),
        name=workload.name,
        image=source.reference,
        command=tuple(workload.spec.get("command", ())),
        script=runnable_script(workload.spec.get("script", "")),
        env={
            **_language(wanted.languages.get(workload.owner_id, "")),
            **workload.spec.get("env", {}),
        },
        ports=tuple(workload.spec.get("ports", ())),
        cpu_milli=workload.cpu_milli,
        memory_mib=workload.memory_mib,
        disk_mib=wanted.site.disk_mib_max,
        rank=item.rank,
        ranks=workload.replicas,
        restart=workload.epoch - 1,
        **_rendezvous(item, wanted.ranks.get(workload.pk, {})),
        **_launcher(workload, secret_key, wanted.can),
        **wanted.mounts[workload.pk].fields(),
        has_secrets=bool(workload.spec.get("secrets")),
        has_registry_login=source.needs_login,
        builds_image="build" in workload.spec,
        tenant=held.tenant or str(workload.group_id),
        array=_array_task(workload, wanted.array_sizes),
        app_token=derive_app_token(secret_key, workload.pk, workload.epoch) if has_server else "",
        base_path=base_path(workload.pk) if has_server else "/",
        probe=workload.probe,
    )


def _language(language: str) -> dict[str, str]:
    """Return the variable by which programs choose their language (GNU gettext)."""
    return {"LANGUAGE": language.replace("-", "_")} if language else {}


def _launcher(workload: Workload, secret_key: str, can: Capabilities) -> dict[str, Any]:
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


def _time_limit(workload: Workload, grace_s: int) -> AttemptLimit | None:
    """Return how long an attempt may still run, and how its node ends it without the portal; None is no limit."""
    if workload.time_limit_s is None:
        return None
    left = timedelta(seconds=workload.time_limit_s)
    if workload.state == WorkloadState.RUNNING and workload.started_at is not None:
        left -= now() - workload.started_at
    remaining_s = max(0, math.ceil(left.total_seconds()))
    if not workload.terms.has_grace:
        return AttemptLimit(remaining_s=remaining_s)
    notice_s, signal = _choose_notice(workload, grace_s)
    return AttemptLimit(remaining_s=remaining_s, grace_s=grace_s, notice_s=notice_s, signal=signal)


def _stop_grace(workload: Workload, left_out: Allocation, seconds: int) -> GrantedGrace:
    """Return how an evicted container is notified and stopped.

    Work that asked for SIGTERM gets it at once and has the whole time to end; other work keeps
    running until its notice is over, and gets SIGTERM then.
    """
    notice_s, signal = _choose_notice(workload, seconds)
    return GrantedGrace(
        allocation=left_out.wire_name,
        epoch=left_out.epoch,
        seconds=seconds,
        notice_s=notice_s,
        signal=signal,
        reason=workload.cause,
    )


def _choose_notice(workload: Workload, seconds: int) -> tuple[int, str]:
    """Return how much of a grace is notice, and the signal that the work has chosen for it."""
    signal = workload.spec.get("notice_signal", SIGTERM)
    notice_s = 0 if signal == SIGTERM else seconds - min(STOP_GRACE_S, seconds // 3)
    return notice_s, "" if signal in (SIGTERM, NO_SIGNAL) else signal
