"""Doors to the queue of a pool and to the policy that orders it."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.refs import TitledRef
from portal.common.views import ApiRequest, ApiView
from portal.fleet.pool_queue import present_queue
from portal.inventory import policy as rules
from portal.inventory import selectors, services
from portal.inventory.policy_shapes import PolicyInput
from portal.tenancy import policies
from portal.workloads.responses.shapes import (
    ReservationShape,
    StartRangeShape,
    WaitReason,
    WorkGlimpse,
)


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
        found = present_queue(request.actor, selectors.pool_visible_to(request.actor, pool_id))
        return Response(QueueShape(found).data)


class PolicyShape(serializers.Serializer[Any]):
    """The rules in force, and the product's defaults beside them."""

    policy = PolicyInput()
    defaults = PolicyInput()


class PoolPolicyView(ApiView):
    """The rules of one pool."""

    required_actions = {"GET": Action.POOL_VIEW, "PUT": Action.POOL_MANAGE}
    is_paged = False

    @extend_schema(responses=PolicyShape)
    def get(self, request: ApiRequest, pool_id: UUID) -> Response:
        """Return the rules in force and the defaults."""
        return Response(_shown(request.actor, pool_id))

    @extend_schema(request=PolicyInput, responses=PolicyShape)
    def put(self, request: ApiRequest, pool_id: UUID) -> Response:
        """Set all rules; they hold from the next scheduling pass on."""
        policies.require(request.actor, Action.POOL_MANAGE, None)
        given = PolicyInput.parse(request)
        services.set_policy(actor=request.actor, pool_id=pool_id, policy=given)
        return Response(_shown(request.actor, pool_id))


def _shown(actor: Actor, pool_id: UUID) -> dict[str, Any]:
    stored = selectors.pool_visible_to(actor, pool_id).policy
    return {"policy": rules.with_defaults(stored), "defaults": rules.with_defaults({})}
