"""Standing in fair share as an actor may see it: of groups that the actor sees, and their members."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.identity.models import User
from portal.tenancy import policies
from portal.tenancy.models import Group
from portal.workloads.snapshot.loader import load_snapshot
from scheduler.core.ordering.fair_share_state import FairShareState
from scheduler.core.ordering.standing import (
    GroupStanding,
    MemberStanding,
    rank_groups,
    rank_members,
)

MEMBERS_MAX = 200
"""Members of one group whose standing is shown."""


@dataclass(frozen=True, slots=True)
class ShownMember:
    """A member of a group, by name."""

    user: User
    standing: MemberStanding


@dataclass(frozen=True, slots=True)
class ShownGroup:
    """A group with its standing and, where the actor belongs to it, that of its members."""

    group: Group
    standing: GroupStanding
    members: tuple[ShownMember, ...]


def standings_visible_to(actor: Actor, group_id: UUID | None = None) -> list[ShownGroup]:
    """Return the standing of all groups whose quotas the actor sees, or of one of them.

    Of other groups only their number is shown: the position says how many of them go first.
    """
    rows = _visible_groups(actor, group_id)
    if not rows:
        return []
    state = FairShareState.from_snapshot(load_snapshot())
    groups, members = rank_groups(state), rank_members(state)
    by_group: dict[str, list[tuple[str, MemberStanding]]] = {}
    for (group, user), place in members.items():
        by_group.setdefault(group, []).append((user, place))
    keys = {str(row.pk) for row in rows}
    users = _load_users(user for key in keys for user, _ in by_group.get(key, ()))
    standing_of = {str(key): standing for key, standing in groups.items()}
    return [
        ShownGroup(row, own, _members(by_group.get(str(row.pk), []), users))
        for row in rows
        if (own := standing_of.get(str(row.pk))) is not None
    ]


def _visible_groups(actor: Actor, group_id: UUID | None) -> list[Group]:
    visible = policies.visible_group_ids(actor)
    rows = Group.objects.order_by("name")
    if visible is not None:
        shown = [key for key in visible if policies.has_role_for(actor, Action.QUOTA_VIEW, key)]
        rows = rows.filter(pk__in=shown)
    if group_id is not None:
        rows = rows.filter(pk=group_id)
    return list(rows)


def _members(
    found: list[tuple[str, MemberStanding]], users: dict[str, User]
) -> tuple[ShownMember, ...]:
    ordered = sorted(found, key=lambda item: (item[1].position, item[0]))[:MEMBERS_MAX]
    return tuple(ShownMember(users[user], standing) for user, standing in ordered if user in users)


def _load_users(keys: Iterable[str]) -> dict[str, User]:
    return {str(key): user for key, user in User.objects.in_bulk(list(set(keys))).items()}
