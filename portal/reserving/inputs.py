"""The body of a new advance reservation: of the endpoint that makes one, and of a request for one."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from portal.common.rest.serializers import (
    IdField,
    InputSerializer,
    NameField,
    StrictIntegerField,
)
from portal.common.rest.times import MomentField
from portal.reservations.models import DEVICES_MAX, DURATION_S, USERS_MAX
from portal.reserving.requests import ReservationRequest


class ReservationInput(InputSerializer):
    """A new reservation: GPUs or slices of a pool, for a group or some users of it."""

    name = NameField()
    group = IdField()
    pool = IdField()
    users = serializers.ListField(child=IdField(), max_length=USERS_MAX, default=list)
    gpus = StrictIntegerField(max_value=DEVICES_MAX, default=0)
    slices = StrictIntegerField(max_value=DEVICES_MAX, default=0)
    starts_at = MomentField()
    ends_at = MomentField()
    weekly_until = MomentField(
        allow_null=True, default=None, help_text="The last week's window begins by then."
    )
    release_unused_after_s = StrictIntegerField(
        min_value=60, max_value=DURATION_S[1], allow_null=True, default=None
    )


def read_reservation(given: Mapping[str, Any]) -> ReservationRequest:
    """Return what a validated body asks for."""
    return ReservationRequest(
        name=given["name"],
        group_id=given["group"],
        pool_id=given["pool"],
        user_ids=tuple(given["users"]),
        gpus=given["gpus"],
        slices=given["slices"],
        starts_at=given["starts_at"],
        ends_at=given["ends_at"],
        weekly_until=given["weekly_until"],
        release_unused_after_s=given["release_unused_after_s"],
    )


def keep_reservation(request: ReservationRequest) -> dict[str, Any]:
    """Return the body that asks for this, as JSON keeps it."""
    return {
        "name": request.name,
        "group": str(request.group_id),
        "pool": str(request.pool_id),
        "users": [str(user) for user in request.user_ids],
        "gpus": request.gpus,
        "slices": request.slices,
        "starts_at": request.starts_at.isoformat(),
        "ends_at": request.ends_at.isoformat(),
        "weekly_until": request.weekly_until and request.weekly_until.isoformat(),
        "release_unused_after_s": request.release_unused_after_s,
    }


def kept_reservation(kept: Mapping[str, Any]) -> ReservationRequest:
    """Return what a kept body asks for."""
    return read_reservation(ReservationInput.parse_body(dict(kept)))
