"""Making advance reservations, checked against everything that was promised before."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Final
from uuid import UUID

from django.db import transaction

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import from_millis, now, to_millis
from portal.common.errors import ConflictError, Fault, InvalidError
from portal.identity.models import User
from portal.inventory.models import Pool
from portal.inventory.selectors import pool_visible_to
from portal.reservations import selectors, services
from portal.reservations.models import (
    AHEAD_DAYS_MAX,
    DURATION_S,
    PER_POOL_MAX,
    WEEKS_MAX,
    AdvanceReservation,
)
from portal.reservations.services import ReservationTerms
from portal.reserving.group_limits import beyond_group_limits, lock_share
from portal.site.selectors import settings_for_system
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to, members_visible_to, titles_for_system
from portal.workloads.errors import ConcurrentChangeError
from portal.workloads.selectors import has_held_for_system, names_for_system
from portal.workloads.snapshot.loader import load_snapshot
from portal.workloads.state.reserving import lock_devices, lock_holders, renew_ends
from scheduler.core.model.advance_reservations import (
    AdvanceReservationView,
    ReservationId,
    ReservedDevice,
    ReservedWindow,
)
from scheduler.core.model.entities import GroupId, Millis, PoolId, UserId
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.reserve_devices import (
    Obstacle,
    ObstacleKind,
    choose_devices,
    find_later_start,
)

TRIES: Final = 3
"""How often devices are chosen again because other work got one of them meanwhile."""
SHOWN_MAX: Final = 3
"""Promises that a refusal names."""
_WEEK: Final = timedelta(days=7)
KEEPER: Final = Actor.system("reservations")


@dataclass(frozen=True, slots=True)
class ReservationRequest:
    """What is asked for, as the API takes it."""

    name: str
    group_id: UUID
    pool_id: UUID
    starts_at: datetime
    ends_at: datetime
    user_ids: tuple[UUID, ...] = ()
    gpus: int = 0
    slices: int = 0
    weekly_until: datetime | None = None
    release_unused_after_s: int | None = None


class ReservationRefusedError(ConflictError):
    """Too little is left by what was promised before; its faults name each promise."""

    def __init__(self, faults: Sequence[Fault], *, available: int, requested: int) -> None:
        """Keep what is in the way."""
        super().__init__("reservation_refused", available=available, requested=requested)
        self.faults = tuple(faults)


def create_reservation(*, actor: Actor, request: ReservationRequest) -> AdvanceReservation:
    """Reserve GPUs or slices for a group: staff any, its admins within their limits.

    Raises:
        ReservationRefusedError: promises given before leave too little; it names them.
        InvalidError: the times or amounts are not possible at all, or need staff's decision.
    """
    terms = _read_terms(actor, request)
    if (beyond := _beyond_limits(actor, terms)) is not None:
        raise beyond
    for _ in range(TRIES):
        snapshot = load_snapshot()
        devices = _choose(snapshot, terms)
        try:
            return _write(actor, terms, devices, snapshot)
        except ConcurrentChangeError:
            continue
    raise ConflictError("changed_meanwhile", state="")


def needs_decision(actor: Actor, request: ReservationRequest) -> bool:
    """Return whether the actor may ask for this reservation but not make it.

    Raises:
        InvalidError: the times or amounts are not possible at all.
    """
    return _beyond_limits(actor, _read_terms(actor, request)) is not None


def cancel_reservation(*, actor: Actor, reservation_id: UUID) -> None:
    """End a reservation: an open window closes now, and what runs inside continues as if it had none."""
    row = selectors.reservation_visible_to(actor, reservation_id)
    policies.require(actor, Action.RESERVATION_EDIT, row.group_id)
    for _ in range(TRIES):
        with suppress(ConcurrentChangeError):
            return _cancel(actor, row)
    raise ConflictError("changed_meanwhile", state="")


def release_unused() -> int:
    """Give back the open windows into which nobody has come in time; return how many."""
    unused = [
        row.reservation_id
        for row in selectors.windows_to_release_for_system()
        if not has_held_for_system(
            [(device.accelerator_id, device.slot) for device in row.devices.all()], row.starts_at
        )
    ]
    return services.release_windows(actor=KEEPER, reservations=unused) if unused else 0


def list_windows(request: ReservationRequest) -> tuple[tuple[datetime, datetime], ...]:
    """Return the windows that a request asks for: one, or one a week."""
    moment = now()
    length = request.ends_at - request.starts_at
    if length <= timedelta(0) or request.starts_at < moment - timedelta(minutes=1):
        raise InvalidError("reservation_in_the_past", pointer="/starts_at")
    shortest, longest = (timedelta(seconds=seconds) for seconds in DURATION_S)
    if not shortest <= length <= longest:
        raise InvalidError(
            "reservation_length", pointer="/ends_at", min=DURATION_S[0], max=DURATION_S[1]
        )
    until = request.weekly_until or request.starts_at
    if until > moment + timedelta(days=AHEAD_DAYS_MAX):
        raise InvalidError("reservation_too_far", pointer="/starts_at", days=AHEAD_DAYS_MAX)
    if request.weekly_until is not None and length > _WEEK:
        raise InvalidError("reservation_overlaps_itself", pointer="/weekly_until")
    windows = tuple(takewhile(lambda window: window[0] <= until, _weekly(request)))
    if len(windows) > WEEKS_MAX:
        raise InvalidError("reservation_too_far", pointer="/weekly_until", days=AHEAD_DAYS_MAX)
    return windows


def _weekly(request: ReservationRequest) -> Iterator[tuple[datetime, datetime]]:
    """Yield the window of each week, at the same time on the site's clock.

    One that would be nothing, because the clock skips that hour, is as long as the first.
    """
    days = settings_for_system().days
    length = request.ends_at - request.starts_at
    for number in range(WEEKS_MAX + 1):
        starts_at = days.days_later(request.starts_at, 7 * number)
        ends_at = days.days_later(request.ends_at, 7 * number)
        yield starts_at, ends_at if ends_at > starts_at else starts_at + length


@transaction.atomic
def _cancel(actor: Actor, row: AdvanceReservation) -> None:
    """Cancel, and let no work end for the reservation any more, in one transaction."""
    holders = lock_holders(selectors.reserved_devices_for_system(row.pk))
    services.end_reservation(actor=actor, reservation=row)
    renew_ends(holders)


def _read_terms(actor: Actor, request: ReservationRequest) -> ReservationTerms:
    policies.require(actor, Action.RESERVATION_EDIT, request.group_id)
    group = group_visible_to(actor, request.group_id)
    pool = pool_visible_to(actor, request.pool_id)
    if bool(request.gpus) == bool(request.slices):
        raise InvalidError("reservation_gpus_or_slices", pointer="/gpus")
    if request.slices and (pool.mode != Pool.Mode.SHARED or pool.slices_per_card < 2):
        raise InvalidError("reservation_no_slices", pointer="/slices", pool=pool.name)
    if not _known_users(actor, request).issuperset(request.user_ids):
        raise InvalidError("reservation_unknown_user", pointer="/users")
    if selectors.unfinished_for_system().filter(pool=pool).count() >= PER_POOL_MAX:
        raise ConflictError("reservation_too_many", limit=PER_POOL_MAX)
    return ReservationTerms(
        name=request.name,
        pool=pool,
        group=group,
        user_ids=tuple(dict.fromkeys(request.user_ids)),
        gpus=request.gpus,
        slices=request.slices,
        windows=list_windows(request),
        release_unused_after_s=request.release_unused_after_s,
    )


def _known_users(actor: Actor, request: ReservationRequest) -> set[UUID]:
    """Return of the users that are named those whom the actor may name: admins of a group its members."""
    if policies.can(actor, Action.RESERVATION_EDIT, None):
        users = User.objects.filter(pk__in=request.user_ids, is_active=True)
        return set(users.values_list("pk", flat=True))
    return {member.user.pk for member in members_visible_to(actor, request.group_id)}


def _beyond_limits(actor: Actor, terms: ReservationTerms) -> InvalidError | None:
    """Return why the actor may not make this reservation without staff; None is that it may."""
    if policies.can(actor, Action.RESERVATION_EDIT, None):
        return None
    return beyond_group_limits(terms, settings_for_system())


def _choose(snapshot: Snapshot, terms: ReservationTerms) -> tuple[ReservedDevice, ...]:
    wanted = AdvanceReservationView(
        id=ReservationId("new"),
        name=terms.name,
        pool=PoolId(str(terms.pool.pk)),
        group=GroupId(str(terms.group.pk)),
        users=frozenset(UserId(str(user)) for user in terms.user_ids),
        devices=(),
        windows=tuple(
            ReservedWindow(Millis(max(to_millis(start), snapshot.taken_at)), Millis(to_millis(end)))
            for start, end in terms.windows
        ),
    )
    count, whole = terms.gpus or terms.slices, bool(terms.gpus)
    choice = choose_devices(snapshot, wanted, count, whole=whole)
    if choice.devices:
        return choice.devices
    faults = _describe(snapshot, choice.obstacles)
    start = find_later_start(snapshot, wanted, count, choice.obstacles, whole=whole)
    if start is not None:
        later: dict[str, int | str] = {"requested": count, "from": _worded(start)}
        faults.insert(0, Fault("/starts_at", "reservation_possible_from", later))
    raise ReservationRefusedError(faults, available=choice.available, requested=count)


@transaction.atomic
def _write(
    actor: Actor,
    terms: ReservationTerms,
    devices: Sequence[ReservedDevice],
    snapshot: Snapshot,
) -> AdvanceReservation:
    """Write the reservation, if nothing has got one of the devices since the snapshot."""
    wanted = {(card, slot) for _, card, slot in devices}
    holders = [
        UUID(work.id)
        for work in snapshot.running
        if any(device in wanted for place in work.placements for device in place.devices)
    ]
    cards = [(UUID(card), slot) for _, card, slot in devices]
    lock_share(terms)
    if (beyond := _beyond_limits(actor, terms)) is not None:
        raise beyond
    lock_devices(set(cards), holders=holders, must_end_at=terms.windows[0][0])
    return services.write_reservation(actor=actor, terms=terms, devices=cards)


def _describe(snapshot: Snapshot, obstacles: Sequence[Obstacle]) -> list[Fault]:
    """Return what is in the way: the largest obstacles by name, and how many others there are."""
    shown = obstacles[:SHOWN_MAX]
    names = names_for_system([UUID(each.workload) for each in shown if each.workload])
    titles = titles_for_system([UUID(each.group) for each in shown if each.group])
    groups = {group.id: group.name for group in snapshot.groups}
    reservations = {each.id: each.name for each in snapshot.reservations}
    faults = []
    for each in shown:
        name = ""
        if each.workload is not None:
            name = names.get(UUID(each.workload), "")
        elif each.reservation is not None:
            name = reservations.get(each.reservation, "")
        params: dict[str, int | str] = {
            "name": name,
            "group": groups[each.group] if each.group else "",
            "count": _counted(each),
            "until": _worded(each.until),
        }
        title = titles.get(UUID(each.group)) if each.group else None
        named = {"group_title": title} if title else {}
        faults.append(Fault("", f"reserved_by_{each.kind.value}", params, named))
    if left := len(obstacles) - len(shown):
        faults.append(Fault("", "reserved_by_others", {"count": left}))
    return faults


def _counted(obstacle: Obstacle) -> int:
    """Return GPUs of a guarantee, rounded up; of everything else it is a count already."""
    return -(-obstacle.count // 1000) if obstacle.kind is ObstacleKind.GUARANTEE else obstacle.count


def _worded(at: Millis | None) -> str:
    """Return a moment on the site's clock, to the minute, with its time zone."""
    if at is None:
        return ""
    days = settings_for_system().days
    return f"{days.describe(from_millis(at))} ({days.zone})"
