"""Reads of volumes: what exists, for the actor, and what the actor may do with the files."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet, Sum

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import DeniedError, NotFoundError
from portal.tenancy import policies as tenancy
from portal.tenancy.selectors import paths_for_system
from portal.volumes.models import Volume
from portal.volumes.policies import VolumeAccess, access_of_person


@dataclass(frozen=True, slots=True)
class VolumeRights:
    """What one actor may do with volumes; made once for a whole list of them."""

    actor: Actor
    paths: Mapping[UUID, Collection[UUID]]

    def access_to(self, volume: Volume) -> VolumeAccess:
        """Return what the actor may do with the files of an active volume, whatever its scopes."""
        return access_of_person(volume, self.actor.user_id, self.actor.roles, self.paths)

    def may_manage(self, volume: Volume) -> bool:
        """Return whether the actor may change its quota and rights, and put it into the trash."""
        return tenancy.can(self.actor, Action.VOLUME_MANAGE, volume.group_id)


def rights_of(actor: Actor) -> VolumeRights:
    """Return the rights of an actor (one query)."""
    return VolumeRights(actor, paths_for_system(actor.roles))


def volumes_visible_to(actor: Actor) -> "QuerySet[Volume]":
    """Return the actor's home and the volumes of its groups and those above, also trashed ones.

    Platform roles see that every volume exists, and how large it is; not its files.
    """
    rows = Volume.objects.select_related("owner", "group", "node")
    if tenancy.can_see_everything(actor):
        return rows
    above = {group for path in paths_for_system(actor.roles).values() for group in path}
    return rows.filter(Q(owner=actor.user_id) | Q(group__in=above))


def quotas_by_group_for_system() -> Mapping[UUID, int]:
    """Return what the quotas of the active volumes of each group add up to, in MiB (one query)."""
    rows = Volume.objects.filter(kind=Volume.Kind.GROUP, state=Volume.State.ACTIVE)
    return dict(rows.order_by().values_list("group").annotate(total=Sum("quota_mib")))


def volume_visible_to(actor: Actor, volume_id: UUID) -> Volume:
    """Return one volume; raises `NotFoundError` for one that the actor may not see."""
    volume = volumes_visible_to(actor).filter(pk=volume_id).first()
    if volume is None:
        raise NotFoundError("volume")
    return volume


def home_of(actor: Actor) -> Volume | None:
    """Return the actor's home; None before its first use."""
    active = Volume.objects.filter(kind=Volume.Kind.HOME, state=Volume.State.ACTIVE)
    return active.filter(owner=actor.user_id).first() if actor.user_id else None


def readable_volumes(actor: Actor) -> list[Volume]:
    """Return the active volumes whose files the actor may read, the home first."""
    rights = rights_of(actor)
    rows = volumes_visible_to(actor).filter(state=Volume.State.ACTIVE)
    found = [row for row in rows if rights.access_to(row) is not VolumeAccess.NONE]
    return sorted(found, key=lambda row: (row.group is not None, row.folder_name))


def find_volume(actor: Actor, folder_name: str) -> UUID:
    """Return the volume of a folder name; raises `NotFoundError` for one the actor may not see."""
    group, _, name = folder_name.partition(".")
    rows = volumes_visible_to(actor).filter(state=Volume.State.ACTIVE)
    owned = rows.filter(owner=actor.user_id) if actor.user_id else rows.none()
    wanted = rows.filter(group__name=group, name=name) if name else owned.filter(name=group)
    volume = wanted.first()
    if volume is None:
        raise NotFoundError("volume")
    return volume.pk


def volume_for_reader(actor: Actor, volume_id: UUID) -> Volume:
    """Return an active volume whose files the actor may list and read.

    Raises:
        NotFoundError: there is none, it is in the trash, or the actor may not see it.
        DeniedError: the actor sees that it exists, or its credential lacks the scope.
    """
    return _volume_for(actor, volume_id, Action.VOLUME_READ, VolumeAccess.READ)


def volume_for_writer(actor: Actor, volume_id: UUID) -> Volume:
    """Return an active volume whose files the actor may write and remove.

    Whether it is full (`Volume.is_full`) is for the caller to refuse: files of a full one may be removed.

    Raises:
        NotFoundError: there is none, it is in the trash, or the actor may not see it.
        DeniedError: the actor may only read, or its credential lacks the scope.
    """
    return _volume_for(actor, volume_id, Action.VOLUME_WRITE, VolumeAccess.WRITE)


def volume_for_manager(actor: Actor, volume_id: UUID) -> Volume:
    """Return a volume that the actor may change, also a trashed one.

    Raises:
        NotFoundError: the actor may not see it.
        DeniedError: the actor may not manage it.
    """
    volume = volume_visible_to(actor, volume_id)
    tenancy.require(actor, Action.VOLUME_MANAGE, volume.group_id, what="volume")
    return volume


def _volume_for(actor: Actor, volume_id: UUID, action: Action, least: VolumeAccess) -> Volume:
    volume = volume_visible_to(actor, volume_id)
    if volume.state != Volume.State.ACTIVE:
        raise NotFoundError("volume")
    if not actor.has_scope(action):
        raise DeniedError("scope_missing", group_id=volume.group_id, action=action.value)
    if rights_of(actor).access_to(volume) < least:
        raise DeniedError("denied", group_id=volume.group_id, action=action.value)
    return volume
