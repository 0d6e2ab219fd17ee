"""Rows of services as the API shows them, in a fixed number of queries for any page."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from portal.common.actor import Actor
from portal.common.clock import from_millis
from portal.common.rest.projection import project, project_all
from portal.serving.api.shapes import (
    ReplicaShape,
    RevisionShape,
    ScalingStepShape,
    ServiceDetail,
    ServiceKeyShape,
    ServiceSummary,
)
from portal.serving.capacity import capacity_of, cold_starts_of
from portal.serving.forecasts import forecast_of, hours_before
from portal.serving.keys import IssuedKey
from portal.serving.load import OpenRequests, open_requests_for_system
from portal.serving.models import (
    Replica,
    Revision,
    ScalingStep,
    Service,
    ServiceForecast,
    ServiceKey,
)
from portal.serving.presets import SERVICE_PRESETS
from portal.serving.replicas import live_replicas, see, stage_of
from portal.serving.rollout import SeenReplica
from portal.serving.selectors import revision_for_system
from portal.serving.status import ReplicaCounts, status_of
from scheduler.core.model.states import TERMINAL
from scheduler.scaling.shares import share_from_record

_SPEC: Mapping[str, Any] = {
    "command": [],
    "arguments": [],
    "env": {},
    "datasets": [],
    "volumes": [],
    "secrets": [],
    "pool": "",
    "gpu_models": [],
    "gpu_features": [],
}
"""What the spec of a revision leaves out."""


def present_services(rows: Sequence[Service]) -> list[dict[str, Any]]:
    """Present the services of a page."""
    replicas = _live([row.pk for row in rows])
    failed = _failed(rows)
    return project_all(
        ServiceSummary,
        (_service(row, replicas[row.pk], has_failed=row.pk in failed) for row in rows),
    )


def present_service(row: Service, actor: Actor) -> dict[str, Any]:
    """Present one service in full."""
    current = revision_for_system(row, row.revision)
    found = _service(row, _live([row.pk])[row.pk], has_failed=current.failed_at is not None)
    names = ("zero_after_s", "hold_max", "hold_deadline_s", "drain_s")
    more = {name: getattr(row, name) for name in names}
    more |= {"share": _share(row), "forecast": _forecast(forecast_of(row))}
    more["cold_start"] = cold_starts_of(row)
    more["capacity"] = capacity_of(row, SERVICE_PRESETS[current.spec["preset"]])
    return project(ServiceDetail, {**found, **more, "current": _revision(current, row, actor)})


def present_revisions(
    rows: Sequence[Revision], service: Service, actor: Actor
) -> list[dict[str, Any]]:
    """Present revisions of a service."""
    return project_all(RevisionShape, (_revision(row, service, actor) for row in rows))


def present_replicas(rows: Sequence[Replica], service: Service) -> list[dict[str, Any]]:
    """Present replicas of a service."""
    opened = open_requests_for_system(service.pk)
    return project_all(ReplicaShape, (_replica(row, opened) for row in rows))


def present_keys(rows: Sequence[ServiceKey]) -> list[dict[str, Any]]:
    """Present keys without their secrets."""
    return project_all(ServiceKeyShape, rows)


def present_issued(issued: IssuedKey) -> dict[str, Any]:
    """Present a new key with its secret."""
    return {**project(ServiceKeyShape, issued.row), "secret": issued.secret}


def present_steps(rows: Sequence[ScalingStep]) -> list[dict[str, Any]]:
    """Present decisions about a service."""
    return project_all(ScalingStepShape, rows)


def _live(service_ids: Sequence[UUID]) -> Mapping[UUID, list[SeenReplica]]:
    found: dict[UUID, list[Replica]] = defaultdict(list)
    for row in live_replicas(service_ids):
        found[row.service_id].append(row)
    return {key: see(found[key], OpenRequests()) for key in service_ids}


def _failed(rows: Sequence[Service]) -> set[UUID]:
    """Return the services whose revision was given up."""
    numbers = {row.pk: row.revision for row in rows}
    revisions = Revision.objects.filter(service__in=numbers).exclude(failed_at=None)
    found = revisions.values_list("service", "number")
    return {key for key, number in found if numbers[key] == number}


def _service(row: Service, replicas: Sequence[SeenReplica], *, has_failed: bool) -> dict[str, Any]:
    counts = ReplicaCounts.of(replicas)
    canary = {"revision": row.canary_revision, "percent": row.canary_pct}
    plain = (
        *("id", "name", "group", "owner", "state", "quality", "target_ms", "is_first_token"),
        *("rate_milli", "revision", "stable_revision", "version", "created_at"),
    )
    return {
        **{name: getattr(row, name) for name in plain},
        "path": f"/{row.group.name}/{row.name}",
        "status": status_of(
            replicas,
            wanted=row.replicas_wanted,
            revisions=(row.revision, row.canary_revision),
            is_running=row.state == Service.WantedState.RUNNING,
            has_failed=has_failed,
        ),
        "replicas": {
            "min": row.replicas_min,
            "max": row.replicas_max,
            "wanted": row.replicas_wanted,
            **{name: getattr(counts, name) for name in ReplicaCounts.__slots__},
        },
        "canary": None if row.canary_revision is None else canary,
        "refusal": _cause(row.refusal_code, row.refusal_params),
    }


def _forecast(row: ServiceForecast | None) -> dict[str, Any] | None:
    if row is None:
        return None
    hours = zip(row.low, row.middle, row.high, strict=True)
    return {
        **{name: getattr(row, name) for name in ("made_at", "model", "is_trusted", "accuracy")},
        "past": [{"at": at, "requests": count} for at, count in hours_before(row)],
        "hours": [
            {
                "at": row.first_hour + timedelta(hours=number),
                "low": low,
                "middle": middle,
                "high": high,
            }
            for number, (low, middle, high) in enumerate(hours)
        ],
    }


def _share(row: Service) -> dict[str, Any]:
    state = share_from_record(row.share_state)
    claims, easy = state.claims_since_ms, state.easy_since_ms
    return {
        "claims_since": None if claims is None else from_millis(claims),
        "easy_since": None if easy is None else from_millis(easy),
        "given": state.given,
    }


def _revision(row: Revision, service: Service, actor: Actor) -> dict[str, Any]:
    spec = {**_SPEC, **row.spec}
    if actor.user_id != service.owner_id:
        spec["env"] = dict.fromkeys(sorted(spec["env"]), "")
    names = ("number", "created_at", "created_by", "proved_at", "failed_at")
    failure = row.failure
    return {
        **{name: getattr(row, name) for name in names},
        "spec": spec,
        "failure": _cause(failure.get("cause", ""), failure.get("params", {})),
    }


def _replica(row: Replica, opened: OpenRequests) -> dict[str, Any]:
    work = row.workload
    has_ended = work.state in TERMINAL
    return {
        "id": row.pk,
        "name": work.name,
        "revision": row.revision.number,
        "stage": None if has_ended else stage_of(work),
        "state": work.state,
        "cause": _cause(work.cause, work.cause_params),
        "open_requests": 0 if has_ended else opened.by_replica.get(row.pk, 0),
        "draining_since": row.draining_since,
        "created_at": row.created_at,
        "started_at": work.started_at,
        "finished_at": work.finished_at,
    }


def _cause(code: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
    return {"code": code, "params": params} if code else None
