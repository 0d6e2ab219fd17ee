"""Writes of volumes; every change that somebody asks for is in the audit log."""

import shutil
import time
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Case, F, Q, When

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
from portal.common.uses.work import work_uses
from portal.tenancy import policies
from portal.tenancy.models import Group
from portal.volumes.files import require_storage, volume_folder
from portal.volumes.models import HOME_NAME, Volume
from portal.volumes.places import VolumePlace
from portal.volumes.room import lock_groups, require_room
from portal.volumes.selectors import home_of, volume_for_manager
from portal.volumes.sizes import measure_mib

TRASH_KEPT: Final = timedelta(days=7)
"""How long a volume in the trash is kept."""
MEASURED_EVERY: Final = timedelta(minutes=10)
"""How old the known size of a volume may become that nothing is known to have changed."""
MARKED_EVERY: Final = timedelta(seconds=5)
"""How often a volume is marked as changed."""
FOLDER_S: Final = 20.0
"""Seconds that one volume is measured for; one with too many files to count has no known size."""
TURN_S: Final = 60.0
"""Seconds that one turn measures for; the next one continues."""
REMOVED_MAX: Final = 50
"""Volumes that one turn removes."""
VOLUMES_PER_GROUP_MAX: Final = 50
"""Active volumes of one group."""

logger = structlog.get_logger(__name__)


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


def lock_volumes(
    owner_ids: Collection[UUID], volume_ids: Collection[UUID], *, home_mib: int
) -> list[Volume]:
    """Lock the homes of these users and these volumes, with their nodes; missing homes are made.

    One query if all homes exist; none if nothing is asked for.
    """
    if not owner_ids and not volume_ids:
        return []
    active = Volume.objects.filter(state=Volume.State.ACTIVE)
    rows = active.filter(Q(owner__in=owner_ids) | Q(pk__in=volume_ids)).select_related("node")
    locked = rows.select_for_update(no_key=True, of=("self",)).order_by("id")
    found = list(locked)
    missing = set(owner_ids) - {row.owner_id for row in found}
    if missing:
        make_homes(missing, home_mib=home_mib)
        return list(locked.all())
    return found


def save_places(found: Collection[tuple[Volume, VolumePlace]]) -> None:
    """Save where volumes lie that were used for the first time; the caller has locked them."""
    for volume, place in found:
        volume.location = Volume.Location.NODE if place.is_local else Volume.Location.SHARED
        volume.node_id = place.node
    if found:
        Volume.objects.bulk_update([volume for volume, _ in found], ["location", "node"])


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
    policies.require(actor, Action.VOLUME_MANAGE, group_id)
    path = lock_groups(group_id)
    group = Group.objects.filter(pk=group_id).first()
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
    require_room(volume, path)
    _audit(actor, "volume.create", volume)
    return volume


@transaction.atomic
def change_volume(
    *, actor: Actor, volume_id: UUID, columns: Mapping[str, Any], site: SiteConfig
) -> Volume:
    """Change quota, description or who writes; running work keeps its mounts until its next start.

    A smaller quota is taken whatever the limits are.

    Raises:
        ExhaustedError: the volumes of the group have as much as is allowed.
        InvalidError: as for a new one.
    """
    path = lock_groups(volume_for_manager(actor, volume_id).group_id)
    volume = _locked(volume_for_manager(actor, volume_id))
    before = volume.quota_mib
    _require_quota(actor, columns, site)
    for name, value in columns.items():
        setattr(volume, name, value)
    volume.save(update_fields=list(columns))
    if before > 0 and not 0 < volume.quota_mib <= before:
        require_room(volume, path)
    _audit(actor, "volume.change", volume)
    return volume


