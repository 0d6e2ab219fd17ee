"""Which nodes have an image, and pulls that operators order: what nodes say, and what they are told."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.agentlink import enrolment
from portal.audit.models import AuditEvent
from portal.catalog.models import Image
from portal.common.clock import freeze, now
from portal.common.site_config import get_site_config
from portal.images import node_images
from portal.images.models import ImagePullOrder
from portal.inventory.models import Node, NodeImageList, Pool
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member, a_user
from tests.builders.saving import DIGEST, REGISTRY, a_saved_image
from tests.rest import API, browser, json_of, problem_of, stranger
from wire.node_images import CachedImage, NodeImagesReport, PullReport
from wire.words import PullPhase

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
SINCE = 1_767_225_600_000


def engine(pool: Pool, name: str) -> Node:
    node = a_node(pool, name)
    node.runtime = "docker"
    node.save(update_fields=["runtime"])
    return node


@dataclass
class Site:
    """Two nodes with an engine in one pool, one in another, one without, and an operator."""

    pool: Pool = field(default_factory=a_pool)
    image: Image = field(default_factory=an_image)

    def __post_init__(self) -> None:
        self.first, self.second = engine(self.pool, "gpu-1"), engine(self.pool, "gpu-2")
        self.other = engine(a_pool(), "gpu-3")
        a_node(self.pool, "plain-1")
        self.operator = browser(a_user(role="operator"))

    @property
    def pulls(self) -> str:
        """Where pulls are ordered."""
        return f"{API}/images/{self.image.pk}/pulls"

    def shown(self, client: APIClient | None = None) -> dict[str, Any]:
        """Return what the page shows of each node."""
        answer = json_of((client or self.operator).get(f"{API}/images/{self.image.pk}/nodes"))
        return {node["name"]: node for node in answer["nodes"]}

    def copy(self) -> CachedImage:
        """Return the image as a node that has it reports it."""
        return CachedImage(
            reference=self.image.reference, digest=DIGEST, size_bytes=7, layers=3, since=SINCE
        )


def report(node: Node, *images: CachedImage, pulls: tuple[PullReport, ...] = ()) -> list[Any]:
    """Report as the agent of a node does; return what it is to pull."""
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {enrolment._new_key(node)}")
    body = NodeImagesReport(images=images, pulls=pulls).model_dump()
    return list(json_of(client.post("/node/v1/images", body, format="json"))["pulls"])


@pytest.fixture
def site() -> Site:
    return Site()


def test_it_is_shown_where_an_image_is_and_where_that_is_not_known(site: Site) -> None:
    report(site.first, site.copy())
    report(site.second)
    shown = site.shown()
    assert list(shown) == ["gpu-1", "gpu-2", "gpu-3"], "only those with an engine"
    assert shown["gpu-1"]["cached"] == {
        "digest": DIGEST,
        "size_bytes": 7,
        "layers": 3,
        "since": "2026-01-01T00:00:00Z",
        "used_at": None,
    }
    assert (shown["gpu-2"]["cached"], shown["gpu-3"]["cached"]) == (None, None)
    assert shown["gpu-2"]["reported_at"] is not None
    assert shown["gpu-3"]["reported_at"] is None
    report(site.first)
    assert site.shown()["gpu-1"]["cached"] is None


def test_a_list_without_news_is_not_written_each_time(site: Site) -> None:
    message = NodeImagesReport(images=(site.copy(),))
    node_images.receive_report(site.first.pk, message, get_site_config())
    before = NodeImageList.objects.get().reported_at
    node_images.receive_report(site.first.pk, message, get_site_config())
    assert NodeImageList.objects.get().reported_at == before
    with freeze(before + node_images.WRITTEN_EVERY + timedelta(seconds=1)):
        node_images.receive_report(site.first.pk, message, get_site_config())
    assert NodeImageList.objects.get().reported_at > before


def test_the_nodes_of_a_pool_are_ordered_to_pull_what_they_lack(site: Site) -> None:
    report(site.first, site.copy())
    for node in (site.second, site.other):
        assert report(node) == []
    json_of(site.operator.post(site.pulls, {"pool": str(site.pool.pk)}, format="json"), 202)
    assert report(site.first, site.copy()) == []
    assert report(site.other) == []
    (order,) = report(site.second)
    assert (order["reference"], order["login_host"]) == (site.image.reference, "")
    again = site.operator.post(site.pulls, {"pool": str(site.pool.pk)}, format="json")
    json_of(again, 202)
    assert report(site.second) == [order], "one at a time"
    (act,) = AuditEvent.objects.filter(action="image.pull")
    assert act.params == {"name": site.image.name, "nodes": ["gpu-2"]}


def test_a_pull_is_watched_until_it_is_done(site: Site) -> None:
    report(site.first)
    json_of(site.operator.post(site.pulls, {"nodes": [str(site.first.pk)]}, format="json"), 202)
    (order,) = report(site.first)

    def told(phase: PullPhase, **more: Any) -> PullReport:
        return PullReport(pull=order["pull"], phase=phase, **more)

    report(site.first, pulls=(told(PullPhase.PULLING, progress_pct=40),))
    pull = site.shown()["gpu-1"]["pull"]
    assert (pull["state"], pull["progress_pct"], pull["ended_at"]) == ("pulling", 40, None)
    assert report(site.first, site.copy(), pulls=(told(PullPhase.DONE, progress_pct=100),)) == []
    late = report(site.first, site.copy(), pulls=(told(PullPhase.PULLING, progress_pct=50),))
    assert late == []
    pull = site.shown()["gpu-1"]["pull"]
    assert (pull["state"], pull["progress_pct"]) == ("done", 100)


def test_a_failed_pull_says_why_and_can_be_ordered_again(site: Site) -> None:
    report(site.first)
    body = {"nodes": [str(site.first.pk)]}
    json_of(site.operator.post(site.pulls, body, format="json"), 202)
    (order,) = report(site.first)
    failed = PullReport(pull=order["pull"], phase=PullPhase.FAILED, detail="image_not_found: x")
    assert report(site.first, pulls=(failed,)) == []
    pull = site.shown()["gpu-1"]["pull"]
    assert (pull["state"], pull["detail"]) == ("failed", "image_not_found: x")
    json_of(site.operator.post(site.pulls, body, format="json"), 202)
    (next_order,) = report(site.first)
    assert next_order["pull"] != order["pull"]


def test_pulls_are_cancelled(site: Site) -> None:
    report(site.first)
    json_of(site.operator.post(site.pulls, {"nodes": [str(site.first.pk)]}, format="json"), 202)
    json_of(site.operator.delete(site.pulls))
    assert report(site.first) == []
    assert site.shown()["gpu-1"]["pull"]["state"] == "cancelled"
    json_of(site.operator.delete(site.pulls))
    assert AuditEvent.objects.filter(action="image.pull_cancel").count() == 1


def test_a_pull_of_which_nothing_is_heard_ends_and_is_forgotten_later(site: Site) -> None:
    report(site.first)
    json_of(site.operator.post(site.pulls, {"nodes": [str(site.first.pk)]}, format="json"), 202)
    node_images.tend_pulls()
    assert ImagePullOrder.objects.get().state == "ordered"
    with freeze(now() + node_images.SILENT_MAX + timedelta(minutes=1)):
        node_images.tend_pulls()
    row = ImagePullOrder.objects.get()
    assert (row.state, row.detail) == ("failed", "pull_timed_out")
    with freeze(now() + 2 * node_images.ORDERS_KEPT):
        node_images.tend_pulls()
    assert not ImagePullOrder.objects.exists()


def test_who_may_order(site: Site) -> None:
    report(site.first)
    body = {"nodes": [str(site.first.pk)]}
    group = a_group()
    for person in (a_member(group, "group_admin"), a_user(role="auditor")):
        client = browser(person)
        assert set(site.shown(client)) == {"gpu-1", "gpu-2", "gpu-3"}
        problem_of(client.post(site.pulls, body, format="json"), 403, "denied")
        problem_of(client.delete(site.pulls), 403, "denied")
    assert stranger().post("/node/v1/images", {}, format="json").status_code == 401


def test_an_image_of_somebody_else_is_not_there(site: Site) -> None:
    group = a_group()
    owner = a_member(group)
    saved = a_saved_image(owner, group)
    path = f"{API}/images/{saved.pk}/nodes"
    json_of(browser(owner).get(path))
    problem_of(browser(a_member(group)).get(path), 404, "not_found")
    problem_of(
        site.operator.post(
            f"{API}/images/{saved.pk}/pulls", {"nodes": [str(site.first.pk)]}, format="json"
        ),
        404,
        "not_found",
    )


def test_a_saved_image_is_pulled_with_the_login_of_the_platforms_registry(
    site: Site, set_site: Callable[..., None]
) -> None:
    set_site(registry=REGISTRY)
    group = a_group()
    saved = a_saved_image(a_member(group), group)
    admin = browser(a_user(role="platform_admin"))
    report(site.first)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {enrolment._new_key(site.first)}")
    problem_of(client.post("/node/v1/registry", {}, format="json"), 404, "not_found")
    path = f"{API}/images/{saved.pk}/pulls"
    json_of(admin.post(path, {"nodes": [str(site.first.pk)]}, format="json"), 202)
    login = client.post("/node/v1/registry", {"host": REGISTRY.host}, format="json")
    assert json_of(login)["password"] == REGISTRY.password
    (order,) = report(site.first)
    assert (order["reference"], order["login_host"]) == (saved.image.reference, REGISTRY.host)


def test_what_cannot_be_pulled_is_refused(site: Site) -> None:
    nobody = {"nodes": [str(site.first.pk)]}
    problem_of(site.operator.post(site.pulls, nobody, format="json"), 422, "no_node_can_pull")
    both = {**nobody, "pool": str(site.pool.pk)}
    wrong: tuple[dict[str, Any], ...] = ({}, {"nodes": []}, both, {"nodes": ["x"]})
    for body in wrong:
        problem_of(site.operator.post(site.pulls, body, format="json"), 400, "invalid_input")
    report(site.first)
    Image.objects.filter(pk=site.image.pk).update(is_active=False)
    admin = browser(a_user(role="platform_admin"))
    problem_of(admin.post(site.pulls, nobody, format="json"), 409, "image_withdrawn")
