"""Endpoints of the nodes that keep a published version on their disks."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import from_millis
from portal.common.rest.refs import TitledRef
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.datasets import caches
from portal.datasets.caches import NodeCache
from portal.datasets.models import DatasetVersion
from portal.inventory.node_choice import NodeChoiceInput
from portal.tenancy import policies
from wire.words import CachePhase


class DatasetCacheInput(NodeChoiceInput):
    """Where to keep a version: on the nodes of a pool, or on these nodes."""


class CachedCopyShape(serializers.Serializer[Any]):
    """A copy of a version on the disk of a node, or on its way there."""

    phase = serializers.ChoiceField(choices=[phase.value for phase in CachePhase])
    progress_pct = serializers.IntegerField()
    size_bytes = serializers.IntegerField(help_text="0 before it is known.")
    used_at = serializers.DateTimeField(
        allow_null=True, help_text="When work last mounted it; null is never."
    )
    detail = serializers.CharField(help_text="Why it failed; begins with a code.")


class CachingNodeShape(serializers.Serializer[Any]):
    """A node that caches published versions."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    pool = TitledRef()
    limit_mib = serializers.IntegerField(help_text="How much its cache may hold.")
    reported_at = serializers.DateTimeField()
    copy_state = CachedCopyShape(
        allow_null=True, help_text="Null where work mounts it from the storage."
    )
    is_ordered = serializers.BooleanField(
        help_text="Whether it is to be kept; else it goes when the cache needs its room."
    )


class DatasetCachesShape(serializers.Serializer[Any]):
    """On which nodes a version is cached."""

    may_order = serializers.BooleanField()
    nodes = CachingNodeShape(many=True)


class DatasetCachesView(ApiView):
    """The nodes that keep a version on their disks."""

    required_actions = {
        "GET": Action.NODE_VIEW,
        "POST": Action.NODE_MANAGE,
        "DELETE": Action.NODE_MANAGE,
    }
    is_paged = False

    @extend_schema(responses=DatasetCachesShape)
    def get(self, request: ApiRequest, dataset_id: UUID, number: int) -> Response:
        """Return every node with a cache, and how far its copy is."""
        NoFilters.parse(request)
        return Response(_present(request.actor, dataset_id, number))

    @extend_schema(request=DatasetCacheInput, responses={202: DatasetCachesShape})
    def post(self, request: ApiRequest, dataset_id: UUID, number: int) -> Response:
        """Order nodes to keep the version on their disks; those that have it do nothing."""
        caches.version_for_caches(request.actor, dataset_id, number)
        given = DatasetCacheInput.parse(request)
        caches.order_copies(
            actor=request.actor,
            dataset_id=dataset_id,
            number=number,
            node_ids=set(given.get("nodes", ())),
            pool_id=given.get("pool"),
        )
        return Response(_present(request.actor, dataset_id, number), status=202)

    @extend_schema(responses={200: DatasetCachesShape})
    def delete(self, request: ApiRequest, dataset_id: UUID, number: int) -> Response:
        """Take the orders back: copies that are there go when others need their room."""
        caches.cancel_copies(actor=request.actor, dataset_id=dataset_id, number=number)
        return Response(_present(request.actor, dataset_id, number))


def _present(actor: Actor, dataset_id: UUID, number: int) -> Any:
    version = caches.version_for_caches(actor, dataset_id, number)
    is_published = version.place == DatasetVersion.Place.STORAGE
    shown = {
        "may_order": is_published and policies.can(actor, Action.NODE_MANAGE, None),
        "nodes": [_present_cache(cache) for cache in caches.caches_of(actor, version)],
    }
    return DatasetCachesShape(shown).data


def _present_cache(cache: NodeCache) -> dict[str, Any]:
    used_at = cache.copy["used_at"] if cache.copy else 0
    return {
        "id": cache.node.pk,
        "name": cache.node.name,
        "pool": cache.node.pool,
        "limit_mib": cache.limit_mib,
        "reported_at": cache.reported_at,
        "copy_state": cache.copy
        and {**cache.copy, "used_at": from_millis(used_at) if used_at else None},
        "is_ordered": cache.is_wanted,
    }
