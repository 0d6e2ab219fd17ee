"""Which nodes keep a published version on their own disk, and orders to keep it there.

A node asks every few seconds (`wire.node_datasets`); what it is to keep stands in each answer.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import ConflictError, InvalidError, NotFoundError
from portal.datasets.models import DatasetVersion
from portal.datasets.references import pinned
from portal.datasets.selectors import dataset_visible_to
from portal.inventory.models import Node, NodeDatasetCache
from portal.inventory.selectors import nodes_visible_to
from portal.tenancy import policies
from wire.node_datasets import (
    CACHED_VERSIONS_MAX,
    NodeDatasetsReport,
    VersionsToCache,
    VersionToCache,
)

CACHES_WRITTEN_EVERY: Final = timedelta(minutes=5)
"""How often a report without news is written down, so that its age says something."""


@dataclass(frozen=True, slots=True)
class NodeCache:
    """A node with a cache, and its copy of one version."""

    node: Node
    limit_mib: int
    reported_at: datetime
    copy: Mapping[str, Any] | None
    """As `wire.node_datasets.CachedVersion`; None where there is none, nor one on its way."""
    is_wanted: bool
    """Whether an operator has ordered it; else it is there because work has mounted it."""


def version_for_caches(actor: Actor, dataset_id: UUID, number: int) -> DatasetVersion:
    """Return a version of a data set that the actor may read.

    Raises:
        NotFoundError: there is none.
    """
    dataset = dataset_visible_to(actor, dataset_id)
    version = next((item for item in dataset.versions.all() if item.number == number), None)
    if version is None:
        raise NotFoundError("dataset_version")
    return version


def caches_of(actor: Actor, version: DatasetVersion) -> list[NodeCache]:
    """Return every node that has a cache, by its name (three queries)."""
    nodes = list(nodes_visible_to(actor).order_by("name"))
    rows = NodeDatasetCache.objects.in_bulk([node.pk for node in nodes])
    found, key = [], str(version.pk)
    for node in nodes:
        if row := rows.get(node.pk):
            copy = next((item for item in row.versions if item["version"] == key), None)
            is_wanted = key in row.wanted
            found.append(NodeCache(node, row.limit_mib, row.reported_at, copy, is_wanted))
    return found


@transaction.atomic
def order_copies(
    *,
    actor: Actor,
    dataset_id: UUID,
    number: int,
    node_ids: Collection[UUID],
    pool_id: UUID | None,
) -> None:
    """Order nodes, or all of a pool, to keep a version on their disks; a repetition changes nothing.

    Raises:
        NotFoundError: the actor may not read it.
        DeniedError: the actor does not operate nodes.
        ConflictError: it was not published: its folder is on the nodes already.
        InvalidError: none of these nodes has a cache, or one is ordered to keep as many as it can.
    """
    policies.require(actor, Action.NODE_MANAGE, None)
    version = version_for_caches(actor, dataset_id, number)
    if version.place != DatasetVersion.Place.STORAGE:
        raise ConflictError("dataset_on_nodes", dataset=_name(version))
    chosen = [
        cache.node
        for cache in caches_of(actor, version)
        if cache.node.pk in node_ids or cache.node.pool_id == pool_id
    ]
    if not chosen:
        raise InvalidError("no_node_can_cache", pointer="/nodes")
    rows = NodeDatasetCache.objects.select_for_update().order_by("node_id")
    ordered = []
    for row in rows.filter(node__in=chosen).select_related("node"):
        if str(version.pk) in row.wanted:
            continue
        if len(row.wanted) >= CACHED_VERSIONS_MAX:
            raise InvalidError("too_many_cached", node=row.node.name, limit=CACHED_VERSIONS_MAX)
        row.wanted = [*row.wanted, str(version.pk)]
        row.save(update_fields=["wanted"])
        ordered.append(row.node.name)
    if ordered:
        _audit(actor, "dataset.cache", version, nodes=sorted(ordered))


@transaction.atomic
def cancel_copies(*, actor: Actor, dataset_id: UUID, number: int) -> None:
    """Let no node keep a version any longer than it has room: copies stay until others need it.

    Raises:
        NotFoundError: the actor may not read it.
        DeniedError: the actor does not operate nodes.
    """
    policies.require(actor, Action.NODE_MANAGE, None)
    version = version_for_caches(actor, dataset_id, number)
    key = str(version.pk)
    rows = NodeDatasetCache.objects.select_for_update().order_by("node_id")
    keeping = list(rows.filter(wanted__contains=[key]))
    for row in keeping:
        row.wanted = [item for item in row.wanted if item != key]
        row.save(update_fields=["wanted"])
    if keeping:
        _audit(actor, "dataset.cache_cancel", version)


def receive_report(node_id: UUID, report: NodeDatasetsReport) -> VersionsToCache:
    """Take over what a node says of its cache; return what it is to keep, and what is no version any more."""
    row = _save(node_id, report)
    reported = {item.version for item in report.versions}
    published = {
        str(version.pk): version
        for version in DatasetVersion.objects.filter(
            pk__in=_as_ids({*reported, *row.wanted}), place=DatasetVersion.Place.STORAGE
        )
    }
    wanted = [published[key] for key in row.wanted if key in published]
    return VersionsToCache(
        wanted=tuple(
            VersionToCache(
                version=str(version.pk), path=version.path, size_bytes=version.size_bytes or 0
            )
            for version in wanted[:CACHED_VERSIONS_MAX]
        ),
        gone=tuple(sorted(reported - published.keys())),
    )


def _save(node_id: UUID, report: NodeDatasetsReport) -> NodeDatasetCache:
    """Write the report down if it says anything new; orders are left alone."""
    versions = [item.model_dump(mode="json") for item in report.versions]
    told = {"limit_mib": report.limit_mib, "versions": versions, "reported_at": now()}
    row = NodeDatasetCache.objects.filter(node=node_id).first()
    if row is None:
        row, _ = NodeDatasetCache.objects.update_or_create(node_id=node_id, defaults=told)
        return row
    is_same = (row.limit_mib, row.versions) == (report.limit_mib, versions)
    if not is_same or now() - row.reported_at >= CACHES_WRITTEN_EVERY:
        NodeDatasetCache.objects.filter(pk=row.pk).update(**told)
    return row


def _as_ids(keys: Collection[str]) -> list[UUID]:
    """Return those that are ids: a node names what it likes."""
    found = []
    for key in keys:
        try:
            found.append(UUID(key))
        except ValueError:
            continue
    return found


def _name(version: DatasetVersion) -> str:
    return pinned(version.dataset.name, version.number)


def _audit(actor: Actor, action: str, version: DatasetVersion, **params: Any) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="dataset",
        object_id=version.dataset_id,
        group_id=version.dataset.owner_id,
        params={"name": _name(version), **params},
    )
