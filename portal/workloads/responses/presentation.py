"""Workloads as the API and the live process show them; the shapes are in `portal.workloads.responses.shapes`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from portal.common.actor import Actor
from portal.common.clock import from_millis, now
from portal.identity.models import User
from portal.inventory.models import Node
from portal.workloads import retry, selectors
from portal.workloads.models import (
    Allocation,
    AllocationDevice,
    SchedulerPass,
    Workload,
    WorkloadEvent,
)
from portal.workloads.operations import disk_pressure
from portal.workloads.responses import advice, idleness
from portal.workloads.responses.queue_status import (
    QueueStatus,
    queue_statuses_for_system,
    with_datetimes,
)
from portal.workloads.responses.redaction import Viewer
from portal.workloads.responses.timeline import Arrival, timeline
from portal.workloads.snapshot.avoidance import load_avoided_by
from portal.workloads.submission.admission import PRIORITIES
from portal.workloads.submission.dry_run import DryRun
from portal.workloads.submission.gpu_fractions import memory_ceiling_mib
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.states import LIVE_ALLOCATION, WorkloadState

SCHEDULER_SILENT: Final = timedelta(seconds=30)
"""Without a pass for so long, the scheduler is what work waits for."""

_PRIORITY_NAMES: Final = {number: name for name, number in PRIORITIES.items()}


def present_summaries(rows: Sequence[Any]) -> list[dict[str, Any]]:
    """Present rows of `selectors.workloads_visible_to`."""
    is_down = any(_is_queued(row) for row in rows) and _is_scheduler_down()
    answers = queue_statuses_for_system(rows)
    return [_summary(row, row.live, answers.get(row.pk), is_scheduler_down=is_down) for row in rows]


def present_detail(workload: Workload) -> dict[str, Any]:
    """Present one workload with all that its page shows."""
    allocations = selectors.allocations_for_system(workload)
    live = [item for item in allocations if item.state in LIVE_ALLOCATION]
    is_down = _is_queued(workload) and _is_scheduler_down()
    answer = queue_statuses_for_system([workload]).get(workload.pk)
    arrivals = [
        Arrival(WorkloadState(state), at)
        for state, at in selectors.transitions_for_system(workload).values_list("to_state", "at")
    ]
    steps = timeline(arrivals, is_environment=workload.kind == Workload.Kind.ENVIRONMENT)
    return {
        **_summary(workload, live, answer, is_scheduler_down=is_down),
        "spec": {
            "command": workload.spec.get("command", []),
            "script": workload.spec.get("script", ""),
            "env": workload.spec.get("env", {}),
            "launcher": workload.spec.get("launcher", "plain"),
            "notice_signal": workload.spec.get("notice_signal", "SIGTERM"),
            "datasets": workload.spec.get("datasets", []),
            "ports": workload.spec.get("ports", []),
        },
        "restart": retry.encode_restart_policy(
            retry.parse_restart_policy(workload.restart, workload.retries_max)
        ),
        "retry_at": workload.retry_at,
        "checkpointed_at": workload.checkpointed_at,
        "allocations": [_allocation(item, workload) for item in allocations],
        "short_disks": _short_disks(live),
        "timeline": [{"step": step.step, "at": step.at} for step in steps],
        "reservation": _reservation(workload),
        "avoids": _avoids(workload),
        "idle": idleness.present_idleness(workload),
    }


def present_events(rows: Sequence[WorkloadEvent]) -> list[dict[str, Any]]:
    """Present events; people are shown by name, parts of the platform by theirs."""
    people = {row.actor_id for row in rows if row.actor_kind != "system"}
    names = {str(pk): name for pk, name in _user_names(people)}
    return [
        {
            "id": row.pk,
            "at": row.at,
            "from_state": row.from_state,
            "to_state": row.to_state,
            "epoch": row.epoch,
            "cause": row.cause,
            "params": row.params,
            "actor_kind": row.actor_kind,
            "actor_name": names.get(row.actor_id, row.actor_id),
        }
        for row in rows
    ]


def present_dry_run(answer: DryRun, actor: Actor) -> dict[str, Any]:
    """Present the answer to a dry run as far as the actor may know whom it concerns."""
    found = answer.result
    reader = Viewer.for_actor(actor)
    leaving = {UUID(item.workload): item.cause for item in found.evictions}
    rows = Workload.objects.select_related("owner", "group").defer("spec").in_bulk(list(leaving))
    return {
        "verdict": found.outcome.value,
        "position": found.position,
        "reasons": [reason.as_json() for reason in found.reasons],
        "expected_start": with_datetimes(asdict(found.expected)) if found.expected else None,
        "stops": [
            {"work": reader.view(rows[pk]), "cause": cause.value}
            for pk, cause in leaving.items()
            if pk in rows
        ],
        "advice": advice.present_advice(answer.advice),
    }


def _summary(
    row: Workload,
    live: Sequence[Allocation],
    answer: QueueStatus | None,
    *,
    is_scheduler_down: bool,
) -> dict[str, Any]:
    node = live[0].node if live else None
    return {
        "id": str(row.pk),
        "kind": row.kind,
        "name": row.name,
        "state": row.state,
        "cause": row.cause,
        "cause_params": row.cause_params,
        "group": {"id": str(row.group_id), "name": row.group.name, "title": row.group.title},
        "owner": {
            "id": str(row.owner_id),
            "username": row.owner.username,
            "display_name": row.owner.display_name,
        },
        "pool": _titled(row.pool),
        "image": _titled(row.image),
        "gpus": row.gpus,
        "slices": row.slices,
        "gpu_milli": row.gpu_milli,
        "gpu_memory_mib": row.gpu_memory_mib,
        "gpu_memory_ceiling_mib": row.gpu_memory_ceiling_mib,
        "mig_profile": row.mig_profile,
        "replicas": row.replicas,
        "cpu_milli": row.cpu_milli,
        "memory_mib": row.memory_mib,
        "priority": _PRIORITY_NAMES.get(row.priority, "normal"),
        "time_limit_s": row.time_limit_s,
        "submitted_at": row.submitted_at,
        "queued_at": row.queued_at,
        "started_at": row.started_at,
        "finished_at": row.finished_at,
        "ends_at": _ends_at(row),
        "exit_code": row.exit_code,
        "retries": row.retries,
        "retries_max": row.retries_max,
        "epoch": row.epoch,
        "version": row.version,
        "is_ready": _is_ready(row, live),
        "runtime": node.runtime if node else None,
        "is_isolated": node.is_isolated if node else None,
        "preemptible": row.preemptible,
        "priority_until": row.priority_until,
        "evictions": row.evictions,
        "position": answer.position if answer else None,
        "expected_start": answer.expected_start if answer else None,
        "reasons": _reasons(answer.reasons if answer else (), is_scheduler_down=is_scheduler_down)
        if _is_queued(row)
        else [],
    }


def _reservation(row: Workload) -> dict[str, Any] | None:
    """Return the start that the last pass has promised to a queued workload."""
    if not _is_queued(row):
        return None
    promised = SchedulerPass.objects.values_list("reservations", flat=True).first() or []
    mine = next((item for item in promised if item["workload"] == str(row.pk)), None)
    if mine is None:
        return None
    replicas = dict(mine["nodes"])
    names = Node.objects.filter(pk__in=replicas).order_by("name").values_list("pk", "name")
    return {
        "starts_at": from_millis(mine["starts_at"]),
        "nodes": [
            {"node": {"id": str(pk), "name": name}, "replicas": replicas[str(pk)]}
            for pk, name in names
        ],
    }


def _avoids(row: Workload) -> list[dict[str, Any]]:
    """Return where the next attempt of queued work had better not go."""
    found = load_avoided_by(row.pk) if _is_queued(row) and row.epoch else ()
    return [
        {
            "node": {"id": item.node, "name": item.node_name},
            "card": item.uuid or None,
            "cause": item.cause,
            "times": item.failures,
            "until": item.until,
        }
        for item in found
    ]


def _titled(row: Any) -> dict[str, str]:
    return {
        "id": str(row.pk),
        "name": row.name,
        "title_en": row.title_en,
        "title_zh": row.title_zh,
    }


def _ends_at(row: Workload) -> datetime | None:
    if row.state != WorkloadState.RUNNING or row.started_at is None:
        return None
    return row.started_at + timedelta(seconds=row.time_limit_s)


def _is_ready(row: Workload, live: Sequence[Allocation]) -> bool:
    """Tell whether an environment can be opened now."""
    is_up = row.kind == Workload.Kind.ENVIRONMENT and row.state == WorkloadState.RUNNING
    return is_up and any(item.epoch == row.epoch and item.port is not None for item in live)


def _is_queued(row: Workload) -> bool:
    return row.state == WorkloadState.QUEUED


def _reasons(
    found: Sequence[Mapping[str, Any]], *, is_scheduler_down: bool
) -> list[Mapping[str, Any]]:
    down = [Reason(ReasonCode.SCHEDULER_DOWN).as_json()] if is_scheduler_down else []
    return [*down, *found]


def _is_scheduler_down() -> bool:
    last = SchedulerPass.objects.values_list("at", flat=True).first()
    return last is None or last < now() - SCHEDULER_SILENT


def _allocation(row: Allocation, workload: Workload) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "epoch": row.epoch,
        "node": {"id": str(row.node_id), "name": row.node.name},
        "state": row.state,
        "phase": row.phase,
        "detail": row.detail,
        "progress_pct": row.progress_pct,
        "isolation": row.isolation,
        "started_at": row.started_at,
        "finished_at": row.finished_at,
        "exit_code": row.exit_code,
        "exit_cause": row.exit_cause,
        "devices": [
            {
                "uuid": device.accelerator.uuid,
                "index": device.accelerator.index,
                "model": device.accelerator.model,
                "slot": device.slot,
                "slices": device.slices,
                "gpu_milli": device.gpu_milli,
                "memory_mib": device.memory_mib,
                "ceiling_mib": memory_ceiling_mib(device, device.accelerator, workload),
            }
            for device in _devices(row)
        ],
    }


def _devices(row: Allocation) -> list[AllocationDevice]:
    """Return what an allocation has, or had at its end; not what it gave up while it lived on."""
    return [
        device
        for device in row.devices.all()
        if device.released_at is None or row.state not in LIVE_ALLOCATION
    ]


def _short_disks(live: Sequence[Allocation]) -> list[dict[str, Any]]:
    """Return the nodes of the present attempt that are running out of room, each once."""
    nodes = {item.node_id: item.node for item in live}
    found = [(node, disk_pressure.find_disk_shortage(node.faults)) for node in nodes.values()]
    return [
        {"node": {"id": str(node.pk), "name": node.name}, **short} for node, short in found if short
    ]


def _user_names(ids: set[str]) -> Sequence[tuple[Any, str]]:
    return list(User.objects.filter(pk__in=ids).values_list("pk", "username")) if ids else []
