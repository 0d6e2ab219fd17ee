"""Reads of the group tree, scoped by who asks, and the actor that a user is right now."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, cast
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.identity.models import ApiToken, User
from portal.tenancy.models import Group, Membership
from portal.tenancy.policies import can, sees_everything

_ROLES_WITH_DESCENDANTS = """
WITH RECURSIVE held AS (
    SELECT group_id, role FROM tenancy_membership WHERE user_id = %s
    UNION
    SELECT child.id, held.role FROM tenancy_group child JOIN held ON child.parent_id = held.group_id
)
SELECT group_id, role FROM held
"""
_STRENGTH = {"viewer": 0, "developer": 1, "group_admin": 2}


def actor_for(
    user: User,
    *,
    token: ApiToken | None = None,
    session_key: str = "",
    request_id: str = "",
    address: str = "",
) -> Actor:
    """Return the user as an actor with the rights that hold at this moment (one query)."""
    return Actor(
        user_id=user.pk,
        kind=cast("Literal['person', 'robot']", user.kind),
        name=user.username,
        platform_role=user.platform_role,
        roles=roles_of(user.pk),
        scopes=None if token is None else frozenset(token.scopes),
        session_key=session_key,
        request_id=request_id,
        address=address,
    )


def roles_of(user_id: UUID) -> Mapping[UUID, str]:
    """Return the strongest role of a user in every group: a role holds in all groups below."""
    with connection.cursor() as cursor:
        cursor.execute(_ROLES_WITH_DESCENDANTS, [user_id])
        rows = cursor.fetchall()
    roles: dict[UUID, str] = {}
    for group_id, role in rows:
        if _STRENGTH[role] > _STRENGTH.get(roles.get(group_id, ""), -1):
            roles[group_id] = role
    return roles


def groups_visible_to(actor: Actor) -> QuerySet[Group]:
    """Return the groups that the actor may see."""
    if sees_everything(actor):
        return Group.objects.all()
    return Group.objects.filter(pk__in=list(actor.roles))


def group_visible_to(actor: Actor, group_id: UUID) -> Group:
    """Return one visible group; another's does not exist for the actor."""
    group = groups_visible_to(actor).filter(pk=group_id).first()
    if group is None:
        raise NotFoundError("group")
    return group


def memberships_of(user_id: UUID) -> QuerySet[Membership]:
    """Return the memberships of a user with their groups."""
    return Membership.objects.filter(user=user_id).select_related("group").order_by("group__name")


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who belongs to a group."""

    user: User
    role: str
    """The strongest, of this group and those above it."""
    is_own: bool
    """Whether there is a membership of this very group."""


def members_of(group_id: UUID) -> list[Member]:
    """Return who belongs to a group, by name: those of the groups above it too."""
    path = paths_for_system([group_id]).get(group_id, ())
    rows = Membership.objects.filter(group__in=path, user__is_active=True).select_related("user")
    found: dict[UUID, Member] = {}
    for row in rows:
        before = found.get(row.user_id, Member(row.user, "", is_own=False))
        role = max(row.role, before.role, key=lambda word: _STRENGTH.get(word, -1))
        found[row.user_id] = Member(row.user, role, before.is_own or row.group_id == group_id)
    return sorted(found.values(), key=lambda member: member.user.username)


def robots_visible_to(actor: Actor) -> QuerySet[User]:
    """Return the robots of the actor's groups."""
    robots = User.objects.filter(kind=User.Kind.ROBOT)
    if not sees_everything(actor):
        robots = robots.filter(memberships__group__in=list(actor.roles))
    return robots.prefetch_related("memberships__group")


def group_of_robot(robot_id: UUID) -> UUID | None:
    """Return the group that owns a robot; None when there is no such robot."""
    owning = Membership.objects.filter(user=robot_id, user__kind=User.Kind.ROBOT)
    return owning.values_list("group", flat=True).first()


def tokens_visible_to(actor: Actor) -> QuerySet[ApiToken]:
    """Return the actor's own tokens, and those of robots that the actor manages."""
    managed = [group_id for group_id in actor.roles if can(actor, Action.ROBOT_MANAGE, group_id)]
    mine = Q(user=actor.user_id)
    of_robots = Q(user__kind=User.Kind.ROBOT)
    if not can(actor, Action.ROBOT_MANAGE, None):
        of_robots &= Q(user__memberships__group__in=managed)
    return ApiToken.objects.filter(mine | of_robots).select_related("user")


def paths_for_system(group_ids: Collection[UUID] | None = None) -> Mapping[UUID, tuple[UUID, ...]]:
    """Return, for each group, the ids from the root down to itself (one query)."""
    parents = dict(Group.objects.values_list("pk", "parent_id"))
    wanted = parents if group_ids is None else group_ids
    return {group_id: _path(group_id, parents) for group_id in wanted if group_id in parents}


def _path(group_id: UUID, parents: Mapping[UUID, UUID | None]) -> tuple[UUID, ...]:
    path = [group_id]
    while (parent := parents[path[-1]]) is not None:
        path.append(parent)
    return tuple(reversed(path))
