"""Reads of requests: one's own, and those that one may decide on."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from portal.approvals.models import ApprovalKind, ApprovalRequest
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.identity.models import User
from portal.tenancy import policies
from portal.tenancy.selectors import (
    admins_by_group_for_system,
    paths_for_system,
    platform_admins_for_system,
)

_PARTIES = ("requester", "group", "decided_by", "workload", "quota__pool")
PENDING = ApprovalRequest.State.PENDING


def requests_visible_to(actor: Actor, filters: Mapping[str, Any]) -> "QuerySet[ApprovalRequest]":
    """Return the requests that the actor made or may see; `filters` are those of the API.

    Group admins see all of their groups, also those that others decide on.
    """
    rows = ApprovalRequest.objects.select_related(*_PARTIES)
    side = filters.get("side", "")
    if side == "to_decide":
        rows = rows.filter(_decidable(actor), state=PENDING)
    elif side == "mine":
        rows = rows.filter(requester=actor.user_id)
    elif not policies.can_see_everything(actor):
        of_own_groups = Q(group__in=_administered(actor))
        rows = rows.filter(Q(requester=actor.user_id) | of_own_groups | _decidable(actor))
    for name in ("state", "kind", "group", "workload"):
        if name in filters:
            rows = rows.filter(**{name: filters[name]})
    return rows


def request_visible_to(actor: Actor, request_id: UUID) -> ApprovalRequest:
    """Return one request.

    Raises:
        NotFoundError: there is none that the actor may see.
    """
    row = requests_visible_to(actor, {}).filter(pk=request_id).first()
    if row is None:
        raise NotFoundError("approval")
    return row


def count_requests(actor: Actor) -> dict[str, int]:
    """Return how many requests wait for the actor's decision, and how many of its own wait."""
    return {
        side: requests_visible_to(actor, {"side": side, "state": PENDING}).count()
        for side in ("to_decide", "mine")
    }


def is_decider(actor: Actor, row: ApprovalRequest) -> bool:
    """Return whether the actor may decide; of one's own requests only the platform's admins may."""
    if policies.can(actor, Action.QUOTA_EDIT, None):
        return True
    deciding = _deciding_group(row)
    if row.requester_id == actor.user_id or deciding is None:
        return False
    return policies.can(actor, Action.REQUEST_DECIDE, deciding)


def deciders_for_system(rows: Collection[ApprovalRequest]) -> Mapping[UUID, Sequence[UUID]]:
    """Return by request who should be notified that it waits: the nearest group admins that may decide it.

    Where there is none but the requester, it is the platform's administrators. Three queries for all.
    """
    deciding = {row.pk: group for row in rows if (group := _deciding_group(row))}
    paths = paths_for_system(set(deciding.values()))
    admins = admins_by_group_for_system({group for path in paths.values() for group in path})
    platform = platform_admins_for_system()

    def nearest(row: ApprovalRequest) -> Sequence[UUID]:
        path = paths[deciding[row.pk]] if row.pk in deciding else ()
        at_each = (
            [key for key in admins.get(group, ()) if key != row.requester_id]
            for group in reversed(path)
        )
        return next(filter(None, at_each), platform)

    return {row.pk: nearest(row) for row in rows}


def people_to_decide_for_system(
    rows: Collection[ApprovalRequest],
) -> Mapping[UUID, Sequence[User]]:
    """Return by request that waits who is asked to decide it (four queries for all)."""
    deciders = deciders_for_system([row for row in rows if row.state == PENDING])
    people = User.objects.in_bulk({key for keys in deciders.values() for key in keys})
    return {row: [people[key] for key in keys] for row, keys in deciders.items()}


def _deciding_group(row: ApprovalRequest) -> UUID | None:
    """Return the group whose admins decide, with those of the groups above it; None is the platform."""
    if row.decider == ApprovalRequest.Decider.PLATFORM_ADMIN:
        return None
    return row.group.parent_id if row.kind == ApprovalKind.QUOTA else row.group_id


def _decidable(actor: Actor) -> Q:
    """Return which requests are the actor's to decide on, in the terms of a query."""
    if policies.can(actor, Action.QUOTA_EDIT, None):
        return Q()
    administered = _administered(actor)
    is_quota = Q(kind=ApprovalKind.QUOTA)
    decided_there = (is_quota & Q(group__parent__in=administered)) | (
        ~is_quota & Q(group__in=administered)
    )
    is_own = Q(requester=actor.user_id)
    platform = Q(decider=ApprovalRequest.Decider.PLATFORM_ADMIN)
    return decided_there & ~is_own & ~platform


def _administered(actor: Actor) -> list[UUID]:
    """Return the groups of which the actor decides requests."""
    return [key for key in actor.roles if policies.can(actor, Action.REQUEST_DECIDE, key)]
