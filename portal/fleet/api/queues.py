"""Doors to the queue of a pool and to the policy that orders it."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.refs import TitledRef
from portal.common.serializers import (
    InputSerializer,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
)
from portal.common.views import ApiRequest, ApiView
from portal.fleet.queue import queue_of
from portal.inventory import policy as rules
from portal.inventory import selectors, services
from portal.tenancy import policies
from portal.workloads.shapes import ReservationShape, StartRangeShape, WaitReason, WorkGlimpse
from scheduler.core.isolation import SHARED
from scheduler.core.policy import WEEK_MINUTES

WINDOWS_MAX = 100
POOLS_MAX = 100


class WaitingWork(serializers.Serializer[Any]):
    """A place in the queue."""

    position = serializers.IntegerField()
    work = WorkGlimpse()
    priority = serializers.IntegerField()
    submitted_at = serializers.DateTimeField()
    expected_start = StartRangeShape(allow_null=True)
    reasons = WaitReason(many=True)


class ReservedWork(ReservationShape):
    """A promised start in this pool."""

    work = WorkGlimpse()


class RunningWork(serializers.Serializer[Any]):
    """What holds cards of the pool, or is its guest elsewhere."""

    work = WorkGlimpse()
    state = serializers.CharField()
    pool = TitledRef()
    lender = TitledRef(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    ends_at = serializers.DateTimeField(allow_null=True)
    nodes = serializers.ListField(child=serializers.CharField())


class QueueShape(serializers.Serializer[Any]):
    """One pool as its queue sees it."""

    waiting_total = serializers.IntegerField()
    waiting = WaitingWork(many=True)
    reservations = ReservedWork(many=True)
    running = RunningWork(many=True)


class PoolQueueView(ApiView):
    """Who waits for a pool, in which order, and who runs until when."""

    required_actions = {"GET": Action.POOL_VIEW}
    is_paged = False

    @extend_schema(responses=QueueShape)
    def get(self, request: ApiRequest, pool_id: UUID) -> Response:
        """Return the head of the queue, the promised starts and what runs."""
        found = queue_of(request.actor, selectors.pool_by_id(pool_id))
        return Response(QueueShape(found).data)


class WindowInput(InputSerializer):
    """A stretch of the week, in minutes after Monday 00:00 of the site."""

    start = StrictIntegerField(max_value=WEEK_MINUTES - 1)
    end = StrictIntegerField(max_value=WEEK_MINUTES - 1)


def _names(**options: Any) -> serializers.ListField:
    return serializers.ListField(
        child=StrictCharField(max_length=63), max_length=POOLS_MAX, **options
    )


class LendingInput(InputSerializer):
    """What a pool lends to preemptible work of other pools."""

    to_pools = _names()
    windows = serializers.ListField(child=WindowInput(), max_length=WINDOWS_MAX)
    by_day = StrictBooleanField()
    keep_cards = StrictIntegerField(max_value=rules.LENDING_NUMBERS["keep_cards"])
    bound_s = StrictIntegerField(max_value=rules.LENDING_NUMBERS["bound_s"])


class PolicyInput(InputSerializer):
    """Every rule of a pool; see `scheduler.core.policy.PoolPolicy`."""

    queue = serializers.ChoiceField([word.value for word in rules.WORDS["queue"]])
    packing = serializers.ChoiceField([word.value for word in rules.WORDS["packing"]])
    order = serializers.ChoiceField([word.value for word in rules.WORDS["order"]])
    patience_s = StrictIntegerField(max_value=rules.NUMBERS["patience_s"])
    stretch = StrictIntegerField(min_value=1, max_value=rules.NUMBERS["stretch"])
    turn_s = StrictIntegerField(max_value=rules.NUMBERS["turn_s"])
    backfill_depth = StrictIntegerField(max_value=rules.NUMBERS["backfill_depth"])
    preemption = StrictBooleanField()
    reclaim = StrictBooleanField()
    min_runtime_s = StrictIntegerField(max_value=rules.NUMBERS["min_runtime_s"])
    grace_s = StrictIntegerField(max_value=rules.NUMBERS["grace_s"])
    consolidate = StrictBooleanField()
    victims_max = StrictIntegerField(max_value=rules.NUMBERS["victims_max"])
    fall_back = _names()
    lending = LendingInput()
    isolation = serializers.ChoiceField([word.value for word in SHARED])
    burst_pct = StrictIntegerField(min_value=100, max_value=rules.NUMBERS["burst_pct"])
    mix_groups = StrictBooleanField()
    idle_warn_s = StrictIntegerField(max_value=rules.NUMBERS["idle_warn_s"])
    idle_release_s = StrictIntegerField(max_value=rules.NUMBERS["idle_release_s"])
    idle_stop_s = StrictIntegerField(max_value=rules.NUMBERS["idle_stop_s"])
    idle_keep_s = StrictIntegerField(max_value=rules.NUMBERS["idle_keep_s"])
    idle_keeps_max = StrictIntegerField(max_value=rules.NUMBERS["idle_keeps_max"])


class PolicyShape(serializers.Serializer[Any]):
    """The rules in force, and the product's defaults beside them."""

    policy = PolicyInput()
    defaults = PolicyInput()


class PoolPolicyView(ApiView):
    """The rules of one pool."""

    required_actions = {"GET": Action.POOL_VIEW, "PUT": Action.POOL_MANAGE}
    is_paged = False

    @extend_schema(responses=PolicyShape)
    def get(self, _request: ApiRequest, pool_id: UUID) -> Response:
        """Return the rules in force and the defaults."""
        return Response(_shown(pool_id))

    @extend_schema(request=PolicyInput, responses=PolicyShape)
    def put(self, request: ApiRequest, pool_id: UUID) -> Response:
        """Set all rules; they hold from the next scheduling pass on."""
        policies.require(request.actor, Action.POOL_MANAGE, None)
        given = PolicyInput.parse(request)
        services.set_policy(actor=request.actor, pool_id=pool_id, policy=given)
        return Response(_shown(pool_id))


def _shown(pool_id: UUID) -> dict[str, Any]:
    stored = selectors.pool_by_id(pool_id).policy
    return {"policy": rules.shown(stored), "defaults": rules.shown({})}
