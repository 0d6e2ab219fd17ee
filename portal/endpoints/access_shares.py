"""Sharing a notebook, a web app or the ports of a job with colleagues: until an end, view only or in full.

Only its owner authorises others, because a colleague who may do so could authorise themself. A share opens nothing by
itself: at every request it counts only while its end is ahead, its recipient belongs to the group, and
its owner may open the work. Terminal, SSH and every action on the work stay the owner's.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, ExhaustedError, InvalidError, NotFoundError
from portal.common.notifications import invalidate_topics
from portal.common.work_kinds import WebEndpoint
from portal.endpoints.models import AccessShare
from portal.endpoints.selectors import workload_openable_by
from portal.identity.models import User, UserKind
from portal.notices.inbox import notify_people
from portal.tenancy import policies
from portal.tenancy.actors import load_actor
from portal.workloads.models import Workload
from portal.workloads.selectors import workload_visible_to
from portal.workloads.state import lifecycle
from scheduler.core.model.states import TERMINAL

SHARES_MAX: Final = 20
"""Colleagues with whom a notebook or app is shared at a time."""
SHARE_HOURS_MAX: Final = 7 * 24
"""Hours after which a share ends at the latest."""
SHARE_HOURS: Final = 24
"""Hours after which a share ends, unless its owner says otherwise."""


@transaction.atomic
def share_access(
    *, actor: Actor, workload_id: UUID, kind: str, person: UUID, is_full: bool, hours: int
) -> AccessShare:
    """Let a colleague open this; a share that the colleague has already is replaced.

    Raises:
        InvalidError: the person is no other member of the group, or a viewer who would get more.
        ConflictError: the work has ended, or is a job without a port.
        ExhaustedError: it is shared with too many.
    """
    workload = workload_openable_by(actor, workload_id, kind)
    if lifecycle.lock_workload(workload.pk).state in TERMINAL:
        raise ConflictError("already_ended", state=workload.state)
    if workload.terms.endpoint is WebEndpoint.PORTS and not workload.spec.get("ports"):
        raise ConflictError("no_ports_to_share", job=workload.name)
    recipient = _find_recipient(workload, person, is_full=is_full)
    of_workload = AccessShare.objects.filter(workload=workload)
    of_workload.filter(Q(recipient=recipient) | Q(expires_at__lte=now())).delete()
    if of_workload.count() >= SHARES_MAX:
        raise ExhaustedError("too_many_access_shares", limit=SHARES_MAX)
    share = AccessShare.objects.create(
        workload=workload,
        recipient=recipient,
        is_full=is_full,
        expires_at=now() + timedelta(hours=hours),
    )
    _record(actor, "share.create", share, {"access": share.access, "hours": hours})
    notify_people(
        users=[recipient.pk],
        code=f"{workload.kind}_shared",
        params={
            "owner": workload.owner.display_name or workload.owner.username,
            "work": workload.name,
            "id": str(workload.pk),
        },
        path=f"/{workload.terms.page}/{workload.pk}",
    )
    return share


@transaction.atomic
def revoke_share(*, actor: Actor, workload_id: UUID, kind: str, share_id: UUID) -> None:
    """End a share, as its owner or a person who may stop the work; open connections end in seconds."""
    workload = workload_visible_to(actor, workload_id, kind)
    policies.require(
        actor, Action.WORKLOAD_STOP, workload.group_id, owner_id=workload.owner_id, what="workload"
    )
    rows = AccessShare.objects.filter(pk=share_id, workload=workload)
    share = rows.select_related("recipient").first()
    # Of two who revoke it at once, one has.
    if share is None or not rows.delete()[0]:
        raise NotFoundError("access_share")
    share.workload = workload
    _record(actor, "share.revoke", share, {"access": share.access})


@transaction.atomic
def leave_share(*, actor: Actor, share_id: UUID) -> None:
    """End a share as its recipient, who wants it no longer."""
    share = share_with(actor, share_id)
    if not AccessShare.objects.filter(pk=share.pk).delete()[0]:
        raise NotFoundError("access_share")
    _record(actor, "share.leave", share, {"access": share.access})


def shares_visible_to(actor: Actor, workload_id: UUID, kind: str) -> "QuerySet[AccessShare]":
    """Return who has access now: all for those who may revoke it, else the actor's own."""
    workload = workload_visible_to(actor, workload_id, kind)
    rows = AccessShare.objects.filter(_is_of_owner(), workload=workload)
    if not policies.has_role_for(
        actor, Action.WORKLOAD_STOP, workload.group_id, owner_id=workload.owner_id
    ):
        rows = rows.filter(recipient=actor.user_id)
    return rows.select_related("recipient").order_by("recipient__username")


