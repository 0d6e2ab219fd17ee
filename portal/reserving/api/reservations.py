"""Endpoints of advance reservations."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.rest.pagination import paginate
from portal.common.rest.refs import TitledRef, UserRef
from portal.common.rest.serializers import IdField, QuerySerializer
from portal.common.rest.views import ApiRequest, ApiView
from portal.identity.models import User
from portal.reservations import selectors
from portal.reservations.models import AdvanceReservation
from portal.reserving import requests
from portal.reserving.inputs import ReservationInput, read_reservation
from portal.tenancy import policies


class ReservationWindowShape(serializers.Serializer[Any]):
    """One stretch of time; its end is earlier than planned if it was given back unused."""

    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    released_at = serializers.DateTimeField(allow_null=True)


class AdvanceReservationShape(serializers.Serializer[Any]):
    """A reservation; of other tenants' only the pool, the amount and the times are shown."""

    id = serializers.UUIDField()
    name = serializers.CharField(help_text="Empty for another tenant's.")
    group = TitledRef(allow_null=True)
    users = UserRef(many=True, help_text="Empty: every member of the group.")
    pool = TitledRef()
    gpus = serializers.IntegerField()
    slices = serializers.IntegerField()
    windows = ReservationWindowShape(many=True)
    release_unused_after_s = serializers.IntegerField(allow_null=True)
    cancelled_at = serializers.DateTimeField(allow_null=True)
    is_open = serializers.BooleanField()
    at_risk = serializers.IntegerField(
        help_text="Cards of it that take no work today: broken, or on a node out of service."
    )
    missing = serializers.IntegerField(
        help_text="GPUs or slices of it that failed, and that no other can stand in for now."
    )
    missing_since = serializers.DateTimeField(allow_null=True)
    may_cancel = serializers.BooleanField()


class ReservationQuery(QuerySerializer):
    """Filters of the list."""

    pool = IdField(required=False)
    over = serializers.BooleanField(
        required=False, help_text="True: also what is over or cancelled."
    )


class ReservationListView(ApiView):
    """Advance reservations."""

    required_actions = {"GET": Action.RESERVATION_VIEW, "POST": Action.RESERVATION_EDIT}

    @extend_schema(parameters=[ReservationQuery], responses=AdvanceReservationShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List reservations, newest first; others' without names."""
        asked = ReservationQuery.parse(request)
        rows = selectors.reservations_visible_to(request.actor)
        if not asked.get("over"):
            rows = rows.filter(pk__in=selectors.unfinished_for_system().values("pk"))
        if "pool" in asked:
            rows = rows.filter(pool=asked["pool"])
        return paginate(request, rows, lambda page: _present(request.actor, page))

    @extend_schema(request=ReservationInput, responses={201: AdvanceReservationShape})
    def post(self, request: ApiRequest) -> Response:
        """Reserve GPUs; refused, with names, where promises given before leave too little.

        Group admins reserve within what their group deserves and the limits of the site; for more they
        make a request.
        """
        asked = read_reservation(ReservationInput.parse(request))
        row = requests.create_reservation(actor=request.actor, request=asked)
        return Response(_present_one(request.actor, row.pk), status=201)


class ReservationDetailView(ApiView):
    """One advance reservation."""

    required_actions = {"GET": Action.RESERVATION_VIEW, "DELETE": Action.RESERVATION_EDIT}
    is_paged = False

    @extend_schema(responses=AdvanceReservationShape)
    def get(self, request: ApiRequest, reservation_id: UUID) -> Response:
        """Return one reservation of the caller's groups."""
        return Response(_present_one(request.actor, reservation_id))

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, reservation_id: UUID) -> Response:
        """Cancel: an open window closes now, and those to come are removed."""
        requests.cancel_reservation(actor=request.actor, reservation_id=reservation_id)
        return Response(status=204)


def _present_one(actor: Actor, reservation_id: UUID) -> Any:
    (shown,) = _present(actor, [selectors.reservation_visible_to(actor, reservation_id)])
    return shown


def _present(actor: Actor, rows: Sequence[AdvanceReservation]) -> list[Any]:
    """Return reservations as the actor may see them."""
    at_risk = selectors.count_cards_at_risk_for_system([row.pk for row in rows])
    named = {user for row in rows for user in row.user_ids}
    users = User.objects.in_bulk(named)
    moment = now()
    found = []
    for row in rows:
        is_own = selectors.may_read(actor, row)
        windows = sorted(row.windows.all(), key=lambda window: window.starts_at)
        found.append(
            {
                "id": row.pk,
                "name": row.name if is_own else "",
                "group": row.group if is_own else None,
                "users": [users[key] for key in row.user_ids if key in users] if is_own else [],
                "pool": row.pool,
                "gpus": row.gpus,
                "slices": row.slices,
                "windows": windows,
                "release_unused_after_s": row.release_unused_after_s,
                "cancelled_at": row.cancelled_at,
                "is_open": any(each.starts_at <= moment < each.ends_at for each in windows),
                "at_risk": at_risk.get(row.pk, 0),
                "missing": row.missing,
                "missing_since": row.missing_since,
                "may_cancel": row.cancelled_at is None
                and policies.has_role_for(actor, Action.RESERVATION_EDIT, row.group_id),
            }
        )
    return list(AdvanceReservationShape(found, many=True).data)
