"""The table of routes that the gateway of inference follows, from the rows of services."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from uuid import UUID

from portal.common.clock import now
from portal.endpoints.values import ContainerAddress
from portal.serving.models import Replica, Revision, Service, ServiceKey
from portal.serving.presets import SERVICE_PRESETS
from portal.serving.replicas import live_replicas, stage_of
from portal.serving.rollout import Stage
from portal.serving_usage.routes import (
    HoldRule,
    KeyRoute,
    Protocol,
    ReplicaRoute,
    RouteTable,
    ServiceRoute,
)
from portal.workloads.models import Allocation
from scheduler.core.model.states import TERMINAL, AllocationState
from wire.words import Phase


def route_table_for_system() -> RouteTable:
    """Return the services that there are, who answers for each, and who may call it.

    Those that are stopped take no requests, and say so to who has a key. Deleted ones are among them, first and
    without keys, as long as a replica is left: what is open there is still counted, and ends in peace.
    """
    moment = now()
    services = _services()
    replicas: dict[UUID, list[Replica]] = defaultdict(list)
    for row in live_replicas([service.pk for service in services]):
        replicas[row.service_id].append(row)
    containers = _containers(row.pk for rows in replicas.values() for row in rows)
    secrets = _keys_of(service.pk for service in services if not _is_deleted(service))
    specs = _specs_of(services)
    return RouteTable(
        tuple(
            _route(
                service,
                _replica_routes(replicas[service.pk], containers),
                secrets[service.pk],
                specs.get(service.pk, {}),
            )
            for service in services
        ),
        moment,
    )


def _services() -> list[Service]:
    """Return the services that exist, after those that were deleted and have a replica left."""
    ended = [state.value for state in TERMINAL]
    left = Replica.objects.exclude(workload__state__in=ended).values("service")
    rows = Service.objects.select_related("group").order_by("pk")
    deleted = Service.WantedState.DELETED.value
    return [*rows.filter(state=deleted, pk__in=left), *rows.exclude(state=deleted)]


def _is_deleted(service: Service) -> bool:
    return service.state == Service.WantedState.DELETED


def _route(
    service: Service,
    replicas: tuple[ReplicaRoute, ...],
    keys: Mapping[str, KeyRoute],
    spec: Mapping[str, object],
) -> ServiceRoute:
    preset = SERVICE_PRESETS.get(str(spec.get("preset", "")))
    return ServiceRoute(
        service_id=service.pk,
        group=service.group.name,
        name=service.name,
        protocol=Protocol.OPENAI if preset and preset.speaks_openai else Protocol.HTTP,
        replicas=replicas,
        weights=_weights(service, replicas),
        keys=keys,
        hold=HoldRule(service.hold_max, float(service.hold_deadline_s)),
        drain_s=float(service.drain_s),
        probe_path=str(spec.get("readiness_path", "/")),
        metrics_path=preset.metrics_path if preset else "",
        waiting_metric=preset.waiting_metric if preset else "",
        reason=_reason(service),
        is_stopped=service.state != Service.WantedState.RUNNING,
    )


def _weights(service: Service, replicas: Iterable[ReplicaRoute]) -> Mapping[int, int]:
    """Return the parts of the requests by revision; none while the canary has no replica that is ready."""
    canary = service.canary_revision
    if canary is None:
        return {}
    ready = {each.revision for each in replicas if each.is_ready and not each.is_draining}
    if canary not in ready or ready == {canary}:
        return {}
    others = ready - {canary}
    main = service.revision if service.revision in others else min(others)
    return {main: 100 - service.canary_pct, canary: service.canary_pct}


def _reason(service: Service) -> str:
    """Return why no replica is ready, where none is."""
    if service.refusal_code:
        return "replica_refused"
    return "at_zero" if service.replicas_wanted == 0 else "no_replica"


def _replica_routes(
    rows: Iterable[Replica], containers: Mapping[UUID, ContainerAddress]
) -> tuple[ReplicaRoute, ...]:
    return tuple(
        ReplicaRoute(
            workload_id=row.pk,
            revision=row.revision.number,
            container=containers[row.pk],
            port=row.workload.spec["ports"][0],
            is_ready=stage_of(row.workload) is Stage.READY,
            is_draining=row.draining_since is not None,
        )
        for row in rows
        if row.pk in containers
    )


def _containers(workloads: Iterable[UUID]) -> Mapping[UUID, ContainerAddress]:
    """Return where the first rank of each replica runs, in its present attempt."""
    rows = Allocation.objects.filter(
        workload__in=list(workloads),
        rank=0,
        state=AllocationState.BOUND,
        phase=Phase.RUNNING.value,
    ).select_related("workload")
    return {
        row.workload_id: ContainerAddress(row.node_id, row.wire_name, row.epoch)
        for row in rows
        if row.epoch == row.workload.epoch
    }


def _keys_of(services: Iterable[UUID]) -> Mapping[UUID, Mapping[str, KeyRoute]]:
    found: dict[UUID, dict[str, KeyRoute]] = defaultdict(dict)
    for row in ServiceKey.objects.filter(service__in=list(services), revoked_at=None):
        found[row.service_id][row.digest] = KeyRoute(
            row.pk, row.requests_per_min, row.tokens_per_min, row.expires_at
        )
    return found


def _specs_of(services: Iterable[Service]) -> Mapping[UUID, Mapping[str, object]]:
    """Return what the revision runs that each service is to serve with."""
    numbers = {service.pk: service.revision for service in services}
    rows = Revision.objects.filter(service__in=numbers)
    return {row.service_id: row.spec for row in rows if numbers[row.service_id] == row.number}
