"""What the volumes of a group, and of the groups below, may have together: exact, also under a race."""

from uuid import UUID

from portal.common.errors import ExhaustedError, InvalidError
from portal.quotas.selectors import volume_limits_for_system
from portal.tenancy.models import Group
from portal.tenancy.selectors import paths_for_system, sums_below_for_system
from portal.volumes.models import Volume
from portal.volumes.selectors import quotas_by_group_for_system


def lock_groups(group_id: UUID | None) -> tuple[UUID, ...]:
    """Lock a group and all above it, and return them: what their volumes add up to then stays."""
    path = paths_for_system([group_id]).get(group_id, ()) if group_id is not None else ()
    if path:
        rows = Group.objects.select_for_update(no_key=True).order_by("id")
        list(rows.filter(pk__in=path).values_list("pk", flat=True))
    return path


def require_room(volume: Volume, path: tuple[UUID, ...]) -> None:
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
