"""Which nodes cache a published version, and orders to keep it: what nodes say, and what they are told."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.agentlink import enrolment
from portal.audit.models import AuditEvent
from portal.common.clock import freeze
from portal.common.ids import new_id
from portal.datasets import caches
from portal.datasets.models import Dataset, DatasetVersion
from portal.datasets.places import published_path
from portal.inventory.models import Node, NodeDatasetCache, Pool
from tests.builders.datasets import a_dataset
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member, a_user
from tests.rest import API, browser, json_of, problem_of
from wire.node_datasets import CACHED_VERSIONS_MAX, CachedVersion, NodeDatasetsReport
from wire.words import CachePhase

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def publish(dataset: Dataset, number: int = 2) -> DatasetVersion:
    """Add a version as a publication does."""
    key = new_id()
    return DatasetVersion.objects.create(
        pk=key,
        dataset=dataset,
        number=number,
        place=DatasetVersion.Place.STORAGE,
        path=published_path(key),
        size_bytes=7,
    )


@dataclass
class Site:
    """Two nodes of one pool that cache, one of another, one that does not, and an operator."""

    pool: Pool = field(default_factory=a_pool)

    def __post_init__(self) -> None:
        self.first, self.second = a_node(self.pool, "gpu-1"), a_node(self.pool, "gpu-2")
        self.other = a_node(a_pool(), "gpu-3")
        a_node(self.pool, "plain-1")
        self.dataset = a_dataset("faces", everybody=True)
        self.version = publish(self.dataset)
        self.operator = browser(a_user(role="operator"))
        for node in (self.first, self.second, self.other):
            report(node)

    @property
    def caches(self) -> str:
        """Where copies are ordered."""
        return f"{API}/datasets/{self.dataset.pk}/versions/{self.version.number}/caches"

    def order(self, **where: Any) -> dict[str, Any]:
        """Order copies; return what the page shows of each node."""
        return by_name(json_of(self.operator.post(self.caches, where, format="json"), 202))

    def copy(self, phase: CachePhase, **told: Any) -> CachedVersion:
        """Return the version as a node reports it."""
        return CachedVersion(version=str(self.version.pk), phase=phase, **told)


def report(node: Node, *versions: CachedVersion) -> Any:
    """Report as the agent of a node does; return the answer."""
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {enrolment._new_key(node)}")
    body = NodeDatasetsReport(limit_mib=1024, versions=versions).model_dump()
    return json_of(client.post("/node/v1/datasets", body, format="json"))


def by_name(answer: Any) -> dict[str, Any]:
    return {node["name"]: node for node in answer["nodes"]}


@pytest.fixture
def site() -> Site:
    return Site()


def test_the_nodes_of_a_pool_keep_a_version_until_that_is_taken_back(site: Site) -> None:
    shown = site.order(pool=str(site.pool.pk))
    assert {name: node["is_ordered"] for name, node in shown.items()} == {
        "gpu-1": True,
        "gpu-2": True,
        "gpu-3": False,
    }
    meant = {"version": str(site.version.pk), "path": site.version.path, "size_bytes": 7}
    assert report(site.first) == {"wanted": [meant], "gone": []}
    assert report(site.other)["wanted"] == []
    site.order(pool=str(site.pool.pk))
    (act,) = AuditEvent.objects.filter(action="dataset.cache")
    assert act.params == {"name": "faces@2", "nodes": ["gpu-1", "gpu-2"]}

    json_of(site.operator.delete(site.caches))
    assert report(site.first)["wanted"] == []
    assert AuditEvent.objects.filter(action="dataset.cache_cancel").count() == 1


def test_the_page_shows_how_far_copies_are_and_why_there_is_none(site: Site) -> None:
    report(site.first, site.copy(CachePhase.CACHED, progress_pct=100, size_bytes=7, used_at=1000))
    report(site.second, site.copy(CachePhase.COPYING, progress_pct=40))
    report(site.other, site.copy(CachePhase.FAILED, detail="cache_full: 1024 MiB"))
    member = browser(a_member(a_group()))

    answer = json_of(member.get(site.caches))

    assert answer["may_order"] is False
    copies = {name: node["copy_state"] for name, node in by_name(answer).items()}
    assert copies["gpu-1"]["phase"] == "cached"
    assert copies["gpu-1"]["used_at"] == "1970-01-01T00:00:01Z"
    assert (copies["gpu-2"]["phase"], copies["gpu-2"]["progress_pct"]) == ("copying", 40)
    assert copies["gpu-3"]["detail"] == "cache_full: 1024 MiB"


def test_a_removed_version_and_what_never_was_one_are_gone(site: Site) -> None:
    site.order(nodes=[str(site.first.pk)])
    key = str(site.version.pk)
    stranger = CachedVersion(version="no-id", phase=CachePhase.CACHED)
    assert report(site.first, site.copy(CachePhase.CACHED), stranger)["gone"] == ["no-id"]
    DatasetVersion.objects.filter(pk=site.version.pk).delete()
    answer = report(site.first, site.copy(CachePhase.CACHED))
    assert answer == {"wanted": [], "gone": [key]}


def test_a_report_without_news_is_not_written_and_leaves_orders_alone(site: Site) -> None:
    before = NodeDatasetCache.objects.get(node=site.first).reported_at
    site.order(nodes=[str(site.first.pk)])
    report(site.first)
    row = NodeDatasetCache.objects.get(node=site.first)
    assert (row.reported_at, row.wanted) == (before, [str(site.version.pk)])
    with freeze(before + caches.CACHES_WRITTEN_EVERY + timedelta(seconds=1)):
        report(site.first)
    assert NodeDatasetCache.objects.get(node=site.first).reported_at > before


def test_orders_that_nobody_can_follow_are_refused(site: Site) -> None:
    nobody = {"nodes": [str(new_id())]}
    problem_of(site.operator.post(site.caches, nobody, format="json"), 422, "no_node_can_cache")
    both = {**nobody, "pool": str(site.pool.pk)}
    wrong: tuple[dict[str, Any], ...] = ({}, {"nodes": []}, both)
    for body in wrong:
        problem_of(site.operator.post(site.caches, body, format="json"), 400, "invalid_input")
    here = {"nodes": [str(site.first.pk)]}
    many = [str(new_id()) for _ in range(CACHED_VERSIONS_MAX)]
    NodeDatasetCache.objects.filter(node=site.first).update(wanted=many)
    problem_of(site.operator.post(site.caches, here, format="json"), 422, "too_many_cached")
    of_nodes = site.caches.replace("/2/", "/1/")
    problem_of(site.operator.post(of_nodes, here, format="json"), 409, "dataset_on_nodes")
    problem_of(site.operator.get(site.caches.replace("/2/", "/9/")), 404, "not_found")


def test_only_operators_of_nodes_order_and_only_readers_see(site: Site) -> None:
    member = browser(a_member(a_group()))
    body = {"pool": str(site.pool.pk)}
    problem_of(member.post(site.caches, body, format="json"), 403, "denied")
    problem_of(member.delete(site.caches), 403, "denied")
    Dataset.objects.filter(pk=site.dataset.pk).update(is_for_everybody=False)
    problem_of(member.get(site.caches), 404, "not_found")
