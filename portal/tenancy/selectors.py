"""Reads of groups, members, robots, tokens and the audit log, scoped by the actor."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet

from portal.audit.models import AuditEvent
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import DeniedError, NotFoundError
from portal.common.translations import Titled
from portal.identity.models import ApiToken, User, UserKind
from portal.tenancy.models import Group, Membership
from portal.tenancy.policies import can, can_see_everything, require, strongest_role

_AUDIT_COLUMNS: Final[Mapping[str, str]] = {
    "action": "action",
    "actor": "actor_name",
    "object_type": "object_type",
    "object": "object_id",
    "group": "group_id",
    "outcome": "outcome",
    "since": "at__gte",
    "until": "at__lt",
}


def user_for_system(user_id: UUID | None) -> User:
    """Return one user."""
    user = User.objects.filter(pk=user_id).first() if user_id else None
    if user is None:
        raise NotFoundError("user")
    return user


def groups_visible_to(actor: Actor) -> QuerySet[Group]:
    """Return the groups that the actor may see."""
    if can_see_everything(actor):
        return Group.objects.all()
    return Group.objects.filter(pk__in=list(actor.roles))


def group_visible_to(actor: Actor, group_id: UUID) -> Group:
    """Return one group; raises `NotFoundError` for one that the actor may not see."""
    group = groups_visible_to(actor).filter(pk=group_id).first()
    if group is None:
        raise NotFoundError("group")
    return group


def memberships_of(actor: Actor) -> QuerySet[Membership]:
    """Return the actor's own memberships with their groups."""
    own = Membership.objects.filter(user=actor.user_id)
    return own.select_related("group").order_by("group__name")


@dataclass(frozen=True, slots=True)
class Member:
    """A user who belongs to a group."""

    user: User
    role: str
    """The strongest, of this group and those above it."""
    is_own: bool
    """Whether there is a membership of this very group."""
    directory: str = ""
    """That gave the membership of this very group, and alone changes it."""


def members_visible_to(actor: Actor, group_id: UUID) -> list[Member]:
    """Return the members of a group by name, with those of the groups above it."""
    group = group_visible_to(actor, group_id)
    path = paths_for_system([group.pk]).get(group.pk, ())
    rows = Membership.objects.filter(group__in=path, user__is_active=True).select_related("user")
    found: dict[UUID, Member] = {}
    for row in rows:
        before = found.get(row.user_id, Member(row.user, "", is_own=False))
        role = strongest_role(row.role, before.role)
        is_own = row.group_id == group_id
        directory = row.directory if is_own else before.directory
        found[row.user_id] = Member(row.user, role, before.is_own or is_own, directory)
    return sorted(found.values(), key=lambda member: member.user.username)


def robots_visible_to(actor: Actor) -> QuerySet[User]:
    """Return the robots of the actor's groups."""
    robots = User.objects.filter(kind=UserKind.ROBOT)
    if not can_see_everything(actor):
        robots = robots.filter(memberships__group__in=list(actor.roles))
    return robots.prefetch_related("memberships__group")


def group_of_robot_for_system(robot_id: UUID) -> UUID | None:
    """Return the group that owns a robot; None when there is no such robot."""
    owning = Membership.objects.filter(user=robot_id, user__kind=UserKind.ROBOT)
    return owning.values_list("group", flat=True).first()


def robot_for_manager(actor: Actor, robot_id: UUID) -> tuple[User, UUID]:
    """Return a robot that the actor manages, and the group that owns it."""
    group_id = group_of_robot_for_system(robot_id)
    if group_id is None:
        raise NotFoundError("robot")
    require(actor, Action.ROBOT_MANAGE, group_id, what="robot")
    return User.objects.get(pk=robot_id), group_id


def tokens_visible_to(actor: Actor) -> QuerySet[ApiToken]:
    """Return the actor's own tokens, and those of robots that the actor manages."""
    managed = [group_id for group_id in actor.roles if can(actor, Action.ROBOT_MANAGE, group_id)]
    mine = Q(user=actor.user_id)
    of_robots = Q(user__kind=UserKind.ROBOT)
    if not can(actor, Action.ROBOT_MANAGE, None):
        of_robots &= Q(user__memberships__group__in=managed)
    return ApiToken.objects.filter(mine | of_robots).select_related("user")


