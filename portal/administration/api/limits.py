"""Doors to budgets and to the counted limits of a group."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.administration.api.quotas import QuotaQuery
from portal.common.actions import Action
from portal.common.refs import GroupRef, TitledRef
from portal.common.serializers import InputSerializer, OneOfField, StrictIntegerField
from portal.common.views import ApiRequest, ApiView
from portal.inventory.cuts import TIME_LIMIT_S
from portal.quotas import limits
from portal.quotas.models import Budget
from portal.workloads.state.budget_check import budget_statuses

GPU_HOURS_MAX = 100_000_000
"""GPU-hours of a budget."""
COUNT_MAX = 1_000_000
"""Largest counted limit of a group."""
ROWS_MAX = 1000
"""Budgets, and limits, in one answer."""


class BudgetShape(serializers.Serializer[Any]):
    """Card-hours that a group with its descendants may use in each period, and what is gone."""

    id = serializers.UUIDField(source="budget.id")
    group = GroupRef(source="budget.group")
    pool = TitledRef(source="budget.pool", allow_null=True)
    period = serializers.ChoiceField(Budget.Period.values, source="budget.period")
    gpu_hours = serializers.IntegerField(source="budget.gpu_hours")
    used_gpu_s = serializers.IntegerField(source="used")
    promised_gpu_s = serializers.IntegerField(
        source="promised", help_text="What running work may still use until its time limit."
    )
    ends_at = serializers.DateTimeField(help_text="When the present period ends.")


class BudgetInput(InputSerializer):
    """A budget; the one for the same group, pool and period is replaced."""

    group = serializers.UUIDField()
    pool = serializers.UUIDField(allow_null=True, default=None)
    period = OneOfField(Budget.Period.values)
    gpu_hours = StrictIntegerField(max_value=GPU_HOURS_MAX)


class BudgetListView(ApiView):
    """The budgets of the caller's groups."""

    required_actions = {"GET": Action.QUOTA_VIEW, "PUT": Action.QUOTA_EDIT}
    is_paged = False

    @extend_schema(parameters=[QuotaQuery], responses=BudgetShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List budgets; a group has a handful, so there are no pages."""
        group_id = QuotaQuery.parse(request).get("group")
        rows = list(limits.budgets_visible_to(request.actor, group_id)[:ROWS_MAX])
        return Response(BudgetShape(budget_statuses(rows), many=True).data)

    @extend_schema(request=BudgetInput, responses=BudgetShape)
    def put(self, request: ApiRequest) -> Response:
        """Set a budget; what runs goes on, what might not finish inside it does not start."""
        asked = BudgetInput.parse(request)
        row = limits.set_budget(
            actor=request.actor,
            group_id=asked["group"],
            pool_id=asked["pool"],
            period=asked["period"],
            gpu_hours=asked["gpu_hours"],
        )
        return Response(BudgetShape(budget_statuses([row])[0]).data)


class BudgetDetailView(ApiView):
    """One budget."""

    required_actions = {"DELETE": Action.QUOTA_EDIT}

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, budget_id: UUID) -> Response:
        """Remove it."""
        limits.remove_budget(actor=request.actor, budget_id=budget_id)
        return Response(status=204)


class GroupLimitShape(serializers.Serializer[Any]):
    """Counted limits for each user of a group; null is unlimited."""

    group = GroupRef()
    pending_per_user_max = serializers.IntegerField(allow_null=True)
    running_per_user_max = serializers.IntegerField(allow_null=True)
    environments_per_user_max = serializers.IntegerField(allow_null=True)
    time_limit_s_max = serializers.IntegerField(allow_null=True)


class GroupLimitInput(InputSerializer):
    """New limits; what is left out stays, null is unlimited."""

    pending_per_user_max = StrictIntegerField(max_value=COUNT_MAX, required=False, allow_null=True)
    running_per_user_max = StrictIntegerField(max_value=COUNT_MAX, required=False, allow_null=True)
    environments_per_user_max = StrictIntegerField(
        max_value=COUNT_MAX, required=False, allow_null=True
    )
    time_limit_s_max = StrictIntegerField(
        min_value=TIME_LIMIT_S[0], max_value=TIME_LIMIT_S[1], required=False, allow_null=True
    )


class GroupLimitListView(ApiView):
    """The counted limits of the caller's groups."""

    required_actions = {"GET": Action.QUOTA_VIEW}
    is_paged = False

    @extend_schema(responses=GroupLimitShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List them, the defaults where none were set."""
        rows = limits.group_limits_visible_to(request.actor)[:ROWS_MAX]
        return Response(GroupLimitShape(rows, many=True).data)


class GroupLimitView(ApiView):
    """The counted limits of one group."""

    required_actions = {"GET": Action.QUOTA_VIEW, "PATCH": Action.QUOTA_EDIT}
    is_paged = False

    @extend_schema(responses=GroupLimitShape)
    def get(self, request: ApiRequest, group_id: UUID) -> Response:
        """Return them."""
        row = limits.group_limit_visible_to(request.actor, group_id)
        return Response(GroupLimitShape(row).data)

    @extend_schema(request=GroupLimitInput, responses=GroupLimitShape)
    def patch(self, request: ApiRequest, group_id: UUID) -> Response:
        """Change them; what waits and runs stays."""
        row = limits.change_group_limit(
            actor=request.actor, group_id=group_id, changes=GroupLimitInput.parse(request)
        )
        return Response(GroupLimitShape(row).data)
