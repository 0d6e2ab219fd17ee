"""Images that the portal orders to pull, on a real engine: reported, with progress, given up, refused."""

import asyncio
import threading
from collections.abc import Sequence

import pytest

from nodeagent.docker.images.image_store import ImageStore
from nodeagent.docker.images.ordered_pulls import OrderedImagePulls
from tests.docker_registry import DockerRegistry, Logins
from tests.fakes.work import SLEEPS, an_order, ignore_progress
from tests.nodeagent.docker.daemon.conftest import FaultyNode
from tests.nodeagent.docker.daemon.images import packed, with_file
from tests.nodeagent.docker.daemon.registry import Registry, random_image
from tests.tiny_image import programs_root
from tests.waiting import PATIENCE_S, wait_until_async
from wire.node_images import CachedImage, NodeImagesReport, OrderedPull, OrderedPulls, PullReport
from wire.words import PullPhase

pytestmark = pytest.mark.docker


class OrderingPortal:
    """A portal that orders pulls until they are reported as ended."""

    def __init__(self, *orders: OrderedPull) -> None:
        self.orders: Sequence[OrderedPull] = orders
        self.heard: list[NodeImagesReport] = []

    async def exchange_images(self, report: NodeImagesReport) -> OrderedPulls | None:
        self.heard.append(report)
        ended = {
            item.pull for item in report.pulls if item.phase in (PullPhase.DONE, PullPhase.FAILED)
        }
        self.orders = [order for order in self.orders if order.pull not in ended]
        return OrderedPulls(pulls=tuple(self.orders))

    def last_of(self, pull: str) -> PullReport:
        """Return what was last said of a pull."""
        return [item for report in self.heard for item in report.pulls if item.pull == pull][-1]

    def copy_of(self, reference: str) -> CachedImage | None:
        """Return an image as the last report has it."""
        return next((item for item in self.heard[-1].images if item.reference == reference), None)


def store_of(node: FaultyNode) -> ImageStore:
    return node.runtime().images


async def test_ordered_images_are_pulled_and_listed_with_digest_size_and_layers(
    node: FaultyNode, registry: Registry
) -> None:
    image = random_image()
    reference = registry.serve("ordered", image)
    portal = OrderingPortal(OrderedPull(pull="p1", reference=reference))
    pulls = OrderedImagePulls(store_of(node), portal)
    await pulls.report()
    assert portal.copy_of(reference) is None
    await pulls.pull_all()
    await pulls.report()
    assert portal.last_of("p1").phase is PullPhase.DONE
    assert portal.last_of("p1").progress_pct == 100
    copy = portal.copy_of(reference)
    assert copy is not None
    assert (copy.digest, copy.layers) == (image.image.digest, 1)
    assert copy.size_bytes >= 300_000
    assert copy.since > 0
    await pulls.report()
    assert portal.heard[-1].pulls == (), "it is not ordered any more"


async def test_a_started_container_is_the_last_use_of_its_image(
    node: FaultyNode, hub: DockerRegistry
) -> None:
    hub.push("used", packed(with_file(programs_root(), "name", b"used")))
    runtime, reference = node.runtime(), f"{hub.host}/used:1"
    runtime.images.use_logins(Logins(hub.host).fetch_registry_login)
    runtime.prefetch_images((), (hub.host,))
    await runtime.start(an_order(SLEEPS, image=reference), ignore_progress)
    portal = OrderingPortal()
    await OrderedImagePulls(runtime.images, portal).report()
    copy = portal.copy_of(reference)
    assert copy is not None
    assert copy.used_at > 0


async def test_the_login_is_fetched_for_an_order_that_names_its_registry(
    node: FaultyNode, hub: DockerRegistry
) -> None:
    hub.push("private", packed(with_file(programs_root(), "name", b"private")))
    reference, logins = f"{hub.host}/private:1", Logins(hub.host)
    portal = OrderingPortal(
        OrderedPull(pull="p1", reference=reference, login_host=hub.host),
    )
    store = store_of(node)
    store.use_logins(logins.fetch_registry_login)
    pulls = OrderedImagePulls(store, portal)
    await pulls.report()
    await pulls.pull_all()
    await pulls.report()
    assert portal.last_of("p1").phase is PullPhase.DONE
    assert logins.asked == [hub.host]


async def test_what_cannot_be_pulled_says_why_and_the_next_is_pulled(
    node: FaultyNode, registry: Registry
) -> None:
    good = registry.serve("good", random_image())
    portal = OrderingPortal(
        OrderedPull(pull="p1", reference=registry.reference("nowhere")),
        OrderedPull(pull="p2", reference=good),
    )
    pulls = OrderedImagePulls(store_of(node), portal)
    await pulls.report()
    await pulls.pull_all()
    await pulls.report()
    failed = portal.last_of("p1")
    assert failed.phase is PullPhase.FAILED
    assert failed.detail.startswith("image_not_found")
    assert portal.last_of("p2").phase is PullPhase.DONE


async def test_a_pull_that_is_cancelled_half_way_is_given_up(
    node: FaultyNode, registry: Registry
) -> None:
    image = random_image(3_000_000)
    image.half, image.rest = threading.Event(), threading.Event()
    reference = registry.serve("cancelled", image)
    portal = OrderingPortal(OrderedPull(pull="p1", reference=reference))
    pulls = OrderedImagePulls(store_of(node), portal)
    running = asyncio.create_task(pulls.run())
    try:
        await asyncio.to_thread(image.half.wait, PATIENCE_S)

        async def is_reported() -> bool:
            return any(item.pulls for item in portal.heard)

        await wait_until_async(is_reported)
        assert portal.last_of("p1").phase is PullPhase.PULLING
        portal.orders = ()

        async def is_given_up() -> bool:
            return portal.heard[-1].pulls == ()

        await wait_until_async(is_given_up)
    finally:
        running.cancel()
        image.rest.set()
    with node.daemon.client() as client:
        assert reference not in {tag for one in client.images.list() for tag in one.tags}
