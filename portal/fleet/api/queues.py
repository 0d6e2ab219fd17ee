"""Endpoints of the queue and the policy of a pool."""

from typing import Any, ClassVar
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.response import Response

from portal.audit.versions import POLICY, read_version
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.pagination import paginate
from portal.common.rest.projection import project
from portal.common.rest.refs import SavedChangeShape, TitledRef, saved_change
from portal.common.rest.serializers import IdField, NoFilters, OneOfField, QuerySerializer
from portal.common.rest.views import ApiRequest, ApiView
from portal.fleet.pool_queue import present_queue
from portal.inventory import selectors, services
from portal.inventory.models import PolicyChange
from portal.inventory.policy import with_defaults
from portal.inventory.policy_shapes import PolicyInput, PolicySaveInput, PolicyUndoInput
from portal.tenancy import policies
from portal.workloads.responses.shapes import (
    ReservationShape,
    StartRangeShape,
    WaitReason,
    WorkGlimpse,
)
from scheduler.core.model.reasons import ReasonCode


class WaitingWork(serializers.Serializer[Any]):
    """A place in the queue."""

    position = serializers.IntegerField(
        allow_null=True, help_text="Null for work that has no place in the queue yet."
    )
    work = WorkGlimpse()
    priority = serializers.IntegerField()
    submitted_at = serializers.DateTimeField()
    expected_start = StartRangeShape(allow_null=True)
    reasons = WaitReason(many=True)


class ReservedWork(ReservationShape):
    """A reservation in this pool."""

    work = WorkGlimpse()


class RunningWork(serializers.Serializer[Any]):
    """Work that runs in the pool, or belongs to it and runs on a loan of another one."""

    work = WorkGlimpse()
    state = serializers.CharField()
    pool = TitledRef()
    lender = TitledRef(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    ends_at = serializers.DateTimeField(allow_null=True)
    nodes = serializers.ListField(child=serializers.CharField())


class QueueShape(serializers.Serializer[Any]):
    """Waiting and running work of a pool, with reservations."""

    waiting_total = serializers.IntegerField()
    waiting = WaitingWork(many=True)
    reservations = ReservedWork(many=True)
    running = RunningWork(many=True)


class QueueQuery(QuerySerializer):
    """Only waiting work with this first reason, or of this group."""

    paging: ClassVar[frozenset[str]] = frozenset()

    reason = OneOfField(choices=[code.value for code in ReasonCode], required=False)
    group = IdField(required=False)


class PoolQueueView(ApiView):
    """The queue of one pool."""

    required_actions = {"GET": Action.POOL_VIEW}
    is_paged = False

    @extend_schema(parameters=[QueueQuery], responses=QueueShape)
    def get(self, request: ApiRequest, pool_id: UUID) -> Response:
        """Return the head of the queue, the reservations and the running work."""
        asked = QueueQuery.parse(request)
        found = present_queue(
            request.actor,
            selectors.pool_visible_to(request.actor, pool_id),
            reason=asked.get("reason"),
            group_id=asked.get("group"),
        )
        return Response(project(QueueShape, found))


class PolicyShape(serializers.Serializer[Any]):
    """The policy in force, and the product's defaults."""

    policy = PolicyInput()
    defaults = PolicyInput()
    version = serializers.IntegerField(help_text="Grows with each change of the policy.")


class PoolPolicyView(ApiView):
    """The policy of one pool."""

    required_actions = {"GET": Action.POOL_VIEW, "PUT": Action.POOL_MANAGE}
    versioned = ("PUT",)
    is_paged = False

    @extend_schema(responses=PolicyShape)
    def get(self, request: ApiRequest, pool_id: UUID) -> Response:
        """Return the policy in force and the defaults."""
        return Response(_present(request.actor, pool_id))

    @extend_schema(request=PolicySaveInput, responses=PolicyShape)
    def put(self, request: ApiRequest, pool_id: UUID) -> Response:
        """Replace the policy; it applies from the next scheduling pass on."""
        policies.require(request.actor, Action.POOL_MANAGE, None)
        given = PolicySaveInput.parse(request)
        reason, version = given.pop("reason").strip(), given.pop("version", None)
        services.set_policy(
            actor=request.actor, pool_id=pool_id, policy=given, reason=reason, version=version
        )
        return Response(_present(request.actor, pool_id))


def _present(actor: Actor, pool_id: UUID) -> dict[str, Any]:
    stored = selectors.pool_visible_to(actor, pool_id).policy
    return {
        "policy": with_defaults(stored),
        "defaults": with_defaults({}),
        "version": read_version(POLICY, pool_id),
    }


_AnyRule = extend_schema_field(OpenApiTypes.ANY)(serializers.JSONField)


class PolicyRuleChangeShape(serializers.Serializer[Any]):
    """What a change did to one rule of a policy; null is the product's default."""

    pointer = serializers.CharField(help_text="JSON pointer of the rule in the policy.")
    before = _AnyRule(allow_null=True)
    after = _AnyRule(allow_null=True)


class SavedPolicyChangeShape(SavedChangeShape):
    """Who changed the policy of a pool, when and why."""

    rules = PolicyRuleChangeShape(many=True)


class PolicyChangeListView(ApiView):
    """Changes of the policy of one pool."""

    required_actions = {"GET": Action.POOL_VIEW}

    @extend_schema(responses=SavedPolicyChangeShape(many=True))
    def get(self, request: ApiRequest, pool_id: UUID) -> Response:
        """List what changed the policy, newest first."""
        NoFilters.parse(request)
        rows = selectors.policy_changes_visible_to(request.actor, pool_id)
        return paginate(request, rows, lambda page: [_present_change(row) for row in page])


class PolicyChangeUndoView(ApiView):
    """Taking back a change of a policy."""

    required_actions = {"POST": Action.POOL_MANAGE}

    @extend_schema(request=PolicyUndoInput, responses={201: SavedPolicyChangeShape})
    def post(self, request: ApiRequest, pool_id: UUID, change_id: UUID) -> Response:
        """Put back what it changed, as a new change; refused if that was changed again since."""
        policies.require(request.actor, Action.POOL_MANAGE, None)
        made = services.undo_policy_change(
            actor=request.actor,
            pool_id=pool_id,
            change_id=change_id,
            reason=PolicyUndoInput.parse(request)["reason"].strip(),
        )
        shown = selectors.policy_changes_visible_to(request.actor, pool_id).get(pk=made.pk)
        return Response(_present_change(shown), status=201)


def _present_change(row: PolicyChange) -> dict[str, Any]:
    return project(SavedPolicyChangeShape, saved_change(row) | {"rules": row.rules})
