"""Reads that decide by whom and at which address running work can be opened."""

from collections.abc import Sequence
from uuid import UUID

from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.db.models import F, Q, QuerySet
from django.utils.crypto import constant_time_compare

from portal.apps.commands import ServedAt
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.site_config import get_site_config
from portal.common.work_kinds import WebEndpoint
from portal.endpoints.models import Grant
from portal.endpoints.values import (
    Backend,
    ContainerAddress,
    Endpoint,
    Policy,
    WorkAvailability,
    derive_app_token,
)
from portal.identity.models import User
from portal.tenancy import policies
from portal.workloads.models import Workload
from portal.workloads.selectors import workload_visible_to
from scheduler.core.model.states import TERMINAL, AllocationState, WorkloadState
from wire.words import Phase


def workload_openable_by(actor: Actor, workload_id: UUID, kind: str) -> Workload:
    """Return work of this kind to those who may open it; a colleague may by a share, not by this."""
    workload = workload_visible_to(actor, workload_id, kind)
    policies.require(
        actor, Action.WORKLOAD_OPEN, workload.group_id, owner_id=workload.owner_id, what="workload"
    )
    return workload


def live_digests_for_system(digests: Sequence[str], workload_id: UUID) -> set[str]:
    """Return which of these digests are of grants of this work that have neither expired nor been revoked."""
    live = _live_grants(workload_id).filter(digest__in=digests)
    return set(live.values_list("digest", flat=True))


def live_grant_for_system(digest: str, workload_id: UUID) -> Grant | None:
    """Return a grant that is still valid: neither expired nor revoked, its user and session active."""
    grants = _live_grants(workload_id).select_related("user", "workload")
    grant = grants.filter(digest=digest).first()
    if grant is None or not grant.session_key or _is_session_alive(grant.session_key, grant.user):
        return grant
    return None


def availability_for_system(workload: Workload) -> WorkAvailability:
    """Return why work that a grant would open has no address now."""
    state = WorkloadState(workload.state)
    if state is WorkloadState.SUSPENDED:
        return WorkAvailability.STOPPED
    if state is WorkloadState.STOPPING:
        return WorkAvailability.STOPPING
    return WorkAvailability.ENDED if state in TERMINAL else WorkAvailability.STARTING


def backend_for_system(workload: Workload, rank: int = 0) -> Backend | None:
    """Return the container of one rank of running work."""
    if workload.state != WorkloadState.RUNNING:
        return None
    running = workload.allocations.filter(
        epoch=workload.epoch, rank=rank, state=AllocationState.BOUND, phase=Phase.RUNNING.value
    )
    found = running.select_related("node").first()
    if found is None:
        return None
    return Backend(
        workload_id=workload.pk,
        rank=rank,
        container=ContainerAddress(found.node_id, found.wire_name, found.epoch),
        node=found.node.name,
        host=found.node.address,
        port=found.port if workload.terms.endpoint is WebEndpoint.SERVER else None,
    )


def endpoint_for_system(workload: Workload) -> Endpoint | None:
    """Return where running work is reached: at its first rank.

    A notebook has a web application and ports, a job only the ports that its owner requested, a web app
    one port.
    """
    backend, ports = backend_for_system(workload), frozenset(workload.spec.get("ports", ()))
    has_server = workload.terms.endpoint is WebEndpoint.SERVER
    if backend is None or (backend.port is None if has_server else not ports):
        return None
    token = derive_app_token(get_site_config().secret_key, workload.pk, workload.epoch)
    return Endpoint(
        kind=workload.kind,
        name=workload.name,
        backends=(backend,),
        ports=ports,
        policy=Policy(token if has_server else "", served_at_for_system(workload)),
    )


def served_at_for_system(workload: Workload) -> ServedAt:
    """Return at which address work is served: a web app, where the catalogue said when it was submitted."""
    return ServedAt(workload.spec.get("served_at", ServedAt.PATH))


def _live_grants(workload_id: UUID) -> QuerySet[Grant]:
    """Return grants that ended neither by themselves, nor with their token or a deactivation of their user."""
    moment = now()
    by_token = Q(token__revoked_at=None, token__expires_at__gt=moment)
    return Grant.objects.filter(
        Q(token=None) | by_token,
        workload=workload_id,
        revoked_at=None,
        expires_at__gt=moment,
        user__is_active=True,
    ).exclude(user__access_ended_at__gte=F("created_at"))


def _is_session_alive(session_key: str, user: User) -> bool:
    """Return whether a session is still one: neither over, nor of a password of before."""
    row = Session.objects.filter(session_key=session_key, expire_date__gt=now()).first()
    if row is None:
        return False
    valid = user.get_session_auth_hash()
    held = row.get_decoded().get(HASH_SESSION_KEY, valid)
    return constant_time_compare(held, valid)
