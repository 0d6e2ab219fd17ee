"""What admins of a group may reserve without staff: their group's own share, not too long, not too early."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Q

from portal.common.clock import now
from portal.common.errors import InvalidError
from portal.inventory.models import Pool
from portal.quotas.models import Quota
from portal.reservations.models import AdvanceReservation
from portal.reservations.selectors import unfinished_for_system
from portal.reservations.services import ReservationTerms
from portal.site.values import SettingsInForce
from portal.tenancy.models import Group
from portal.tenancy.selectors import paths_for_system
from scheduler.core.model.resources import Resource

_GPU_MILLI: Final = 1000
Windows = Iterable[tuple[datetime, datetime]]


@dataclass(frozen=True, slots=True)
class _Share:
    """What a group deserves by its quotas, with the groups below it."""

    group_id: UUID
    below: Collection[UUID]
    """These groups, itself included."""
    quotas: Collection[Quota]


def beyond_group_limits(terms: ReservationTerms, site: SettingsInForce) -> InvalidError | None:
    """Return the first limit of a group's own reservations that these terms pass; None is that they keep all."""
    longest_s, days = site.group_reservation_s_max, site.group_reservation_ahead_days
    if longest_s == 0:
        return InvalidError("reservation_by_request_only")
    if any(end - start > timedelta(seconds=longest_s) for start, end in terms.windows):
        return InvalidError("reservation_too_long_for_group", pointer="/ends_at", max=longest_s)
    if terms.windows[-1][0] > now() + timedelta(days=days):
        return InvalidError("reservation_too_far_for_group", pointer="/starts_at", days=days)
    return _beyond_share(terms)


def lock_share(terms: ReservationTerms) -> None:
    """Lock what reservations of this group are counted against: two at once do not pass it together."""
    share = _find_share(terms)
    list(Group.objects.select_for_update(no_key=True).filter(pk=share.group_id))


def _beyond_share(terms: ReservationTerms) -> InvalidError | None:
    share = _find_share(terms)
    asked = _milli(terms.gpus, terms.slices, terms.pool)
    rooms = [
        (quota.deserved, _most_reserved(share.below, quota.pool_id, terms.windows))
        for quota in share.quotas
        if quota.deserved > 0
    ]
    most, held = min(rooms, key=lambda room: room[0] - room[1], default=(0, 0))
    if asked <= most - held:
        return None
    return InvalidError(
        "reservation_above_share",
        pointer="/gpus" if terms.gpus else "/slices",
        group=terms.group.name,
        requested=_gpus(asked),
        reserved=_gpus(held),
        max=_gpus(most),
    )


def _find_share(terms: ReservationTerms) -> _Share:
    """Return the share of the group, or of the nearest above it that has a quota of GPUs here."""
    paths = paths_for_system()
    path = paths[terms.group.pk]
    rows = Quota.objects.filter(
        Q(pool=None) | Q(pool=terms.pool), group__in=path, resource=Resource.GPU, model=""
    )
    quotas = {group: [row for row in rows if row.group_id == group] for group in path}
    owner = next((group for group in reversed(path) if quotas[group]), terms.group.pk)
    below = [group for group, above in paths.items() if owner in above]
    return _Share(owner, below, quotas[owner])


def _most_reserved(groups: Collection[UUID], pool_id: UUID | None, windows: Windows) -> int:
    """Return the thousandths of GPUs that these groups have reserved during any of these windows, at most.

    Reservations that meet the same window count together, even if they do not meet each other.
    """
    rows = unfinished_for_system().filter(group__in=groups)
    if pool_id is not None:
        rows = rows.filter(pool=pool_id)
    found = list(rows.select_related("pool").prefetch_related("windows"))
    return max(_sum_during(found, *window) for window in windows)


def _sum_during(rows: Iterable[AdvanceReservation], start: datetime, end: datetime) -> int:
    return sum(
        _milli(row.gpus, row.slices, row.pool)
        for row in rows
        if any(each.starts_at < end and each.ends_at > start for each in row.windows.all())
    )


def _gpus(milli: int) -> str:
    return f"{milli / _GPU_MILLI:g}"


def _milli(gpus: int, slices: int, pool: Pool) -> int:
    """Return GPUs or slices as thousandths of a GPU, rounded up."""
    return gpus * _GPU_MILLI + -(-slices * _GPU_MILLI // max(pool.slices_per_card, 1))
