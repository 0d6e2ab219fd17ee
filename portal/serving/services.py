"""Creating, changing, scaling, stopping and deleting services; each in one transaction.

Nothing here starts or stops a replica: `portal.serving.reconcile` does, from what is written here.
"""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, InvalidError, NotFoundError
from portal.common.notifications import start_task
from portal.serving.models import Revision, ScalingStep, Service
from portal.serving.replicas import PORTS, RECONCILE, submission_of
from portal.serving.selectors import revision_for_system, service_visible_to
from portal.tenancy import policies
from portal.tenancy.actors import load_actor
from portal.tenancy.models import Group
from portal.workloads.errors import ConcurrentChangeError
from portal.workloads.submission import admission, named_rows
from portal.workloads.submission.admission import Submission

TERMS: Final = (
    *("quality", "target_ms", "is_first_token", "rate_milli", "replicas_min", "replicas_max"),
    *("zero_after_s", "hold_max", "hold_deadline_s", "drain_s"),
)
"""What may change of a service without a new revision."""


def plan_replica(
    actor: Actor, group: str, terms: Mapping[str, Any], spec: Mapping[str, Any]
) -> Submission:
    """Return the submission of one replica of a new service.

    Raises:
        NotFoundError: the actor may not see the group.
    """
    found = _find_group(actor, group)
    service = Service(name=terms["name"], group=found, quality=terms["quality"])
    return submission_of(service, spec, 1, spec.get("port") or PORTS[0])


@transaction.atomic
def create_service(
    *, actor: Actor, group: str, terms: Mapping[str, Any], spec: Mapping[str, Any]
) -> Service:
    """Save a service with its first revision; its replicas follow.

    Args:
        actor: becomes its owner.
        group: id or name.
        terms: its name and the fields of `TERMS`.
        spec: of its first revision.

    Raises:
        ConflictError: the group has a service of this name.
        DomainError: a replica of it would be refused, as any work.
    """
    admitted = admission.admit(actor, plan_replica(actor, group, terms, spec))
    service = Service(
        **terms,
        group=admitted.group,
        owner_id=admitted.user_id,
        replicas_wanted=max(1, terms["replicas_min"]),
    )
    try:
        with transaction.atomic():
            service.save(force_insert=True)
    except IntegrityError as error:
        raise ConflictError("service_name_taken", name=service.name, pointer="/name") from error
    Revision.objects.create(
        service=service, number=1, spec=dict(spec), created_by_id=admitted.user_id
    )
    _finish(actor, service, "service.create")
    return service


@transaction.atomic
def change_service(
    *,
    actor: Actor,
    service_id: UUID,
    terms: Mapping[str, Any],
    spec: Mapping[str, Any],
    canary_pct: int | None = None,
    version: int | None = None,
) -> Service:
    """Change what a service promises, and what its replicas run: that is a new revision, rolled out.

    Args:
        actor: its owner, or somebody who may stop work of its group.
        service_id: which service.
        terms: the fields of `TERMS`, whole.
        spec: of what replicas run, whole; if it is that of the newest revision, none is added.
        canary_pct: the new revision gets this part of the requests only, beside the present one.
        version: the one that the caller saw.

    Raises:
        ConflictError: it was changed meanwhile.
        DomainError: a replica of it would be refused, as any work.
    """
    service = _lock(actor, service_id)
    if version is not None and version != service.version:
        raise ConcurrentChangeError("changed_meanwhile")
    for name in TERMS:
        setattr(service, name, terms[name])
    _set_size(service, service.replicas_wanted)
    newest = service.revisions.order_by("-number").first()
    if newest is None or newest.spec != spec:
        number = 1 if newest is None else newest.number + 1
        planned = submission_of(service, spec, number, spec.get("port") or PORTS[0])
        admission.admit(load_actor(service.owner), planned)
        Revision.objects.create(
            service=service,
            number=number,
            spec=dict(spec),
            created_by_id=actor.user_id or service.owner_id,
        )
        _route_to(service, number, canary_pct)
    _save(service)
    _finish(actor, service, "service.change")
    return service


@transaction.atomic
def scale_service(
    *,
    actor: Actor,
    service_id: UUID,
    least: int | None = None,
    most: int | None = None,
    wanted: int | None = None,
) -> Service:
    """Change between what the number of replicas may be, and what it is now; what is left out stays.

    Raises:
        InvalidError: the least is more than the most.
    """
    service = _lock(actor, service_id)
    before = service.replicas_wanted
    service.replicas_min = service.replicas_min if least is None else least
    service.replicas_max = service.replicas_max if most is None else most
    if service.replicas_min > service.replicas_max:
        raise InvalidError("replicas_reversed", pointer="/replicas_max")
    _set_size(service, before if wanted is None else wanted)
    _save(service)
    if service.replicas_wanted != before:
        log_step(service, "by_hand", before, {})
    _finish(actor, service, "service.scale", replicas=service.replicas_wanted)
    return service


@transaction.atomic
def stop_service(*, actor: Actor, service_id: UUID) -> Service:
    """Let every replica finish what it answers, and end; requests are refused from now on."""
    return _set_state(actor, service_id, Service.WantedState.STOPPED, "service.stop")


