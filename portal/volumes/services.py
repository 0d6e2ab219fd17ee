"""Writes of volumes; every change that somebody asks for is in the audit log."""

from collections.abc import Collection, Mapping
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import (
    ConflictError,
    DeniedError,
    ExhaustedError,
    InvalidError,
    NotFoundError,
)
from portal.common.site_config import SiteConfig
from portal.tenancy import policies
from portal.tenancy.models import Group
from portal.volumes.models import HOME_NAME, Volume
from portal.volumes.selectors import home_of, volume_for_manager

VOLUMES_PER_GROUP_MAX: Final = 50
"""Active volumes of one group."""


def ensure_home(*, actor: Actor, site: SiteConfig) -> Volume:
    """Return the actor's home, made if this is its first use."""
    if actor.user_id is None:
        raise DeniedError("denied", action=Action.VOLUME_VIEW)
    make_homes({actor.user_id}, home_mib=site.home_mib)
    home = home_of(actor)
    if home is None:
        raise NotFoundError("volume")
    return home


def make_homes(user_ids: Collection[UUID], *, home_mib: int) -> None:
    """Make the homes of those users who have none; two callers at once make one."""
    Volume.objects.bulk_create(
        [
            Volume(kind=Volume.Kind.HOME, owner_id=user_id, name=HOME_NAME, quota_mib=home_mib)
            for user_id in sorted(user_ids)
        ],
        ignore_conflicts=True,
    )


@transaction.atomic
def create_volume(
    *, actor: Actor, group_id: UUID, columns: Mapping[str, Any], site: SiteConfig
) -> Volume:
    """Make a volume of a group.

    Raises:
        ConflictError: the group has one of this name.
        ExhaustedError: the group has as many as are allowed.
        InvalidError: the quota is more than the actor may give.
    """
    policies.require(actor, Action.VOLUME_MANAGE, group_id)
    group = Group.objects.select_for_update(no_key=True).filter(pk=group_id).first()
    if group is None:
        raise NotFoundError("group")
    _require_quota(actor, columns, site)
    _require_place(group_id)
    volume = Volume(kind=Volume.Kind.GROUP, group=group, **columns)
    try:
        with transaction.atomic():
            volume.save(force_insert=True)
    except IntegrityError as error:
        raise ConflictError("volume_name_taken", name=volume.name, pointer="/name") from error
    _audit(actor, "volume.create", volume)
    return volume


@transaction.atomic
def change_volume(
    *, actor: Actor, volume_id: UUID, columns: Mapping[str, Any], site: SiteConfig
) -> Volume:
    """Change quota, description or who writes; running work keeps its mounts until its next start."""
    volume = _locked(volume_for_manager(actor, volume_id))
    _require_quota(actor, columns, site)
    for name, value in columns.items():
        setattr(volume, name, value)
    volume.save(update_fields=list(columns))
    _audit(actor, "volume.change", volume)
    return volume


@transaction.atomic
def trash_volume(*, actor: Actor, volume_id: UUID) -> Volume:
    """Take a volume out of use; its files are kept for some days.

    That no work needs it has been checked by the caller.
    """
    volume = _locked(volume_for_manager(actor, volume_id))
    if volume.state != Volume.State.ACTIVE:
        raise ConflictError("volume_in_trash", name=volume.name)
    volume.state, volume.trashed_at = Volume.State.TRASHED, now()
    volume.save(update_fields=["state", "trashed_at"])
    _audit(actor, "volume.trash", volume)
    return volume


@transaction.atomic
def restore_volume(*, actor: Actor, volume_id: UUID) -> Volume:
    """Put a volume back into use, with its files.

    Raises:
        ConflictError: it is in use, or there is another one of its name by now.
    """
    volume = _locked(volume_for_manager(actor, volume_id))
    if volume.state != Volume.State.TRASHED:
        raise ConflictError("volume_not_in_trash", name=volume.name)
    if volume.group_id is not None:
        _require_place(volume.group_id)
    volume.state, volume.trashed_at = Volume.State.ACTIVE, None
    try:
        with transaction.atomic():
            volume.save(update_fields=["state", "trashed_at"])
    except IntegrityError as error:
        raise ConflictError("volume_name_taken", name=volume.name) from error
    _audit(actor, "volume.restore", volume)
    return volume


def place_on_shared_storage(volume: Volume) -> Volume:
    """Decide that a volume lies where the portal writes, unless work has decided otherwise meanwhile."""
    unused = Volume.objects.filter(pk=volume.pk, location=Volume.Location.UNUSED)
    unused.update(location=Volume.Location.SHARED)
    volume.refresh_from_db(fields=["location", "node"])
    return volume


def _locked(volume: Volume) -> Volume:
    found = Volume.objects.select_for_update(no_key=True).filter(pk=volume.pk).first()
    if found is None:
        raise NotFoundError("volume")
    return found


def _require_quota(actor: Actor, columns: Mapping[str, Any], site: SiteConfig) -> None:
    """Refuse a quota that only platform admins may give: none, or a very large one."""
    quota_mib = columns.get("quota_mib")
    if quota_mib is None or policies.can(actor, Action.VOLUME_MANAGE, None):
        return
    most = site.group_volume_mib_max
    if not 1 <= quota_mib <= most:
        raise InvalidError("volume_quota", pointer="/quota_mib", max=most)


def _require_place(group_id: UUID) -> None:
    active = Volume.objects.filter(group=group_id, state=Volume.State.ACTIVE)
    if active.count() >= VOLUMES_PER_GROUP_MAX:
        raise ExhaustedError("too_many_volumes", limit=VOLUMES_PER_GROUP_MAX)


def _audit(actor: Actor, action: str, volume: Volume) -> None:
    owner = volume.owner.username if volume.owner else volume.group.name if volume.group else ""
    audit.record_event(
        actor=actor,
        action=action,
        object_type="volume",
        object_id=volume.pk,
        group_id=volume.group_id,
        params={
            "name": volume.name,
            "owner": owner,
            "quota_mib": volume.quota_mib,
            "writers": volume.writers,
            "is_writable_below": volume.is_writable_below,
        },
    )