def shares_with(actor: Actor) -> "QuerySet[AccessShare]":
    """Return what is shared with the actor now."""
    full = [group for group in actor.roles if policies.may_be_let_in(actor, group, is_full=True)]
    return (
        AccessShare.objects.filter(_is_of_owner(), recipient=actor.user_id)
        .filter(Q(is_full=False) | Q(workload__group__in=full), workload__group__in=actor.roles)
        .exclude(workload__state__in=[state.value for state in TERMINAL])
        .select_related("workload__owner")
    )


def _is_of_owner() -> Q:
    """Match shares whose end is ahead, and that the present owner of the work has given."""
    handed_over = F("workload__handed_over_at")
    given = Q(workload__handed_over_at=None) | Q(created_at__gt=handed_over)
    return given & Q(expires_at__gt=now())


def share_with(actor: Actor, share_id: UUID) -> AccessShare:
    """Return one share by which the actor may open work now."""
    rows = AccessShare.objects.filter(pk=share_id, recipient=actor.user_id)
    share = rows.select_related("workload__owner", "workload__app", "recipient").first()
    if share is None or not _is_in_force(share, actor):
        raise NotFoundError("access_share")
    return share


def share_in_force_for_system(workload: Workload, actor: Actor) -> AccessShare | None:
    """Return the share by which a person may open this work now."""
    rows = AccessShare.objects.filter(workload=workload, recipient=actor.user_id)
    share = rows.select_related("workload__owner").first()
    return share if share is not None and _is_in_force(share, actor) else None


def delete_lapsed_shares() -> int:
    """Delete shares that open nothing any more, so that nothing revives them; return how many."""
    ended = Q(expires_at__lte=now()) | Q(workload__state__in=[state.value for state in TERMINAL])
    deleted, _ = AccessShare.objects.filter(ended).delete()
    people = User.objects.filter(pk__in=AccessShare.objects.values("recipient"))
    for person in people.iterator():
        actor = load_actor(person)
        lapsed = [
            share.pk
            for share in AccessShare.objects.filter(recipient=person).select_related(
                "workload__owner"
            )
            if not (person.is_active and _is_in_force(share, actor))
        ]
        deleted += AccessShare.objects.filter(pk__in=lapsed).delete()[0]
    return deleted


def _is_in_force(share: AccessShare, actor: Actor) -> bool:
    """Return whether a share opens its work for its recipient, as far as people are concerned."""
    group, owner = share.workload.group_id, share.workload.owner
    handed_over_at = share.workload.handed_over_at
    if handed_over_at is not None and share.created_at <= handed_over_at:
        return False
    if share.expires_at <= now() or not policies.may_be_let_in(actor, group, is_full=share.is_full):
        return False
    return owner.is_active and policies.has_role_for(
        load_actor(owner), Action.WORKLOAD_OPEN, group, owner_id=owner.pk
    )


def _find_recipient(workload: Workload, person: UUID, *, is_full: bool) -> User:
    found = User.objects.filter(pk=person, kind=UserKind.PERSON, is_active=True).first()
    if found is None or found.pk == workload.owner_id:
        raise InvalidError("not_a_colleague", pointer="/person")
    actor = load_actor(found)
    if policies.may_be_let_in(actor, workload.group_id, is_full=is_full):
        return found
    if policies.may_be_let_in(actor, workload.group_id, is_full=False):
        raise InvalidError("viewers_view_only", pointer="/access")
    raise InvalidError("not_a_colleague", pointer="/person")


def _record(actor: Actor, action: str, share: AccessShare, params: Mapping[str, Any]) -> None:
    """Write to the audit log, and let the pages of both fetch again."""
    workload = share.workload
    invalidate_topics([f"workload:{workload.pk}", f"user:{share.recipient_id}"])
    audit.record_event(
        actor=actor,
        action=action,
        object_type=workload.kind,
        object_id=workload.pk,
        group_id=workload.group_id,
        params={"name": workload.name, "person": share.recipient.username, **params},
    )