@transaction.atomic
def start_service(*, actor: Actor, service_id: UUID) -> Service:
    """Start a stopped service again, or try a revision once more that was given up."""
    service = _set_state(actor, service_id, Service.WantedState.RUNNING, "service.start")
    Revision.objects.filter(service=service, number=service.revision).exclude(
        failed_at=None
    ).update(failed_at=None, failure={}, retried_at=now())
    return service


@transaction.atomic
def delete_service(*, actor: Actor, service_id: UUID) -> None:
    """Delete a service; its replicas end, its keys open nothing, its name is free at once."""
    _set_state(actor, service_id, Service.WantedState.DELETED, "service.delete")


@transaction.atomic
def roll_back(*, actor: Actor, service_id: UUID, number: int | None = None) -> Service:
    """Serve with an earlier revision again: that of this number, or the last that had proved itself.

    Raises:
        NotFoundError: the service has no such revision.
        ConflictError: no revision has proved itself, or that one was given up.
    """
    service = _lock(actor, service_id)
    chosen = _last_proved(service) if number is None else number
    _require_usable(service, chosen)
    _route_to(service, chosen, None)
    _save(service)
    _finish(actor, service, "service.roll_back", revision=chosen)
    return service


@transaction.atomic
def set_canary(*, actor: Actor, service_id: UUID, number: int, percent: int) -> Service:
    """Give a revision a part of the requests, in percent from 1 to 99, beside the one that serves."""
    service = _lock(actor, service_id)
    if number == service.revision:
        raise ConflictError("canary_serves_already")
    _require_usable(service, number)
    _route_to(service, number, percent)
    _save(service)
    _finish(actor, service, "service.canary", revision=number, percent=percent)
    return service


@transaction.atomic
def end_canary(*, actor: Actor, service_id: UUID, is_taken: bool) -> Service:
    """Serve with the canary alone, if it is taken, else without it."""
    service = _lock(actor, service_id)
    if service.canary_revision is None:
        raise ConflictError("no_canary")
    _route_to(service, service.canary_revision if is_taken else service.revision, None)
    _save(service)
    _finish(actor, service, "service.canary_end", revision=service.revision)
    return service


def log_step(service: Service, code: str, before: int, params: Mapping[str, Any]) -> None:
    """Keep a decision about the size of a service, which it has already."""
    ScalingStep.objects.create(
        service=service,
        code=code,
        params=dict(params),
        before=before,
        after=service.replicas_wanted,
    )


def lock_for_change(actor: Actor, service_id: UUID) -> Service:
    """Return the locked row of a service that the actor may change."""
    return _lock(actor, service_id)


def _lock(actor: Actor, service_id: UUID) -> Service:
    seen = service_visible_to(actor, service_id)
    policies.require(actor, Action.WORKLOAD_SUBMIT, seen.group_id, what="service")
    policies.require(
        actor, Action.WORKLOAD_STOP, seen.group_id, owner_id=seen.owner_id, what="service"
    )
    rows = Service.objects.select_for_update(no_key=True, of=("self",))
    rows = rows.exclude(state=Service.WantedState.DELETED.value).select_related("group", "owner")
    service = rows.filter(pk=service_id).first()
    if service is None:
        raise NotFoundError("service")
    return service


def _find_group(actor: Actor, reference: str) -> Group:
    found = named_rows.find_named(Group, reference)
    if found is None or not policies.can_see_group(actor, found.pk):
        raise NotFoundError("group")
    return found


def _set_size(service: Service, wanted: int) -> None:
    service.replicas_wanted = min(max(wanted, service.replicas_min), service.replicas_max)


def _set_state(actor: Actor, service_id: UUID, state: Service.WantedState, action: str) -> Service:
    service = _lock(actor, service_id)
    service.state = state.value
    service.refusal_code, service.refusal_params, service.refused_at = "", {}, None
    _set_size(service, service.replicas_wanted or 1)
    _save(service)
    _finish(actor, service, action)
    return service


def _route_to(service: Service, number: int, canary_pct: int | None) -> None:
    if canary_pct is None:
        service.revision, service.canary_revision, service.canary_pct = number, None, 0
    else:
        service.canary_revision, service.canary_pct = number, canary_pct


def _last_proved(service: Service) -> int:
    """Return the newest other revision that had stayed up."""
    rows = Revision.objects.filter(service=service, failed_at=None).exclude(proved_at=None)
    found = rows.exclude(number=service.revision).order_by("-number").first()
    if found is None:
        raise ConflictError("nothing_to_roll_back_to")
    return found.number


def _require_usable(service: Service, number: int) -> None:
    if revision_for_system(service, number).failed_at is not None:
        raise ConflictError("revision_given_up", number=number)


def _save(service: Service) -> None:
    service.version += 1
    service.save()


def _finish(actor: Actor, service: Service, action: str, **params: int | str) -> None:
    """Write the act down, and start what follows from it."""
    audit.record_event(
        actor=actor,
        action=action,
        object_type="service",
        object_id=service.pk,
        group_id=service.group_id,
        params={"name": service.name, **params},
    )
    start_task(RECONCILE)
