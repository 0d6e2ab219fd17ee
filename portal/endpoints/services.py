"""Opening running work in a browser: by its owner, or by a colleague with whom it is shared.

That takes two steps, because the portal and user content have different origins: a ticket in a URL,
valid once and for a minute, is exchanged on the apps origin for a grant in a cookie.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from portal.apps.commands import ServedAt
from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, DeniedError, InvalidError, NotFoundError
from portal.common.origins import Origin
from portal.common.site_config import get_site_config
from portal.common.work_kinds import IdleRule, WebEndpoint
from portal.endpoints import access_shares
from portal.endpoints.models import AccessShare, Grant, Ticket
from portal.endpoints.selectors import (
    availability_for_system,
    endpoint_for_system,
    live_digests_for_system,
    live_grant_for_system,
    served_at_for_system,
    workload_openable_by,
)
from portal.endpoints.values import Access, ClosedWork, Endpoint, digest_secret
from portal.tenancy import policies
from portal.tenancy.actors import load_actor
from portal.workloads.idle import activity
from portal.workloads.models import Workload
from scheduler.core.model.states import PLACED, WorkloadState

GATEWAY: Final = Actor.system("gateway")
OPENS_EARLY: Final = frozenset({WorkloadState.QUEUED, *PLACED})
"""States in which a web app may be opened: the gateway shows how far it is until it answers."""
TICKET_LIFE: Final = timedelta(seconds=60)
"""How long the one-time code that opens running work is valid."""
GRANT_LIFE: Final = timedelta(hours=12)
"""How long running work stays open in a browser before the portal must authorise it again."""
GRANT_LIFE_WITHOUT_SESSION: Final = timedelta(hours=1)
"""For callers with a token, also if it is valid for longer."""
KEPT: Final = timedelta(days=1)
"""How long tickets and grants are kept after they have expired."""


@dataclass(frozen=True, slots=True)
class IssuedTicket:
    """An address that opens running work once."""

    url: str
    expires_at: datetime


@transaction.atomic
def issue_ticket(
    *,
    actor: Actor,
    workload_id: UUID,
    kind: str,
    port: int | None = None,
    language: str = "",
) -> IssuedTicket:
    """Issue an address that opens the web application or a port of running work, for its owner.

    The gateway's own pages speak `language` there; without one, the browser's. A web app has one port,
    and may be opened while it waits or starts: the gateway shows that until it answers. Of a job the first
    port is opened unless another is named.

    Raises:
        InvalidError: the port was not requested when the work was submitted.
        ConflictError: the work does not run, has nothing that can be opened, or has lost its host name.
    """
    return _issue_ticket(actor, workload_openable_by(actor, workload_id, kind), port, language)


@transaction.atomic
def issue_shared_ticket(
    *, actor: Actor, share_id: UUID, port: int | None = None, language: str = ""
) -> IssuedTicket:
    """Issue an address that opens what a colleague shares with the actor; see `issue_ticket`."""
    share = access_shares.share_with(actor, share_id)
    return _issue_ticket(actor, share.workload, port, language, share)


def _issue_ticket(
    actor: Actor,
    workload: Workload,
    port: int | None,
    language: str,
    share: AccessShare | None = None,
) -> IssuedTicket:
    if actor.user_id is None:
        raise DeniedError("denied", action=Action.WORKLOAD_OPEN)
    terms = workload.terms
    if terms.endpoint is WebEndpoint.PORT or (terms.endpoint is WebEndpoint.PORTS and port is None):
        port = workload.spec["ports"][0]
    if port is not None and port not in workload.spec.get("ports", ()):
        raise InvalidError("unknown_port", pointer="/port", port=port)
    require_host(served_at_for_system(workload), workload.name)
    if not _can_be_opened(workload):
        raise ConflictError("not_ready", state=workload.state)
    # Opening the page of a notebook must not bring back the GPUs that it has released.
    is_look = share is not None and not share.is_full and terms.idle_rule is IdleRule.POOL
    if terms.idle_rule is not IdleRule.NONE and not is_look:
        activity.record_use(workload.pk, "open", actor=actor)
    code = secrets.token_urlsafe(32)
    ticket = Ticket.objects.create(
        digest=digest_secret(code),
        workload=workload,
        user_id=actor.user_id,
        session_key=actor.session_key,
        token_id=actor.token_id,
        expires_at=now() + TICKET_LIFE,
    )
    audit.record_event(
        actor=actor,
        action=terms.open_act,
        object_type=workload.kind,
        object_id=workload.pk,
        group_id=workload.group_id,
        params={
            "name": workload.name,
            "port": port,
            **({"access": share.access} if share else {}),
        },
    )
    return IssuedTicket(_open_url(workload, code, port, language), ticket.expires_at)


def _open_url(workload: Workload, code: str, port: int | None, language: str) -> str:
    """Return where a ticket is exchanged: on the host of the work itself, if it has one."""
    site = get_site_config()
    origin: Origin | str = site.apps_url
    place = "" if port is None else f"&port={port}"
    if site.apps_hosts and _host_of(workload):
        origin, place = site.apps_hosts.origin_of(workload.pk), ""
    spoken = f"&lang={language}" if language else ""
    return f"{origin}/open?ticket={code}{place}{spoken}"


def _can_be_opened(workload: Workload) -> bool:
    if workload.terms.endpoint is WebEndpoint.PORT:
        return workload.state in OPENS_EARLY
    return endpoint_for_system(workload) is not None


@transaction.atomic
def redeem_ticket(code: str, host_of: UUID | None = None) -> tuple[str, UUID]:
    """Exchange a ticket for a new grant, once; return the secret of the grant and the workload's id.

    It is exchanged only where its work is served: on the host of the work itself, or on the apps origin.
    """
    live = Ticket.objects.filter(digest=digest_secret(code), used_at=None, expires_at__gt=now())
    ended = Q(user__access_ended_at__gte=F("created_at"))
    ticket = live.exclude(ended).select_for_update(of=("self",)).select_related("workload").first()
    if ticket is None or _host_of(ticket.workload) != host_of:
        raise NotFoundError("ticket")
    ticket.used_at = now()
    ticket.save(update_fields=["used_at"])
    secret = secrets.token_urlsafe(32)
    Grant.objects.create(
        digest=digest_secret(secret),
        workload_id=ticket.workload_id,
        user_id=ticket.user_id,
        session_key=ticket.session_key,
        token_id=ticket.token_id,
        expires_at=now() + (GRANT_LIFE if ticket.session_key else GRANT_LIFE_WITHOUT_SESSION),
    )
    return secret, ticket.workload_id


def require_host(served_at: str, app: str) -> None:
    """Refuse what is served on a host of its own where the platform has no such hosts."""
    if served_at == ServedAt.HOST and get_site_config().apps_hosts is None:
        raise ConflictError("no_apps_hosts", app=app)


def _host_of(workload: Workload) -> UUID | None:
    is_at_host = served_at_for_system(workload) is ServedAt.HOST
    return workload.pk if is_at_host else None


def recognise_grants(found: Sequence[str], workload_id: UUID) -> list[str]:
    """Return those of these secrets that are of live grants of this work, in their order."""
    secret_of = {digest_secret(secret): secret for secret in found}
    live = live_digests_for_system(list(secret_of), workload_id)
    return [secret for digest, secret in secret_of.items() if digest in live]


def authorise_grant(secret: str, workload_id: UUID) -> Endpoint | None:
    """Return the endpoint that a grant opens now, or None if it is not valid any more.

    Everything is read each time: the grant, its portal session, the user, the user's role in the
    group or the owner's share with the user, and where the work runs.
    """
    granted = load_granted(secret, workload_id)
    endpoint = endpoint_for_system(granted.workload) if granted else None
    if endpoint is None or granted is None or granted.share is None:
        return endpoint
    share = granted.share
    return replace(endpoint, access=Access(share.recipient_id, is_view_only=not share.is_full))


def describe_closed(secret: str, workload_id: UUID) -> ClosedWork | None:
    """Return why a grant opens nothing now; without a valid one, nothing may be said of the work."""
    granted = load_granted(secret, workload_id)
    if granted is None:
        return None
    return ClosedWork(
        granted.workload.kind,
        availability_for_system(granted.workload),
        granted.workload.name,
        is_own=granted.share is None,
    )


@dataclass(frozen=True, slots=True)
class Granted:
    """What the holder of a grant may open now."""

    workload: Workload
    holder: Actor
    share: AccessShare | None
    """By which; None is the owner."""


def load_granted(secret: str, workload_id: UUID) -> Granted | None:
    """Return the workload of a grant whose holder may open it now."""
    grant = live_grant_for_system(digest_secret(secret), workload_id)
    if grant is None:
        return None
    workload = grant.workload
    actor = load_actor(grant.user, session_key=grant.session_key)
    may_open = policies.can(
        actor, Action.WORKLOAD_OPEN, workload.group_id, owner_id=workload.owner_id
    )
    if may_open:
        return Granted(workload, actor, None)
    share = access_shares.share_in_force_for_system(workload, actor)
    return Granted(workload, actor, share) if share else None


def record_input(workload_id: UUID) -> None:
    """Record that a user is active in a notebook or a web app."""
    activity.record_use(workload_id, "input", actor=GATEWAY)


def forget_old_access() -> int:
    """Delete tickets and grants that expired at least a day ago; return how many."""
    past = now() - KEPT
    tickets, _ = Ticket.objects.filter(expires_at__lt=past).delete()
    grants, _ = Grant.objects.filter(expires_at__lt=past).delete()
    return tickets + grants
