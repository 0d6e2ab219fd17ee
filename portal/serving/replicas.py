"""Replicas as work: what is submitted for one, and what is seen of those that there are."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from secrets import choice
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Coalesce

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now, to_millis
from portal.common.errors import ExhaustedError
from portal.common.notifications import start_task
from portal.common.work_kinds import REPLICA
from portal.serving.load import OpenRequests
from portal.serving.models import Replica, Revision, Service
from portal.serving.presets import SERVICE_PRESETS, render_command
from portal.serving.rollout import EndedReplica, SeenReplica, Stage
from portal.tenancy import policies
from portal.workloads import services as workloads
from portal.workloads.models import Workload
from portal.workloads.selectors import workload_visible_to
from portal.workloads.submission.admission import Submission
from portal.workloads.submission.inputs import parse_submission
from scheduler.core.model.states import TERMINAL, WorkloadState

KIND: Final = REPLICA.kind
RECONCILE: Final = "serving.reconcile"
"""The task that takes the next step of all services."""
STOPPED: Final = "replica.stop"
PORTS: Final = range(32_000, 36_000)
"""Of replicas whose service names no port: each has one of its own, because containers without a network
share theirs."""
ENDS_READ: Final = 20
"""Ended replicas of a revision that are looked at."""
_STAGES: Final[Mapping[str, Stage]] = {
    WorkloadState.QUEUED: Stage.WAITING,
    WorkloadState.PLACING: Stage.STARTING,
    WorkloadState.STARTING: Stage.STARTING,
    WorkloadState.RUNNING: Stage.READY,
    WorkloadState.STOPPING: Stage.ENDING,
}
_LATE: Final = "not_ready"
"""How the node begins the detail of an end because the work did not answer in its time to start."""


def submission_of(service: Service, spec: Mapping[str, Any], number: int, port: int) -> Submission:
    """Return what is submitted for a replica of a revision on this port."""
    preset = SERVICE_PRESETS[spec["preset"]]
    asked = {
        **spec,
        "name": f"{service.name}-{number}",
        "group": str(service.group_id),
        "ports": [port],
        "preemptible": service.quality == Service.QualityClass.THROUGHPUT,
        "env": {"PORT": str(port), **spec.get("env", {})},
    }
    command = render_command(
        preset,
        spec.get("command", ()),
        model=spec.get("model", ""),
        arguments=spec.get("arguments", ()),
        port=port,
    )
    probe = {
        "path": spec["readiness_path"],
        "port": port,
        "deadline_s": spec["start_deadline_s"],
    }
    return parse_submission(KIND, asked, {"command": command, "probe": probe})


def choose_port(spec: Mapping[str, Any], taken: Collection[int]) -> int:
    """Return the port that the revision names, or one that no other replica has."""
    if spec.get("port"):
        return int(spec["port"])
    free = [port for port in PORTS if port not in taken]
    if not free:
        raise ExhaustedError("no_replica_port_free", limit=len(PORTS))
    return choice(free)


def taken_ports() -> set[int]:
    """Return the ports of all replicas that have not ended."""
    ended = [state.value for state in TERMINAL]
    specs = Workload.objects.filter(kind=KIND).exclude(state__in=ended)
    return {port for ports in specs.values_list("spec__ports", flat=True) for port in ports or ()}


def live_replicas(service_ids: Collection[UUID]) -> list[Replica]:
    """Return the replicas of these services that have not ended, oldest first, with their work."""
    ended = [state.value for state in TERMINAL]
    rows = Replica.objects.filter(service__in=service_ids).exclude(workload__state__in=ended)
    return list(rows.select_related("workload", "revision").order_by("workload"))


def stage_of(workload: Workload) -> Stage:
    """Return how far work is as a replica."""
    return _STAGES[workload.state]


def in_order(rows: Iterable[Replica]) -> list[Replica]:
    """Return the replicas that are to stay, in the order in which they are kept: who answers, then the oldest."""
    stages = (Stage.READY, Stage.STARTING, Stage.WAITING)
    staying = [
        row for row in rows if row.draining_since is None and stage_of(row.workload) in stages
    ]
    return sorted(staying, key=lambda row: (stages.index(stage_of(row.workload)), row.pk))


def see(rows: Iterable[Replica], opened: OpenRequests) -> list[SeenReplica]:
    """Return replicas that have not ended as the plan takes them."""
    return [
        SeenReplica(
            id=row.pk,
            revision=row.revision.number,
            stage=stage_of(row.workload),
            draining_since=None if row.draining_since is None else to_millis(row.draining_since),
            open_requests=opened.by_replica.get(row.pk, 0),
            reported_at=opened.counted_at,
            is_dismissed=row.is_dismissed,
        )
        for row in rows
    ]


def ended_by_themselves(revisions: Collection[Revision]) -> Mapping[int, list[EndedReplica]]:
    """Return, by number of the revision, its last replicas that nobody had asked to end, latest first."""
    found: dict[int, list[EndedReplica]] = defaultdict(list)
    own = [WorkloadState.FAILED.value, WorkloadState.SUCCEEDED.value]
    for revision in revisions:
        rows = Workload.objects.filter(replica__revision=revision, state__in=own)
        rows = rows.exclude(finished_at=None).order_by("-finished_at", "-pk")
        found[revision.number] = [_ended(row) for row in rows[:ENDS_READ]]
    return found


def last_end(revision: Revision) -> Workload | None:
    """Return the work of the last replica of a revision that ended by itself."""
    own = [WorkloadState.FAILED.value, WorkloadState.SUCCEEDED.value]
    rows = Workload.objects.filter(replica__revision=revision, state__in=own)
    return rows.exclude(finished_at=None).order_by("-finished_at", "-pk").first()


def _ended(row: Workload) -> EndedReplica:
    ended = row.finished_at or row.queued_at
    return EndedReplica(
        ended_at=to_millis(ended),
        ready_s=_ready_s(row.started_at, ended),
        was_late=str(row.cause_params.get("detail", "")).startswith(_LATE),
    )


def _ready_s(started_at: datetime | None, ended_at: datetime) -> int:
    return 0 if started_at is None else max(0, int((ended_at - started_at).total_seconds()))


@transaction.atomic
def stop_replica(*, actor: Actor, workload_id: UUID) -> Workload:
    """Let one replica finish what it answers, and end; asked again, or before it answers, it ends at once.

    Its service starts another one, if it still wants as many.

    Raises:
        ConflictError: it has ended already.
    """
    work = workload_visible_to(actor, workload_id, KIND)
    policies.require(
        actor, Action.WORKLOAD_STOP, work.group_id, owner_id=work.owner_id, what="workload"
    )
    if _dismiss(work):
        audit.record_event(
            actor=actor,
            action=STOPPED,
            object_type=KIND,
            object_id=work.pk,
            group_id=work.group_id,
            params={"name": work.name, "state": work.state},
        )
        start_task(RECONCILE)
        return work
    return workloads.end_workload(
        actor=actor,
        workload_id=workload_id,
        kind=KIND,
        outcome=WorkloadState.CANCELLED,
        action=STOPPED,
    )


def _dismiss(work: Workload) -> bool:
    """Return whether a replica drains from now on because of this call."""
    rows = Replica.objects.filter(pk=work.pk, is_dismissed=False)
    ready = rows.filter(workload__state=WorkloadState.RUNNING.value)
    since = Coalesce("draining_since", Value(now()))
    return ready.update(is_dismissed=True, draining_since=since) == 1
