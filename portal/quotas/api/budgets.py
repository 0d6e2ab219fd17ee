"""Endpoints of budgets."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.rest.refs import TitledRef
from portal.common.rest.serializers import (
    AMOUNT_MAX,
    IdField,
    InputSerializer,
    OneOfField,
    StrictIntegerField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.quotas import budgets
from portal.quotas.budgets import BudgetAmount
from portal.quotas.models import Budget
from portal.quotas.quota_query import QuotaQuery
from portal.quotas.ties import quota_ties

GPU_HOURS_MAX = 100_000_000
"""GPU-hours of a budget."""
MONEY_MICROS_MAX = AMOUNT_MAX
"""Millionths of the currency of a budget: nine thousand million of it."""
ROWS_MAX = 1000
"""Budgets in one response."""


class BudgetShape(serializers.Serializer[Any]):
    """GPU-hours, or money, that a group with its descendants may use in each period, and its use."""

    id = serializers.UUIDField(source="budget.id")
    group = TitledRef(source="budget.group")
    pool = TitledRef(source="budget.pool", allow_null=True)
    period = serializers.ChoiceField(Budget.Period.values, source="budget.period")
    gpu_hours = serializers.IntegerField(
        source="budget.gpu_hours", allow_null=True, help_text="Null where it is money."
    )
    money_micros = serializers.IntegerField(
        source="budget.money_micros",
        allow_null=True,
        help_text="Millionths of `currency`; null where it is GPU-hours.",
    )
    currency = serializers.CharField(source="budget.currency", help_text="Empty: GPU-hours.")
    by_group = serializers.BooleanField(
        source="budget.by_group",
        help_text="Set by admins of the group, beside what staff has set: both hold.",
    )
    used = serializers.IntegerField(
        help_text="GPU-seconds; of money millionths, rounded as in usage reports."
    )
    promised = serializers.IntegerField(
        help_text="What running work may still use until its time limit, in the unit of `used`."
    )
    counted_until = serializers.DateTimeField(
        allow_null=True, help_text="Of money: up to when `used` is counted; null before that."
    )
    unpriced = serializers.ListField(
        child=serializers.CharField(),
        help_text="Of money: models without a price, which are not counted and do not start.",
    )
    ends_at = serializers.DateTimeField(help_text="When the present period ends.")


class BudgetInput(InputSerializer):
    """A budget of GPU-hours or of money; the one for the same group, pool and period is replaced."""

    group = IdField()
    pool = IdField(allow_null=True, default=None)
    period = OneOfField(Budget.Period.values)
    gpu_hours = StrictIntegerField(max_value=GPU_HOURS_MAX, allow_null=True, default=None)
    money_micros = StrictIntegerField(
        max_value=MONEY_MICROS_MAX,
        allow_null=True,
        default=None,
        help_text="Millionths of the site's currency.",
    )


class BudgetListView(ApiView):
    """The budgets of the caller's groups."""

    required_actions = {"GET": Action.QUOTA_VIEW, "PUT": Action.BUDGET_EDIT}
    is_paged = False

    @extend_schema(parameters=[QuotaQuery], responses=BudgetShape(many=True))
    def get(self, request: ApiRequest) -> Response:
        """List budgets, without pages: a group has only a few."""
        group_id = QuotaQuery.parse(request).get("group")
        rows = list(budgets.budgets_visible_to(request.actor, group_id)[:ROWS_MAX])
        return Response(BudgetShape(quota_ties.get().load_budget_statuses(rows), many=True).data)

    @extend_schema(request=BudgetInput, responses=BudgetShape)
    def put(self, request: ApiRequest) -> Response:
        """Set a budget; running work goes on, work that might exceed it does not start.

        Admins of a group set one beside that of staff, and not above it.
        """
        asked = BudgetInput.parse(request)
        row = budgets.set_budget(
            actor=request.actor,
            group_id=asked["group"],
            pool_id=asked["pool"],
            period=asked["period"],
            amount=BudgetAmount(asked["gpu_hours"], asked["money_micros"]),
        )
        return Response(BudgetShape(quota_ties.get().load_budget_statuses([row])[0]).data)


class BudgetDetailView(ApiView):
    """One budget."""

    required_actions = {"DELETE": Action.BUDGET_EDIT}

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, budget_id: UUID) -> Response:
        """Remove the budget."""
        budgets.remove_budget(actor=request.actor, budget_id=budget_id)
        return Response(status=204)