@transaction.atomic
def trash_volume(*, actor: Actor, volume_id: UUID) -> Volume:
    """Put a volume into the trash, from which it is removed with its files after some days.

    Raises:
        ConflictError: it is there, or notebooks or jobs that have not ended mount it.
    """
    volume = volume_for_manager(actor, volume_id)
    users = work_uses.get().users_of_files_for_system([volume.reference])
    if users.count:
        raise ConflictError("volume_in_use", name=users.first, count=users.count)
    volume = _locked(volume)
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
        ExhaustedError: the volumes of the group have as much as is allowed.
    """
    path = lock_groups(volume_for_manager(actor, volume_id).group_id)
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
    require_room(volume, path)
    _audit(actor, "volume.restore", volume)
    return volume


def place_on_shared_storage(volume: Volume) -> Volume:
    """Decide that a volume lies where the portal writes, unless work has decided otherwise meanwhile."""
    unused = Volume.objects.filter(pk=volume.pk, location=Volume.Location.UNUSED)
    unused.update(location=Volume.Location.SHARED, used_mib=0, measured_at=now())
    volume.refresh_from_db(fields=["location", "node"])
    return volume


def mark_changed(volume_id: UUID) -> None:
    """Let a volume be measured soon: its files change now."""
    moment = now()
    marked = Q(changed_at__gt=moment - MARKED_EVERY)
    Volume.objects.filter(~marked | Q(changed_at=None), pk=volume_id).update(changed_at=moment)


def measure_volumes(storage_dir: Path, *, used: Collection[UUID] = ()) -> int:
    """Measure the volumes on the shared storage that are due, those first that were measured longest ago.

    Due is what was changed through the portal, or by work (`used`), and every volume now and then.
    Returns how many were measured. Raises `StorageUnavailableError` as `require_storage`.
    """
    require_storage(storage_dir)
    until, measured = time.monotonic() + TURN_S, 0
    due = Volume.objects.filter(state=Volume.State.ACTIVE).exclude(location=Volume.Location.NODE)
    due = due.filter(
        Q(measured_at=None)
        | Q(measured_at__lt=now() - MEASURED_EVERY)
        | Q(changed_at__isnull=False)
        | Q(pk__in=used)
    )
    for volume_id in due.order_by(F("measured_at").asc(nulls_first=True)).values_list(
        "pk", flat=True
    ):
        if time.monotonic() >= until:
            break
        begun_at = now()
        used_mib = _measure_in_time(volume_folder(storage_dir, volume_id))
        _record_measurement(volume_id, begun_at, used_mib)
        measured += used_mib is not None
    return measured


def _measure_in_time(folder: Path) -> int | None:
    until = time.monotonic() + FOLDER_S
    return measure_mib(folder, lambda: time.monotonic() < until)


def _record_measurement(volume_id: UUID, begun_at: datetime, used_mib: int | None) -> None:
    """Save how large a volume was found; what has changed it since the beginning is counted next time."""
    size = {} if used_mib is None else {"used_mib": used_mib}
    later = Case(When(changed_at__gte=begun_at, then=F("changed_at")), default=None)
    Volume.objects.filter(pk=volume_id).update(measured_at=now(), changed_at=later, **size)


def empty_trash(storage_dir: Path) -> int:
    """Remove volumes whose time in the trash is over, with their files; return how many.

    Files on a node with storage of its own are for its operator to remove. Raises `StorageUnavailableError` as
    `require_storage`.
    """
    require_storage(storage_dir)
    over = Volume.objects.filter(
        state=Volume.State.TRASHED, trashed_at__lt=now() - TRASH_KEPT
    ).order_by("trashed_at")
    return sum(_remove(storage_dir, volume) for volume in over[:REMOVED_MAX])


def _remove(storage_dir: Path, volume: Volume) -> bool:
    """Remove a volume unless it was restored meanwhile; a folder that is gone already is no failure."""
    with transaction.atomic():
        row = Volume.objects.select_for_update(no_key=True).filter(
            pk=volume.pk, state=Volume.State.TRASHED
        )
        if not row.exists():
            return False
        try:
            # Never follows a link, wherever work may have put one.
            shutil.rmtree(volume_folder(storage_dir, volume.pk))
        except FileNotFoundError:
            pass
        except OSError as error:
            logger.warning("volume.not_removed", id=str(volume.pk), error=str(error))
            return False
        _audit(Actor.system("storage"), "volume.remove", volume)
        volume.delete()
    return True


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
