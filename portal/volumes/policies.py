"""Who may read and write a volume; pure.

A home is its owner's alone: no role, not even of the platform, reads or writes the files of others.
A group volume is read by the members of its group and of all groups below, and written by those whose
role suffices.
"""

from collections.abc import Collection, Mapping
from enum import IntEnum
from typing import Final
from uuid import UUID

from portal.tenancy.policies import strongest_role
from portal.volumes.models import Volume

_WRITING_ROLES: Final[Mapping[str, frozenset[str]]] = {
    Volume.Writers.DEVELOPER: frozenset({"developer", "group_admin"}),
    Volume.Writers.GROUP_ADMIN: frozenset({"group_admin"}),
    Volume.Writers.NOBODY: frozenset(),
}


class VolumeAccess(IntEnum):
    """What somebody may do with the files of a volume; each includes the ones before it."""

    NONE = 0
    READ = 1
    WRITE = 2


def access_of_person(
    volume: Volume,
    user_id: UUID | None,
    roles: Mapping[UUID, str],
    paths: Mapping[UUID, Collection[UUID]],
) -> VolumeAccess:
    """Return what a person, or a robot, may do with the files.

    `roles` are those of `Actor`: a role holds in all groups below, too, and is listed for each.
    `paths` lists, for each of these groups, its own id and those of all groups above it.
    """
    if volume.kind == Volume.Kind.HOME:
        return _access_to_home(volume, user_id)
    below = [role for group, role in roles.items() if volume.group_id in paths.get(group, ())]
    return _access_to_group_volume(volume, roles.get(_group_of(volume), ""), below)


def access_of_work(
    volume: Volume,
    user_id: UUID,
    roles: Mapping[UUID, str],
    path: Collection[UUID],
) -> VolumeAccess:
    """Return what work of a user in one group may do with the files.

    `path` lists the group's own id and those of all groups above it: work of one group never reaches
    the volumes of another, even where its owner is a member of both.
    """
    if volume.kind == Volume.Kind.HOME:
        return _access_to_home(volume, user_id)
    if volume.group_id not in path:
        return VolumeAccess.NONE
    below = [roles.get(group, "") for group in path]
    return _access_to_group_volume(volume, roles.get(_group_of(volume), ""), below)


def _group_of(volume: Volume) -> UUID:
    if volume.group_id is None:
        raise ValueError("a home belongs to no group")
    return volume.group_id


def _access_to_home(volume: Volume, user_id: UUID | None) -> VolumeAccess:
    is_owner = user_id is not None and volume.owner_id == user_id
    return VolumeAccess.WRITE if is_owner else VolumeAccess.NONE


def _access_to_group_volume(volume: Volume, own: str, below: Collection[str]) -> VolumeAccess:
    """Return the access by the role in the volume's group, and by those in groups below it."""
    strongest = strongest_role("", own, *below)
    if not strongest:
        return VolumeAccess.NONE
    counted = strongest if volume.is_writable_below else own
    return VolumeAccess.WRITE if counted in _WRITING_ROLES[volume.writers] else VolumeAccess.READ
