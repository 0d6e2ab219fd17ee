"""Reads of services for an actor."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.serving.models import Replica, Revision, ScalingStep, Service, ServiceKey
from portal.tenancy import policies
from scheduler.core.model.states import TERMINAL


def services_visible_to(actor: Actor, filters: Mapping[str, Any]) -> "QuerySet[Service]":
    """Return the services that the actor may see, narrowed by group, owner, state and a part of the name."""
    rows = _existing()
    visible = policies.visible_group_ids(actor)
    if visible is not None:
        rows = rows.filter(group__in=visible)
    if "group" in filters:
        rows = rows.filter(group=filters["group"])
    if filters.get("mine"):
        rows = rows.filter(owner=actor.user_id)
    if "state" in filters:
        rows = rows.filter(state=filters["state"])
    if "search" in filters:
        rows = rows.filter(name__icontains=filters["search"])
    return rows


def service_visible_to(actor: Actor, service_id: UUID) -> Service:
    """Return one service.

    Raises:
        NotFoundError: there is none, or it is another tenant's.
    """
    row = _existing().filter(pk=service_id).first()
    if row is None:
        raise NotFoundError("service")
    policies.require(
        actor, Action.WORKLOAD_VIEW, row.group_id, owner_id=row.owner_id, what="service"
    )
    return row


def revisions_for_system(service: Service) -> "QuerySet[Revision]":
    """Return the revisions of a service that the actor may see."""
    return Revision.objects.filter(service=service).select_related("created_by")


def revision_for_system(service: Service, number: int) -> Revision:
    """Return one of them.

    Raises:
        NotFoundError: it has none of this number.
    """
    row = revisions_for_system(service).filter(number=number).first()
    if row is None:
        raise NotFoundError("revision")
    return row


def newest_revision_for_system(service: Service) -> Revision:
    """Return the revision of a service that was added last."""
    return revisions_for_system(service).latest("number")


def replicas_for_system(service: Service, *, has_ended: bool | None = None) -> "QuerySet[Replica]":
    """Return the replicas of a service: those that have ended, those that have not, or both."""
    rows = Replica.objects.filter(service=service, workload__removed_at=None)
    ended = Q(workload__state__in=[state.value for state in TERMINAL])
    if has_ended is not None:
        rows = rows.filter(ended if has_ended else ~ended)
    return rows.select_related("workload", "revision")


def keys_for_system(service: Service) -> "QuerySet[ServiceKey]":
    """Return the keys of a service that were not revoked."""
    return ServiceKey.objects.filter(service=service, revoked_at=None).select_related("created_by")


def steps_for_system(service: Service) -> "QuerySet[ScalingStep]":
    """Return the decisions about a service."""
    return ScalingStep.objects.filter(service=service)


def _existing() -> "QuerySet[Service]":
    rows = Service.objects.exclude(state=Service.WantedState.DELETED.value)
    return rows.select_related("group", "owner")
