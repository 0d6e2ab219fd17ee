"""Responses of the endpoints of requests."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from portal.approvals.models import ApprovalKind, ApprovalRequest
from portal.approvals.selectors import is_decider
from portal.common.rest.refs import TitledRef, UserRef
from portal.common.work_kinds import KINDS


class RequestedWorkload(serializers.Serializer[Any]):
    """The work whose time limit is requested to be longer."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(list(KINDS))
    name = serializers.CharField()


class RequestedQuota(serializers.Serializer[Any]):
    """The quota whose ceiling is requested to be higher."""

    id = serializers.UUIDField()
    resource = serializers.CharField()
    pool = TitledRef(allow_null=True)


class ApprovalShape(serializers.Serializer[Any]):
    """A request with its decision."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(ApprovalKind.values)
    state = serializers.ChoiceField(ApprovalRequest.State.values)
    decider = serializers.ChoiceField(ApprovalRequest.Decider.values)
    deciders = serializers.SerializerMethodField(
        help_text="Who is asked to decide while it waits; then empty."
    )
    requester = UserRef()
    group = TitledRef()
    workload = RequestedWorkload(allow_null=True)
    quota = RequestedQuota(allow_null=True)
    asked = serializers.DictField(
        help_text="New values by name; null is no limit of one's own. Of a reservation: its body."
    )
    before = serializers.DictField(help_text="The same when the request was made.")
    comment = serializers.CharField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    decided_by = UserRef(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    decision_comment = serializers.CharField()
    may_decide = serializers.SerializerMethodField()
    may_withdraw = serializers.SerializerMethodField()

    @extend_schema_field(UserRef(many=True))
    def get_deciders(self, row: ApprovalRequest) -> Any:
        """Return the persons, as the view has read them for all rows."""
        return UserRef(self.context["deciders"].get(row.pk, ()), many=True).data

    def get_may_decide(self, row: ApprovalRequest) -> bool:
        """Return whether the caller may approve or decline it now."""
        is_pending = row.state == ApprovalRequest.State.PENDING
        return is_pending and is_decider(self.context["actor"], row)

    def get_may_withdraw(self, row: ApprovalRequest) -> bool:
        """Return whether the caller may take it back now."""
        is_pending = row.state == ApprovalRequest.State.PENDING
        return is_pending and row.requester_id == self.context["actor"].user_id


class ApprovalCounts(serializers.Serializer[Any]):
    """How many requests wait."""

    to_decide = serializers.IntegerField(help_text="For a decision of the caller.")
    mine = serializers.IntegerField(help_text="Of the caller, for a decision of others.")
