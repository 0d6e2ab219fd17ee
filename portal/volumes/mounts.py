"""The volumes that work mounts: found by name for a submission, and checked again at every start."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from portal.tenancy.models import Membership
from portal.tenancy.policies import strongest_role
from portal.tenancy.selectors import paths_for_system
from portal.volumes.models import Volume
from portal.volumes.policies import VolumeAccess, access_of_work

_OF_GROUP_AND_ABOVE: Final = """
WITH RECURSIVE up AS (
    SELECT id, parent_id, 0 AS depth FROM tenancy_group WHERE id = %(group)s
    UNION ALL
    SELECT above.id, above.parent_id, up.depth + 1
    FROM tenancy_group above JOIN up ON above.id = up.parent_id
)
SELECT volume.* FROM volumes_volume volume JOIN up ON up.id = volume.group_id
WHERE volume.state = 'active' AND (volume.name = ANY(%(names)s) OR volume.id::text = ANY(%(names)s))
ORDER BY up.depth
"""


@dataclass(frozen=True, slots=True)
class VolumeWish:
    """The volumes that one workload names."""

    workload: UUID
    user: UUID
    group: UUID
    volumes: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class GrantedVolume:
    """A volume that a workload may mount now."""

    volume: Volume
    is_read_only: bool


def find_named_volumes(
    names: Collection[str], *, user_id: UUID, roles: Mapping[UUID, str], group_id: UUID
) -> Mapping[str, Volume]:
    """Return the volumes that work of a user in a group means by these names or ids (one query).

    Of equal names, that of the nearest group counts. What the user may not read is left out.
    """
    rows = Volume.objects.raw(_OF_GROUP_AND_ABOVE, {"group": group_id, "names": list(names)})
    found: dict[str, Volume] = {}
    for row in rows:
        path = (group_id, row.group_id) if row.group_id else (group_id,)
        if access_of_work(row, user_id, roles, path) is not VolumeAccess.NONE:
            found.setdefault(row.name, row)
            found[str(row.pk)] = row
    return {name: found[name] for name in names if name in found}


def homes_for_system(user_ids: Collection[UUID]) -> Mapping[UUID, Volume]:
    """Return the homes of those of these users who have one, by user."""
    homes = Volume.objects.filter(owner__in=user_ids, state=Volume.State.ACTIVE)
    return {home.owner_id: home for home in homes if home.owner_id} if user_ids else {}


def granted_volumes_for_system(
    wishes: Iterable[VolumeWish],
) -> Mapping[UUID, tuple[GrantedVolume, ...]]:
    """Return which of the volumes that work names it may mount now, and how, by workload.

    Rights are those of this moment: of its owner, in its group. Nothing is asked without wishes.
    """
    wanted = [wish for wish in wishes if wish.volumes]
    if not wanted:
        return {}
    ids = {key for wish in wanted for key in wish.volumes}
    rows = Volume.objects.filter(state=Volume.State.ACTIVE).in_bulk(ids)
    paths = paths_for_system({wish.group for wish in wanted})
    roles = _roles({wish.user for wish in wanted})
    found: dict[UUID, tuple[GrantedVolume, ...]] = {}
    for wish in wanted:
        path = paths.get(wish.group, ())
        own = _roles_along(path, roles.get(wish.user, {}))
        granted = [
            GrantedVolume(rows[key], is_read_only=access < VolumeAccess.WRITE)
            for key in wish.volumes
            if key in rows and (access := access_of_work(rows[key], wish.user, own, path))
        ]
        found[wish.workload] = tuple(granted)
    return found


def _roles(user_ids: Collection[UUID]) -> Mapping[UUID, Mapping[UUID, str]]:
    """Return the roles of users by group, as their memberships give them."""
    found: dict[UUID, dict[UUID, str]] = {}
    rows = Membership.objects.filter(user__in=user_ids, user__is_active=True)
    for user, group, role in rows.values_list("user", "group", "role"):
        found.setdefault(user, {})[group] = role
    return found


def _roles_along(path: Iterable[UUID], given: Mapping[UUID, str]) -> Mapping[UUID, str]:
    """Return the role in each group of a path from the root: a role also holds in all groups below."""
    found: dict[UUID, str] = {}
    role = ""
    for group in path:
        role = strongest_role(role, given.get(group, ""))
        found[group] = role
    return found
