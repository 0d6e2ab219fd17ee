"""What nodes have copies of, as the scheduler sees it."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.common.clock import freeze, now
from portal.common.site_config import get_site_config
from portal.datasets.caches import receive_report as receive_datasets
from portal.datasets.references import pinned
from portal.images.node_images import receive_report as receive_images
from portal.inventory.models import Node
from portal.workloads.snapshot.cached_contents import load_cached_contents
from portal.workloads.snapshot.loader import load_snapshot
from scheduler.core.cycle import run_cycle
from tests.builders.datasets import a_dataset
from tests.builders.machines import an_image
from tests.builders.scenes import Scene, a_scene
from wire.node_datasets import CachedVersion, NodeDatasetsReport
from wire.node_images import CachedImage, NodeImagesReport
from wire.words import CachePhase

pytestmark = pytest.mark.django_db(transaction=True)
GIB = 2**30


def has_images(node: Node, *references: str) -> None:
    images = tuple(CachedImage(reference=name, size_bytes=9 * GIB, layers=7) for name in references)
    receive_images(node.pk, NodeImagesReport(images=images), get_site_config())


def has_versions(node: Node, *versions: CachedVersion) -> None:
    receive_datasets(node.pk, NodeDatasetsReport(limit_mib=100_000, versions=versions))


def nodes_of_starts(scene: Scene) -> dict[str, str]:
    names = {str(node.pk): node.name for node in scene.nodes}
    snapshot = load_snapshot()
    plan = run_cycle(snapshot, snapshot.taken_at)
    return {str(start.workload): names[start.placements[0].node] for start in plan.starts}


def test_work_starts_on_the_node_that_has_its_image() -> None:
    scene = a_scene(nodes=3)
    image = an_image()
    has_images(scene.nodes[1], image.reference, "other:1")
    work = scene.work(gpus=1, image=image)

    assert nodes_of_starts(scene) == {str(work.pk): scene.nodes[1].name}


def test_work_starts_on_the_node_that_has_its_data_set() -> None:
    scene = a_scene(nodes=3)
    version = a_dataset("voc").versions.get()
    version.place = version.Place.STORAGE
    version.save(update_fields=["place"])
    name = pinned("voc", version.number)
    copying = CachedVersion(version=str(version.pk), phase=CachePhase.COPYING, size_bytes=GIB)
    has_versions(scene.nodes[1], copying)
    has_versions(scene.nodes[2], copying.model_copy(update={"phase": CachePhase.CACHED}))
    work = scene.work(gpus=1, files=[f"dataset:{name}"])

    assert nodes_of_starts(scene) == {str(work.pk): scene.nodes[2].name}
    (content,) = load_snapshot().cached
    assert (content.name, content.size_mib) == (f"dataset:{name}", 1024)


def test_only_lists_that_changed_are_read_again() -> None:
    scene = a_scene(nodes=2)
    has_images(scene.nodes[0], "torch:1")
    has_images(scene.nodes[1], "torch:1", "jax:1")
    load_cached_contents()

    with CaptureQueriesContext(connection) as queries:
        before = {content.name: len(content.nodes) for content in load_cached_contents()}
    with freeze(now() + timedelta(minutes=6)):
        has_images(scene.nodes[1], "torch:1", "jax:1")
    without_news = load_cached_contents()
    has_images(scene.nodes[1], "jax:2")
    after = {content.name: len(content.nodes) for content in load_cached_contents()}

    assert (len(queries), before) == (1, {"image:torch:1": 2, "image:jax:1": 1})
    assert {content.name: len(content.nodes) for content in without_news} == before
    assert after == {"image:torch:1": 1, "image:jax:2": 1}


def test_what_a_node_reports_of_versions_that_do_not_exist_harms_nothing() -> None:
    scene = a_scene(nodes=2)
    has_versions(scene.nodes[0], CachedVersion(version="no-uuid", phase=CachePhase.CACHED))
    work = scene.work(gpus=1)

    assert load_cached_contents() == ()
    assert nodes_of_starts(scene).keys() == {str(work.pk)}
