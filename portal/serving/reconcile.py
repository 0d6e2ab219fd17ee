"""Brings the replicas of services to what is wanted of them, a step at a time.

It reads the rows, lets `portal.serving.rollout` decide, and writes what follows. It runs every second or two, and
at once after a change; a step that is lost is decided again from the rows.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from django.db import DatabaseError, transaction

from portal.common.actor import Actor
from portal.common.clock import now, to_millis
from portal.common.errors import DomainError
from portal.serving import replicas as as_work
from portal.serving import rollout
from portal.serving.load import open_requests_for_system, recent_load_for_system, still_open
from portal.serving.models import Replica, Revision, Service
from portal.serving.presets import SERVICE_PRESETS
from portal.serving.rollout import EndedReplica, Rollout, Stage, WantedReplicas
from portal.serving.scaling import scale_by_load
from portal.serving.services import log_step
from portal.serving.shares import claim_shares, priority_of_next
from portal.serving.yielding import cap_of
from portal.tenancy.actors import load_actor
from portal.workloads import services as workloads
from portal.workloads.state import lifecycle
from scheduler.core.model.states import TERMINAL, WorkloadState

SERVING_ACTOR: Final = Actor.system("services")
STEADY: Final = timedelta(seconds=rollout.STEADY_S)
"""For how long a replica must have been ready to prove its revision."""
REFUSED_FOR: Final = timedelta(seconds=20)
"""How long no replica is submitted after one was refused."""

logger = structlog.get_logger(__name__)


def reconcile_services() -> None:
    """Take the next step of every service; one that fails does not stop the others."""
    for key in _unsettled():
        try:
            reconcile_service(key)
        except (DomainError, DatabaseError):
            logger.exception("services.failed", service=str(key))


def reconcile_service(service_id: UUID) -> None:
    """Take the next step of one service, unless somebody else does so now."""
    _follow_load(service_id)
    _take_step(service_id)


@transaction.atomic
def _follow_load(service_id: UUID) -> None:
    """Decide how many replicas a service is to have, and before whose they go.

    It is a transaction of its own: priorities lock work, and a submission locks groups, which come before.
    """
    service = _lock(service_id)
    if service is None or service.state != Service.WantedState.RUNNING:
        return
    live = as_work.live_replicas([service.pk])
    seconds = recent_load_for_system(service.pk)
    revision = Revision.objects.get(service=service, number=service.revision)
    preset = SERVICE_PRESETS[revision.spec["preset"]]
    seen, cap = as_work.see(live, still_open(seconds)), cap_of(service, live)
    scale_by_load(service, preset, seen, seconds, cap)
    claim_shares(service, preset, live, seconds, SERVING_ACTOR)


@transaction.atomic
def _take_step(service_id: UUID) -> None:
    service = _lock(service_id)
    if service is None:
        return
    live = as_work.live_replicas([service.pk])
    revisions = {row.number: row for row in _revisions(service, live)}
    _note_proved(service, revisions, live)
    ended = as_work.ended_by_themselves(revisions.values())
    _give_up(service, revisions, ended)
    failed = [row.number for row in revisions.values() if row.failed_at is not None]
    seen = as_work.see(live, open_requests_for_system(service.pk))
    wanted = wanted_of(service, failed)
    starts_at: dict[int, int | None] = {
        number: None if number in failed else rollout.next_start_at(ended[number])
        for number in revisions
    }
    step = rollout.plan_rollout(wanted, seen, to_millis(now()), starts_at)
    _act(service, revisions, step, staying=len(live) - len(step.stop) - len(step.drain))


def _lock(service_id: UUID) -> Service | None:
    rows = Service.objects.select_for_update(no_key=True, of=("self",), skip_locked=True)
    return rows.filter(pk=service_id).select_related("owner").first()


def wanted_of(service: Service, failed: Collection[int]) -> WantedReplicas:
    """Return what is to serve; revisions that were given up do not."""
    canary = service.canary_revision if service.canary_revision not in failed else None
    return WantedReplicas(
        count=service.replicas_wanted if service.state == Service.WantedState.RUNNING else 0,
        revision=rollout.choose_revision(service.revision, service.stable_revision, failed),
        canary=canary,
        canary_pct=0 if canary is None else service.canary_pct,
        drain_ms=service.drain_s * 1000,
    )


def _unsettled() -> list[UUID]:
    """Return the services that exist, or of which a replica still does."""
    ended = [state.value for state in TERMINAL]
    left = Replica.objects.exclude(workload__state__in=ended).values("service")
    deleted = Service.WantedState.DELETED.value
    existing = Service.objects.exclude(state=deleted).values_list("pk", flat=True)
    leaving = Service.objects.filter(state=deleted, pk__in=left).values_list("pk", flat=True)
    return [*existing.order_by("pk"), *leaving.order_by("pk")]


def _revisions(service: Service, live: Iterable[Replica]) -> list[Revision]:
    """Return the revisions that matter now: those that are wanted, may be, or have replicas."""
    wanted = (service.revision, service.stable_revision, service.canary_revision)
    numbers = {number for number in wanted if number is not None}
    numbers |= {row.revision.number for row in live}
    return list(Revision.objects.filter(service=service, number__in=numbers))


def _note_proved(
    service: Service, revisions: Mapping[int, Revision], live: Iterable[Replica]
) -> None:
    """Keep which revisions have a replica that stays up."""
    since = now() - STEADY
    for row in live:
        work, number = row.workload, row.revision.number
        if as_work.stage_of(work) is not Stage.READY or work.started_at is None:
            continue
        if work.started_at > since:
            continue
        if revisions[number].proved_at is None:
            revisions[number].proved_at = now()
            revisions[number].save(update_fields=["proved_at"])
        if number == service.revision and service.stable_revision != number:
            service.stable_revision = number
            service.save(update_fields=["stable_revision"])


def _give_up(
    service: Service,
    revisions: Mapping[int, Revision],
    ended: Mapping[int, Sequence[EndedReplica]],
) -> None:
    """Give up revisions that do not start, and say why."""
    for number, row in revisions.items():
        if row.failed_at is not None:
            continue
        since = ended[number] if row.retried_at is None else _after(ended[number], row)
        if rollout.find_failure(since, is_proved=row.proved_at is not None) is None:
            continue
        last = as_work.last_end(row)
        row.failed_at = now()
        row.failure = {"cause": last.cause, "params": last.cause_params} if last else {}
        row.save(update_fields=["failed_at", "failure"])
        said = {"revision": number, "crashes": rollout.crashes_in_a_row(since)}
        log_step(service, "revision_given_up", service.replicas_wanted, said)
        if service.canary_revision == number:
            service.canary_revision, service.canary_pct = None, 0
            service.save(update_fields=["canary_revision", "canary_pct"])


def _after(ended: Sequence[EndedReplica], row: Revision) -> list[EndedReplica]:
    """Return the ends since a revision was tried again."""
    since = to_millis(row.retried_at) if row.retried_at else 0
    return [item for item in ended if item.ended_at >= since]


def _act(
    service: Service, revisions: Mapping[int, Revision], step: Rollout, *, staying: int
) -> None:
    moment = now()
    Replica.objects.filter(pk__in=step.drain).update(draining_since=moment)
    Replica.objects.filter(pk__in=step.revive).update(draining_since=None)
    for row in Replica.objects.filter(pk__in=step.stop).order_by("pk"):
        _stop(row)
    if service.refused_at is not None and service.refused_at > moment - REFUSED_FOR:
        return
    for number, count in step.start.items():
        _start(service, revisions[number], count, staying)
        staying += count


def _stop(row: Replica) -> None:
    lifecycle.request_stop(
        lifecycle.lock_workload(row.pk),
        outcome=WorkloadState.CANCELLED,
        cause=workloads.REQUESTED.code if row.is_dismissed else "service_needs_fewer",
        actor=SERVING_ACTOR,
    )


def _start(service: Service, revision: Revision, count: int, staying: int) -> None:
    """Queue replicas as the service's owner would; why one was refused is kept with the service.

    `staying` is how many there are already.
    """
    actor, taken = load_actor(service.owner), as_work.taken_ports()
    try:
        for place in range(staying, staying + count):
            with transaction.atomic():
                port = as_work.choose_port(revision.spec, taken)
                spec = {**revision.spec, "priority": priority_of_next(service, place)}
                planned = as_work.submission_of(service, spec, revision.number, port)
                work = workloads.submit_workload(actor=actor, submission=planned)
                Replica.objects.create(workload=work, service=service, revision=revision)
            taken.add(port)
    except DomainError as error:
        _note_refusal(
            service, error.code, {name: str(value) for name, value in error.params.items()}
        )
        return
    if service.refused_at is not None:
        _note_refusal(service, "", {})


def _note_refusal(service: Service, code: str, params: Mapping[str, str]) -> None:
    service.refusal_code, service.refusal_params = code, dict(params)
    service.refused_at = now() if code else None
    service.save(update_fields=["refusal_code", "refusal_params", "refused_at"])
