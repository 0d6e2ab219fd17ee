"""Standing in fair share as an actor may see it: of groups that the actor sees, and their members."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.postgresql.arrays import format_array
from portal.common.postgresql.column_lists import fill_columns, select_list
from portal.identity.models import User
from portal.quotas.ties import quota_ties
from portal.tenancy import policies
from portal.tenancy.models import Group
from scheduler.core.model.entities import GroupId, UserId
from scheduler.core.ordering.standing import (
    GroupStanding,
    MemberStanding,
    rank_groups,
    rank_members,
)

MEMBERS_MAX = 200
"""Members whose standing is shown when one group is asked for."""
MEMBERS_FIRST = 5
"""Of each of all groups; with them is who asks."""


class ShownUser(NamedTuple):
    """Who a member is."""

    id: str
    username: str
    display_name: str


_USERS: Final = fill_columns(
    "SELECT {columns} FROM identity_user person WHERE id = ANY(%s::uuid[])",
    columns=select_list(User, ShownUser._fields, table="person"),
)


class ShownMember(NamedTuple):
    """A member of a group, by name."""

    user: ShownUser
    standing: MemberStanding


@dataclass(frozen=True, slots=True)
class ShownGroup:
    """A group with its standing and, where the actor belongs to it, that of its members."""

    group: Group
    standing: GroupStanding
    members: Sequence[ShownMember]


def standings_visible_to(actor: Actor, group_id: UUID | None = None) -> list[ShownGroup]:
    """Return the standing of all groups whose quotas the actor sees, or of one of them.

    Of other groups only their number is shown: the position says how many of them go first. Of the
    members of all groups those who go first are returned, and the actor.
    """
    rows = _visible_groups(actor, group_id)
    if not rows:
        return []
    state = quota_ties.get().load_fair_share()
    groups = rank_groups(state)
    shown = [(row, key) for row in rows if (key := GroupId(str(row.pk))) in groups]
    ranked = rank_members(state, {key for _, key in shown})
    most = MEMBERS_FIRST if group_id is None else MEMBERS_MAX
    own = UserId(str(actor.user_id))
    members = {key: _first_members(ranked.get(key, {}), most, own) for _, key in shown}
    users = _load_users({user for found in members.values() for user, _ in found})
    return [ShownGroup(row, groups[key], _members(members[key], users)) for row, key in shown]


def _visible_groups(actor: Actor, group_id: UUID | None) -> list[Group]:
    visible = policies.visible_group_ids(actor)
    rows = Group.objects.order_by("name")
    if visible is not None:
        shown = [key for key in visible if policies.has_role_for(actor, Action.QUOTA_VIEW, key)]
        rows = rows.filter(pk__in=shown)
    if group_id is not None:
        rows = rows.filter(pk=group_id)
    return list(rows)


def _first_members(
    found: Mapping[UserId, MemberStanding], most: int, own: UserId
) -> Sequence[tuple[UserId, MemberStanding]]:
    ranked = sorted(found.items(), key=lambda item: (item[1].position, item[0]))
    return [item for at, item in enumerate(ranked) if at < most or item[0] == own]


def _members(
    found: Iterable[tuple[UserId, MemberStanding]], users: Mapping[str, ShownUser]
) -> Sequence[ShownMember]:
    return [ShownMember(users[user], standing) for user, standing in found if user in users]


def _load_users(keys: Collection[UserId]) -> Mapping[str, ShownUser]:
    with connection.cursor() as cursor:
        cursor.execute(_USERS, [format_array(keys)])
        return {row[0]: ShownUser(*row) for row in cursor.fetchall()}
