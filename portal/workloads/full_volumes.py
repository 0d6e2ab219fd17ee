"""Volumes at their quota, and the work that would write to them.

Jobs wait until there is room, however they come to start. Notebooks and apps start: they are where
people delete files; notebooks are notified. What may only read a volume is not concerned.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import connection
from django.db.models import F

from portal.volumes.models import Volume
from portal.volumes.mounts import VolumeWish, granted_volumes_for_system
from portal.workloads.models import Workload
from scheduler.core.model.reasons import Reason, ReasonCode

_USED_SINCE: Final = """
SELECT DISTINCT volume.id
FROM workloads_allocation held
JOIN workloads_workload work ON work.id = held.workload_id
CROSS JOIN unnest(work.files) AS used (reference)
JOIN volumes_volume volume ON volume.state = 'active' AND volume.location = 'shared'
    AND used.reference IN ('volume:' || volume.id, 'home:' || volume.owner_id)
WHERE held.released_at >= now() - interval '1 hour'
    AND (volume.measured_at IS NULL OR volume.measured_at < held.released_at)
"""


@dataclass(frozen=True, slots=True)
class FileUser:
    """Work as far as its volumes are concerned."""

    workload: UUID
    user: UUID
    group: UUID
    files: Collection[str]


def full_volumes_for_system() -> Mapping[str, Volume]:
    """Return the volumes that are at their quota or above it, by the references of work."""
    rows = Volume.objects.filter(
        state=Volume.State.ACTIVE, quota_mib__gt=0, used_mib__gte=F("quota_mib")
    )
    return {row.reference: row for row in rows}


def writers_of(
    full: Mapping[str, Volume], users: Iterable[FileUser]
) -> Mapping[UUID, tuple[Volume, ...]]:
    """Return which of the full volumes each of this work may write to."""
    if not full:
        return {}
    wanted = [(user, [full[name] for name in user.files if name in full]) for user in users]
    found = {user.workload: (user, volumes) for user, volumes in wanted if volumes}
    wishes = (
        VolumeWish(key, user.user, user.group, tuple(row.pk for row in volumes if row.group_id))
        for key, (user, volumes) in found.items()
    )
    granted = granted_volumes_for_system(wishes)
    writable = {
        key: {item.volume.pk for item in items if not item.is_read_only}
        for key, items in granted.items()
    }
    written = {
        key: tuple(row for row in volumes if not row.group_id or row.pk in writable.get(key, ()))
        for key, (_, volumes) in found.items()
    }
    return {key: volumes for key, volumes in written.items() if volumes}


def reason_of(volumes: Collection[Volume]) -> Reason:
    """Return why work waits that would write to these volumes."""
    first = min(volumes, key=lambda row: row.folder_name)
    return Reason(ReasonCode.VOLUME_OVER_QUOTA, size_params(first))


def used_since_measured_for_system() -> set[UUID]:
    """Return the volumes that work has used which ended within the last hour, after they were measured."""
    with connection.cursor() as cursor:
        cursor.execute(_USED_SINCE)
        return {key for (key,) in cursor.fetchall()}


def user_of(workload: Workload) -> FileUser:
    """Return a workload as far as its volumes are concerned."""
    return FileUser(workload.pk, workload.owner_id, workload.group_id, workload.files)


def size_params(volume: Volume) -> dict[str, int | str]:
    """Return what sentences about a full volume say."""
    used = volume.used_mib or 0
    return {"volume": volume.folder_name, "used_mib": used, "quota_mib": volume.quota_mib}
