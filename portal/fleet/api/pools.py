"""Endpoints of pools and of moving nodes between them."""

from functools import partial
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.rest.pagination import paginate
from portal.common.rest.serializers import (
    TITLE_MAX,
    IdField,
    InputSerializer,
    NoFilters,
    OneOfField,
    PatternField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    VersionField,
)
from portal.common.rest.views import ApiRequest, ApiView
from portal.fleet.presentation import present_nodes, present_pools
from portal.fleet.shapes import NodeOutput, PoolOutput
from portal.inventory import cuts, selectors, services
from portal.inventory.models import Pool
from portal.tenancy import policies
from portal.workloads.operations import pools
from scheduler.core.model.isolation import SHARED_ISOLATION_LEVELS

NAME = r"^[a-z0-9][a-z0-9-]{0,62}$"


class _PoolTerms(InputSerializer):
    """What a pool is, and may become."""

    title_en = StrictCharField(max_length=TITLE_MAX, required=False)
    title_zh = StrictCharField(max_length=TITLE_MAX, required=False)
    purpose = OneOfField(Pool.Purpose.values, required=False)
    mode = OneOfField(Pool.Mode.values, required=False)
    slices_per_card = StrictIntegerField(
        min_value=1, max_value=cuts.SLICES_PER_CARD_MAX, required=False
    )
    """1 in a shared pool means fractions of any size; under MIG, the memory slices of a card."""
    slice_mib = StrictIntegerField(required=False)
    """Memory of a slice; 0 where cards have one slice."""
    cpu_overcommit_pct = StrictIntegerField(
        min_value=100, max_value=cuts.OVERCOMMIT_PCT_MAX, required=False
    )
    default_time_limit_s = StrictIntegerField(
        min_value=cuts.TIME_LIMIT_S[0], max_value=cuts.TIME_LIMIT_S[1], required=False
    )
    time_limit_s_max = StrictIntegerField(
        min_value=cuts.TIME_LIMIT_S[0], max_value=cuts.TIME_LIMIT_S[1], required=False
    )
    is_open = StrictBooleanField(required=False)


class PoolChangeInput(_PoolTerms):
    """Changes of a pool; what is left out stays. Its policy is at `/pools/{id}/policy`."""

    version = VersionField()


class PoolInput(_PoolTerms):
    """A new pool, without nodes; its name cannot be changed later."""

    name = PatternField(NAME, fault="short_name_not_allowed", max_length=63)
    title_en = StrictCharField(max_length=TITLE_MAX)
    title_zh = StrictCharField(max_length=TITLE_MAX)
    purpose = OneOfField(Pool.Purpose.values)
    mode = OneOfField(Pool.Mode.values)
    isolation = OneOfField([word.value for word in SHARED_ISOLATION_LEVELS], required=False)
    """Weakest isolation between tenants in its first policy; the product's default if left out."""
    default_time_limit_s = StrictIntegerField(
        min_value=cuts.TIME_LIMIT_S[0], max_value=cuts.TIME_LIMIT_S[1]
    )
    time_limit_s_max = StrictIntegerField(
        min_value=cuts.TIME_LIMIT_S[0], max_value=cuts.TIME_LIMIT_S[1]
    )


class NodeMoveInput(InputSerializer):
    """The new pool of a node."""

    pool = IdField()


class PoolListView(ApiView):
    """Pools with their free capacity."""

    required_actions = {"GET": Action.POOL_VIEW, "POST": Action.POOL_MANAGE}

    @extend_schema(responses=PoolOutput(many=True))
    def get(self, request: ApiRequest) -> Response:
        """Return one page of pools."""
        NoFilters.parse(request)
        return paginate(
            request,
            selectors.pools_visible_to(request.actor),
            partial(present_pools, request.actor),
        )

    @extend_schema(request=PoolInput, responses={201: PoolOutput})
    def post(self, request: ApiRequest) -> Response:
        """Create a pool; nodes join it or are moved into it later."""
        given = PoolInput.parse(request)
        policy = {name: given.pop(name) for name in ("isolation",) if name in given}
        pool = services.create_pool(actor=request.actor, pool=Pool(**given, policy=policy))
        headers = {"Location": f"/api/v1/pools/{pool.pk}"}
        return Response(_present(request.actor, pool.pk), status=201, headers=headers)


class PoolDetailView(ApiView):
    """One pool."""

    required_actions = {
        "GET": Action.POOL_VIEW,
        "PATCH": Action.POOL_MANAGE,
        "DELETE": Action.POOL_MANAGE,
    }
    versioned = ("PATCH",)

    @extend_schema(responses=PoolOutput)
    def get(self, request: ApiRequest, pool_id: UUID) -> Response:
        """Return one pool with its free capacity."""
        return Response(_present(request.actor, pool_id))

    @extend_schema(request=PoolChangeInput, responses=PoolOutput)
    def patch(self, request: ApiRequest, pool_id: UUID) -> Response:
        """Change the pool; the slices of its cards only while all its nodes are drained."""
        changes = PoolChangeInput.parse(request)
        version = changes.pop("version", None)
        pools.change_pool(actor=request.actor, pool_id=pool_id, changes=changes, version=version)
        return Response(_present(request.actor, pool_id))

    @extend_schema(responses={204: None})
    def delete(self, request: ApiRequest, pool_id: UUID) -> Response:
        """Remove the pool, if it has no nodes and never had work."""
        pools.remove_pool(actor=request.actor, pool_id=pool_id)
        return Response(status=204)


class NodeMoveView(ApiView):
    """Moving a node to another pool."""

    required_actions = {"POST": Action.NODE_MANAGE}

    @extend_schema(request=NodeMoveInput, responses=NodeOutput)
    def post(self, request: ApiRequest, node_id: UUID) -> Response:
        """Move a drained node with all its cards to another pool; it stays drained."""
        policies.require(request.actor, Action.NODE_MANAGE, None)
        asked = NodeMoveInput.parse(request)
        pools.move_node(actor=request.actor, node_id=node_id, pool_id=asked["pool"])
        [shown] = present_nodes(request.actor, [selectors.node_visible_to(request.actor, node_id)])
        return Response(shown)


def _present(actor: Actor, pool_id: UUID) -> dict[str, Any]:
    [shown] = present_pools(actor, [selectors.pool_visible_to(actor, pool_id)])
    return shown