def audit_events_visible_to(actor: Actor, filters: Mapping[str, Any]) -> QuerySet[AuditEvent]:
    """Return the events that the actor may see; `filters` are those of the API."""
    rows = AuditEvent.objects.filter(
        **{_AUDIT_COLUMNS[name]: value for name, value in filters.items()}
    )
    if can(actor, Action.AUDIT_VIEW, None):
        return rows
    administered = [group for group in actor.roles if can(actor, Action.AUDIT_VIEW, group)]
    if not administered:
        raise DeniedError("denied", action=Action.AUDIT_VIEW.value)
    return rows.filter(group_id__in=administered)


def paths_for_system(group_ids: Collection[UUID] | None = None) -> Mapping[UUID, tuple[UUID, ...]]:
    """Return, for each group, the ids from the root down to itself (one query)."""
    parents = dict(Group.objects.values_list("pk", "parent_id"))
    wanted = parents if group_ids is None else group_ids
    return {group_id: _path(group_id, parents) for group_id in wanted if group_id in parents}


def sums_below_for_system(amounts: Mapping[UUID, int]) -> Mapping[UUID, int]:
    """Return for each group what these amounts of it and of all groups below add up to (one query)."""
    sums: dict[UUID, int] = defaultdict(int)
    for group_id, path in paths_for_system().items():
        for above in path:
            sums[above] += amounts.get(group_id, 0)
    return sums


def names_above_for_system(group_ids: Collection[UUID]) -> frozenset[str]:
    """Return the names of groups and of all above them."""
    above = {each for path in paths_for_system(group_ids).values() for each in path}
    return frozenset(Group.objects.filter(pk__in=above).values_list("name", flat=True))


def titles_for_system(group_ids: Collection[UUID]) -> Mapping[UUID, Titled]:
    """Return the titles of these groups, as a parameter of sentences."""
    rows = Group.objects.filter(pk__in=group_ids).values_list("pk", "title_en", "title_zh")
    return {key: Titled(title_en=en, title_zh=zh) for key, en, zh in rows}


def admins_by_group_for_system(group_ids: Collection[UUID]) -> Mapping[UUID, list[UUID]]:
    """Return the active persons that administer each group by their own membership (one query)."""
    rows = Membership.objects.filter(
        group__in=group_ids, role=Membership.Role.ADMIN, user__is_active=True
    )
    admins: dict[UUID, list[UUID]] = defaultdict(list)
    for group, user in rows.order_by("user").values_list("group", "user"):
        admins[group].append(user)
    return admins


def platform_admins_for_system() -> list[UUID]:
    """Return the active administrators of the platform."""
    rows = User.objects.filter(platform_role=User.PlatformRole.ADMIN, is_active=True)
    return list(rows.order_by("id").values_list("pk", flat=True))


def staff_for_system() -> list[UUID]:
    """Return the active administrators and operators of the platform."""
    roles = (User.PlatformRole.ADMIN, User.PlatformRole.OPERATOR)
    rows = User.objects.filter(platform_role__in=roles, is_active=True)
    return list(rows.order_by("id").values_list("pk", flat=True))


def nearest_admins_for_system(group_ids: Collection[UUID]) -> Mapping[UUID, tuple[UUID, ...]]:
    """Return the administrators of each group: its own, else those of the nearest above (two queries)."""
    paths = paths_for_system(group_ids)
    admins = admins_by_group_for_system({group for path in paths.values() for group in path})
    return {
        group: next((tuple(admins[each]) for each in reversed(path) if each in admins), ())
        for group, path in paths.items()
    }


def _path(group_id: UUID, parents: Mapping[UUID, UUID | None]) -> tuple[UUID, ...]:
    path = [group_id]
    while (parent := parents[path[-1]]) is not None:
        path.append(parent)
    return tuple(reversed(path))
