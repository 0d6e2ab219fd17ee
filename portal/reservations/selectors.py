"""Reads of advance reservations."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import (
    Count,
    DurationField,
    Exists,
    ExpressionWrapper,
    F,
    OuterRef,
    Q,
    QuerySet,
)

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import NotFoundError
from portal.inventory.models import Accelerator
from portal.reservations.models import AdvanceReservation, ReservationWindow, ReservedDevice
from portal.tenancy import policies
from scheduler.core.model.states import AcceleratorState, NodeState


@dataclass(frozen=True, slots=True)
class KeptDevice:
    """A device that a window keeps, and when."""

    accelerator_id: UUID
    slot: int
    reservation_id: UUID
    starts_at: datetime
    ends_at: datetime


def reservations_visible_to(actor: Actor) -> "QuerySet[AdvanceReservation]":
    """Return all reservations: that one exists is no secret, only its owner's view has its name."""
    is_visible = policies.has_role_for(actor, Action.RESERVATION_VIEW)
    rows = AdvanceReservation.objects.all()
    rows = rows if is_visible else rows.none()
    return rows.select_related("pool", "group", "created_by").prefetch_related("windows")


def reservation_visible_to(actor: Actor, reservation_id: UUID) -> AdvanceReservation:
    """Return one reservation.

    Raises:
        NotFoundError: there is none, or it is another tenant's.
    """
    row = reservations_visible_to(actor).filter(pk=reservation_id).first()
    if row is None or not may_read(actor, row):
        raise NotFoundError("reservation")
    return row


def may_read(actor: Actor, reservation: AdvanceReservation) -> bool:
    """Return whether the actor may read name, group and users: its own group's, or every tenant's."""
    visible = policies.visible_group_ids(actor)
    return visible is None or reservation.group_id in visible


def unfinished_for_system() -> "QuerySet[AdvanceReservation]":
    """Return the reservations that have a window which is not over."""
    ahead = ReservationWindow.objects.filter(reservation=OuterRef("pk"), ends_at__gt=now())
    return AdvanceReservation.objects.filter(Exists(ahead))


def windows_ahead_for_system() -> list[tuple[UUID, UUID, datetime, datetime]]:
    """Return (reservation, window, start, end) of every window that is not over, by start."""
    rows = ReservationWindow.objects.filter(ends_at__gt=now()).order_by("starts_at", "id")
    return list(rows.values_list("reservation", "pk", "starts_at", "ends_at"))


def devices_of_windows_for_system(windows: Collection[UUID]) -> list[tuple[UUID, UUID, UUID, int]]:
    """Return (reservation, node, card, slot) of every device of these windows, in a fixed order."""
    rows = ReservedDevice.objects.filter(window__in=windows).order_by(
        "window__reservation", "accelerator__node", "accelerator__index", "accelerator", "slot"
    )
    columns = ("window__reservation", "accelerator__node", "accelerator", "slot")
    return list(rows.values_list(*columns))


def kept_devices_for_system(cards: Collection[UUID]) -> list[KeptDevice]:
    """Return what windows that are not over keep of these cards, by start."""
    rows = ReservedDevice.objects.filter(accelerator__in=cards, window__ends_at__gt=now())
    columns = ("window__reservation", "window__starts_at", "window__ends_at")
    return [
        KeptDevice(*row)
        for row in rows.order_by("window__starts_at", "id").values_list(
            "accelerator", "slot", *columns
        )
    ]


def reserved_devices_for_system(reservation_id: UUID) -> set[tuple[UUID, int]]:
    """Return (card, slot) of every device that the windows of a reservation keep which are not over."""
    rows = ReservedDevice.objects.filter(
        window__reservation=reservation_id, window__ends_at__gt=now()
    )
    return set(rows.values_list("accelerator", "slot"))


def windows_to_release_for_system() -> "QuerySet[ReservationWindow]":
    """Return the open windows that are given back unless work has started inside."""
    waited = ExpressionWrapper(
        F("reservation__release_unused_after_s") * timedelta(seconds=1),
        output_field=DurationField(),
    )
    opened = ReservationWindow.objects.filter(
        reservation__release_unused_after_s__isnull=False,
        starts_at__lte=now() - waited,
        ends_at__gt=now(),
    )
    return opened.prefetch_related("devices").order_by("reservation", "id")


FAILED_NODES: Final = (
    NodeState.LOST,
    NodeState.DRAINING,
    NodeState.DRAINED,
    NodeState.RETIRED,
)
"""Nodes that will not take work again by themselves; a silent or cordoned one may be back in time."""
FAILED_CARDS: Final = (AcceleratorState.SUSPECT, AcceleratorState.BAD, AcceleratorState.GONE)
"""Cards that stay out of service until somebody sees to them; a dirty one is cleaned by its node."""
_FAILED: Final = Q(accelerator__state__in=FAILED_CARDS) | Q(
    accelerator__node__state__in=FAILED_NODES
)


def failed_devices_for_system(reservation_id: UUID) -> set[tuple[UUID, int]]:
    """Return (card, slot) of the devices of a reservation whose card is broken, or whose node is out."""
    rows = ReservedDevice.objects.filter(
        _FAILED, window__reservation=reservation_id, window__ends_at__gt=now()
    )
    return set(rows.values_list("accelerator", "slot"))


def reservations_to_mend_for_system() -> "QuerySet[AdvanceReservation]":
    """Return the reservations with a failed device, and those that said that something is missing."""
    failed = ReservedDevice.objects.filter(
        _FAILED,
        window__reservation=OuterRef("pk"),
        window__ends_at__gt=now(),
    )
    return unfinished_for_system().filter(Q(missing__gt=0) | Exists(failed)).order_by("id")


def count_cards_at_risk_for_system(reservations: Collection[UUID]) -> Mapping[UUID, int]:
    """Return how many cards of each reservation take no work today: broken, or on such a node."""
    cards = Accelerator.objects.filter(
        Q(state=AcceleratorState.OK, node__state=NodeState.READY), pk=OuterRef("accelerator")
    )
    rows = (
        ReservedDevice.objects.filter(
            ~Exists(cards), window__reservation__in=reservations, window__ends_at__gt=now()
        )
        .order_by()
        .values("window__reservation")
        .annotate(cards=Count("accelerator", distinct=True))
    )
    return {row["window__reservation"]: row["cards"] for row in rows}


def count_reserved_cards_for_system(node_id: UUID) -> int:
    """Return how many cards of a node some window keeps that is not over."""
    rows = ReservedDevice.objects.filter(accelerator__node=node_id, window__ends_at__gt=now())
    return rows.values("accelerator").distinct().count()
