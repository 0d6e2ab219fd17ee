"""Bodies and filters of the endpoints of requests."""

from collections.abc import Mapping
from typing import Any, Final

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from typing_extensions import override

from portal.approvals.models import COMMENT_MAX, ApprovalKind, ApprovalRequest
from portal.common.rest.serializers import (
    AMOUNT_MAX,
    INTEGER_MAX,
    FieldFault,
    IdField,
    InputSerializer,
    OneOfField,
    QuerySerializer,
    StrictCharField,
    StrictIntegerField,
)
from portal.inventory.cuts import TIME_LIMIT_S
from portal.quotas.priorities import PRIORITIES
from portal.quotas.priority_field import PriorityField
from portal.reserving.inputs import ReservationInput

CEILINGS_MAX: Final = 20
"""Ceilings that one request may name."""
NEEDED: Final[Mapping[str, frozenset[str]]] = {
    ApprovalKind.TIME_LIMIT: frozenset({"workload", "time_limit_s"}),
    ApprovalKind.MEMBER_LIMIT: frozenset({"group", "limits"}),
    ApprovalKind.QUOTA: frozenset({"quota", "ceiling"}),
    ApprovalKind.RESERVATION: frozenset({"reservation"}),
}
"""The fields of each kind, all required."""


class CommentField(StrictCharField):
    """Why, in a few sentences."""

    def __init__(self, **options: Any) -> None:
        """Limit the length."""
        super().__init__(max_length=COMMENT_MAX, allow_blank=True, default="", **options)


class CeilingRaise(InputSerializer):
    """What a member asks to hold of a quota, in the unit of the quota."""

    quota = IdField()
    ceiling = StrictIntegerField(max_value=AMOUNT_MAX)


class MemberLimitRaise(InputSerializer):
    """What a member asks to have more of; null is as much as the group allows."""

    time_limit_s_max = StrictIntegerField(
        min_value=TIME_LIMIT_S[0], max_value=TIME_LIMIT_S[1], required=False, allow_null=True
    )
    pending_max = StrictIntegerField(max_value=INTEGER_MAX, required=False, allow_null=True)
    running_max = StrictIntegerField(max_value=INTEGER_MAX, required=False, allow_null=True)
    environments_max = StrictIntegerField(max_value=INTEGER_MAX, required=False, allow_null=True)
    priority_max = PriorityField(required=False, allow_null=True)
    ceilings = serializers.ListField(child=CeilingRaise(), max_length=CEILINGS_MAX, required=False)

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Require at least one limit; read priorities as numbers and ceilings by quota."""
        if not attrs:
            raise ValidationError({"time_limit_s_max": [FieldFault("required")]})
        asked = dict(attrs)
        if asked.get("priority_max") is not None:
            asked["priority_max"] = PRIORITIES[asked["priority_max"]]
        if "ceilings" in asked:
            rows = asked["ceilings"]
            asked["ceilings"] = {str(row["quota"]): row["ceiling"] for row in rows}
        return asked


class ApprovalInput(InputSerializer):
    """A request: more time for work, more of one's own limits, more quota or a reservation of a group."""

    kind = OneOfField(ApprovalKind.values)
    workload = IdField(required=False)
    time_limit_s = StrictIntegerField(
        min_value=TIME_LIMIT_S[0], max_value=TIME_LIMIT_S[1], required=False
    )
    group = IdField(required=False)
    limits = MemberLimitRaise(required=False)
    quota = IdField(required=False)
    ceiling = StrictIntegerField(max_value=AMOUNT_MAX, required=False)
    reservation = ReservationInput(required=False)
    comment = CommentField()

    @override
    def validate(self, attrs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Require the fields of its kind, and no others."""
        needed = NEEDED[attrs["kind"]]
        given = attrs.keys() - {"kind", "comment"}
        faults = {name: [FieldFault("required")] for name in sorted(needed - given)}
        faults |= {name: [FieldFault("unknown_field")] for name in sorted(given - needed)}
        if faults:
            raise ValidationError(faults)
        return attrs


class DecisionInput(InputSerializer):
    """A decision on a request."""

    comment = CommentField()


class ApprovalQuery(QuerySerializer):
    """Filters of the list of requests."""

    side = OneOfField(["mine", "to_decide"], required=False)
    state = OneOfField(ApprovalRequest.State.values, required=False)
    kind = OneOfField(ApprovalKind.values, required=False)
    group = IdField(required=False)
    workload = IdField(required=False)
