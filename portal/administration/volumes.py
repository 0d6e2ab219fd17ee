"""Volumes: checked against what their groups may have together, and against the work that mounts them."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from portal.common.actor import Actor
from portal.common.errors import ExhaustedError, InvalidError
from portal.common.site_config import SiteConfig
from portal.common.uses.files import FileKind, file_reference
from portal.quotas.selectors import volume_limits_for_system
from portal.tenancy.models import Group
from portal.tenancy.selectors import paths_for_system, sums_below_for_system
from portal.volumes import services as volumes
from portal.volumes.models import Volume
from portal.volumes.selectors import quotas_by_group_for_system, volume_for_manager
from portal.workloads.uses import users_of_files_for_system


def reference_of(volume: Volume) -> str:
    """Return how work refers to a volume."""
    if volume.owner_id is not None:
        return file_reference(FileKind.HOME, volume.owner_id)
    return file_reference(FileKind.VOLUME, volume.pk)


@transaction.atomic
def create_volume(
    *, actor: Actor, group_id: UUID, columns: Mapping[str, Any], site: SiteConfig
) -> Volume:
    """Make a volume of a group.

    Raises:
        ConflictError: the group has one of this name.
        ExhaustedError: the group has as many as are allowed, or its volumes as much.
        InvalidError: the quota is more than the actor may give, or none where there must be one.
    """
    path = _lock_groups(group_id)
    volume = volumes.create_volume(actor=actor, group_id=group_id, columns=columns, site=site)
    _require_room(volume, path)
    return volume


@transaction.atomic
def change_volume(
    *, actor: Actor, volume_id: UUID, columns: Mapping[str, Any], site: SiteConfig
) -> Volume:
    """Change quota, description or who writes. A smaller quota is taken whatever the limits are.

    Raises:
        ExhaustedError: the volumes of the group have as much as is allowed.
        InvalidError: as for a new one.
    """
    path = _lock_groups(volume_for_manager(actor, volume_id).group_id)
    before = volume_for_manager(actor, volume_id).quota_mib
    volume = volumes.change_volume(actor=actor, volume_id=volume_id, columns=columns, site=site)
    if before > 0 and not 0 < volume.quota_mib <= before:
        _require_room(volume, path)
    return volume


@transaction.atomic
def trash_volume(*, actor: Actor, volume_id: UUID) -> Volume:
    """Put a volume into the trash, from which it is removed with its files after some days.

    Raises:
        ConflictError: notebooks or jobs that have not ended mount it.
    """
    volume = volume_for_manager(actor, volume_id)
    users_of_files_for_system([reference_of(volume)]).refuse("volume_in_use")
    return volumes.trash_volume(actor=actor, volume_id=volume_id)


@transaction.atomic
def restore_volume(*, actor: Actor, volume_id: UUID) -> Volume:
    """Put a volume back into use, with its files.

    Raises:
        ConflictError: it is in use, or there is another one of its name by now.
        ExhaustedError: the volumes of the group have as much as is allowed.
    """
    path = _lock_groups(volume_for_manager(actor, volume_id).group_id)
    volume = volumes.restore_volume(actor=actor, volume_id=volume_id)
    _require_room(volume, path)
    return volume


def _lock_groups(group_id: UUID | None) -> tuple[UUID, ...]:
    """Lock a group and all above it, and return them: what their volumes add up to then stays."""
    path = paths_for_system([group_id]).get(group_id, ()) if group_id is not None else ()
    if path:
        rows = Group.objects.select_for_update(no_key=True).order_by("id")
        list(rows.filter(pk__in=path).values_list("pk", flat=True))
    return path


def _require_room(volume: Volume, path: tuple[UUID, ...]) -> None:
    """Refuse a saved volume by which those of a group on the path have more than it may have."""
    limits = volume_limits_for_system(path) if path else []
    if not limits:
        return
    sums = sums_below_for_system(quotas_by_group_for_system())
    for limit in limits:
        name, most = limit.group.name, limit.volumes_mib_max or 0
        if volume.quota_mib == 0:
            raise InvalidError("volume_needs_quota", pointer="/quota_mib", name=name)
        if sums[limit.group_id] > most:
            given = sums[limit.group_id] - volume.quota_mib
            raise ExhaustedError("group_volumes_full", name=name, limit_mib=most, used_mib=given)
