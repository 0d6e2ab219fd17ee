"""Saved images: visible to whom they are for, chosen like others, removed when no work needs them."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from rest_framework.test import APIClient
from typing_extensions import override

from portal.audit.models import AuditEvent
from portal.catalog.models import Image
from portal.common.clock import freeze, now
from portal.common.site_config import RegistryConfig
from portal.identity.models import User
from portal.images import registry_cleanup
from portal.images.models import ImageSave, SavedImage
from portal.tenancy.models import Group, Membership
from portal.workloads.models import Workload
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member, a_user
from tests.builders.saving import DIGEST, REGISTRY, a_report, a_saved_image, a_saving_scene
from tests.rest import API, browser, json_of, pipeline, problem_of
from wire.words import SavePhase

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
LIST = f"{API}/saved-images"


@dataclass
class People:
    """A group with its owner of images, and others."""

    group: Group = field(default_factory=a_group)

    def __post_init__(self) -> None:
        self.owner = a_member(self.group)
        self.colleague = a_member(self.group)
        self.viewer = a_member(self.group, "viewer")
        self.head = a_member(self.group, "group_admin")
        self.outsider = a_member(a_group())
        self.operator = a_user(role="operator")
        self.admin = a_user(role="platform_admin")


@pytest.fixture
def people() -> People:
    return People()


def listed(user: User) -> list[str]:
    return [item["name"] for item in json_of(browser(user).get(LIST))["results"]]


def offered(user: User) -> list[str]:
    """Return the saved images that forms of this person offer."""
    rows = json_of(browser(user).get(f"{API}/images"))["results"]
    return [item["name"] for item in rows if "/" in item["name"]]


def address(saved: SavedImage) -> str:
    return f"{LIST}/{saved.pk}"


# --- Who sees and uses it --------------------------------------------------------------------------


def test_an_image_of_my_own_is_for_nobody_else(people: People) -> None:
    saved = a_saved_image(people.owner, people.group)
    assert listed(people.owner) == offered(people.owner) == [saved.image.name]
    for other in (people.colleague, people.head, people.viewer, people.outsider, people.operator):
        assert listed(other) == offered(other) == []
        problem_of(browser(other).patch(address(saved), {}, format="json"), 404, "not_found")
        problem_of(browser(other).delete(address(saved)), 404, "not_found")
    assert listed(people.admin) == [saved.image.name], "administrators see that it exists"
    assert offered(people.admin) == [], "and cannot run it"


def test_a_shared_image_is_for_the_group(people: People) -> None:
    saved = a_saved_image(people.owner, people.group, is_shared=True)
    for member in (people.owner, people.colleague, people.head, people.viewer):
        assert listed(member) == offered(member) == [saved.image.name]
    for other in (people.outsider, people.operator):
        assert listed(other) == offered(other) == []


def test_a_reference_is_shown_to_nobody_and_the_digest_to_those_who_use_it(people: People) -> None:
    saved = a_saved_image(people.owner, people.group)
    (shown,) = json_of(browser(people.owner).get(LIST))["results"]
    assert (shown["digest"], shown["size_bytes"]) == (DIGEST, saved.size_bytes)
    assert REGISTRY.host not in str(shown)


def test_the_list_takes_constant_queries(
    people: People, django_assert_max_num_queries: Any
) -> None:
    for number in range(10):
        a_saved_image(people.owner, people.group, f"image-{number}")
    client = browser(people.owner)
    with django_assert_max_num_queries(12):
        assert len(json_of(client.get(LIST))["results"]) == 10


def a_job(client: APIClient, group: Group, image: str) -> Any:
    pool = a_pool()
    a_node(pool)
    body = {
        "name": "train",
        "group": str(group.pk),
        "pool": pool.name,
        "image": image,
        "command": ["true"],
        "cpu_milli": 1000,
        "memory_mib": 1024,
    }
    return client.post(f"{API}/jobs", body, format="json")


@pytest.mark.parametrize("is_shared", [False, True])
def test_work_runs_on_an_image_by_its_name_or_id_for_whom_it_is(
    people: People, is_shared: bool
) -> None:
    saved = a_saved_image(people.owner, people.group, is_shared=is_shared)
    for image in (saved.image.name, str(saved.pk)):
        answer = json_of(a_job(browser(people.owner), people.group, image), 202)
        assert answer["image"]["name"] == saved.image.name
        colleague = a_job(browser(people.colleague), people.group, image)
        if is_shared:
            json_of(colleague, 202)
        else:
            problem_of(colleague, 422, "unknown_image")


def test_no_node_fetches_a_saved_image_beforehand_and_no_manager_changes_what_it_refers_to(
    people: People,
) -> None:
    saved = a_saved_image(people.owner, people.group)
    assert saved.image.reference not in a_saving_scene().beat().images
    changed = browser(people.admin).patch(
        f"{API}/images/{saved.pk}", {"reference": "other:1"}, format="json"
    )
    problem_of(changed, 404, "not_found")


# --- Changes -----------------------------------------------------------------------------------------


def test_it_is_renamed_noted_and_shared_by_its_owner(people: People) -> None:
    saved = a_saved_image(people.owner, people.group)
    change = {"name": "better", "note": "new", "is_shared": True}
    shown = json_of(browser(people.owner).patch(address(saved), change, format="json"))
    assert shown["name"] == f"{people.owner.username}/better"
    assert (shown["note"], shown["is_shared"]) == ("new", True)
    assert listed(people.colleague) == [shown["name"]]
    json_of(browser(people.owner).patch(address(saved), {"is_shared": False}, format="json"))
    assert listed(people.colleague) == []
    acts = AuditEvent.objects.filter(object_id=str(saved.pk)).order_by("id")
    assert [act.action for act in acts] == [
        "saved_image.create",
        "saved_image.change",
        "saved_image.change",
    ]


def test_a_name_of_another_one_of_mine_is_taken(people: People) -> None:
    a_saved_image(people.owner, people.group, "first")
    saved = a_saved_image(people.owner, people.group, "second")
    client = browser(people.owner)
    refused = client.patch(address(saved), {"name": "first"}, format="json")
    problem_of(refused, 409, "image_name_taken")
    json_of(client.patch(address(saved), {"name": "second"}, format="json"))


def test_a_group_admin_manages_what_is_shared_and_a_colleague_does_not(people: People) -> None:
    saved = a_saved_image(people.owner, people.group, is_shared=True)
    problem_of(browser(people.colleague).delete(address(saved)), 403, "denied")
    scoped = pipeline(people.owner, "image.view")
    problem_of(scoped.delete(address(saved)), 403, "scope_missing")
    assert browser(people.head).delete(address(saved)).status_code == 204
    assert listed(people.owner) == []


def test_only_its_owner_gives_a_private_image_to_a_group_and_only_to_one_of_the_owners(
    people: People,
) -> None:
    saved = a_saved_image(people.owner, people.group)
    share = {"is_shared": True}
    refused = browser(people.admin).patch(address(saved), share, format="json")
    problem_of(refused, 403, "denied")
    json_of(browser(people.admin).patch(address(saved), {"note": "large"}, format="json"))
    Membership.objects.filter(user=people.owner, group=people.group).delete()
    client = browser(people.owner)
    problem_of(client.patch(address(saved), share, format="json"), 403, "denied")
    json_of(client.patch(address(saved), {"note": "mine"}, format="json"))
    assert listed(people.colleague) == []


# --- Removal -----------------------------------------------------------------------------------------


def test_it_stays_while_work_that_has_not_ended_uses_it(people: People) -> None:
    saved = a_saved_image(people.owner, people.group)
    client = browser(people.owner)
    job = json_of(a_job(client, people.group, saved.image.name), 202)["id"]
    refused = problem_of(client.delete(address(saved)), 409, "image_in_use")
    assert refused["params"] == {"count": 1}
    Workload.objects.filter(pk=job).update(state="cancelled")
    assert client.delete(address(saved)).status_code == 204
    assert listed(people.owner) == offered(people.owner) == []
    problem_of(client.delete(address(saved)), 404, "not_found")
    problem_of(a_job(client, people.group, str(saved.pk)), 422, "unknown_image")
    shown = json_of(client.get(f"{API}/jobs/{job}"))
    assert shown["image"]["title_en"] == f"{people.owner.username}/fixed", "past work names it"
    a_saved_image(people.owner, people.group)  # its name is free


@dataclass
class FakeRegistry:
    """Manifests by repository, and what was asked."""

    tags: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    status: int = 202
    url: str = ""

    def answer(self, method: str, path: str) -> tuple[int, str]:
        self.asked.append(f"{method} {path}")
        if self.status >= 400:
            return self.status, ""
        if method == "HEAD":
            digest = self.tags.get(path, "")
            return (200 if digest else 404), digest
        return self.status, ""

    @property
    def config(self) -> RegistryConfig:
        return RegistryConfig(REGISTRY.host, self.url, "berth", "canary-registry")


@contextmanager
def a_fake_registry() -> Iterator[FakeRegistry]:
    registry = FakeRegistry()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            is_login = self.headers.get("Authorization", "").startswith("Basic ")
            status, digest = registry.answer(self.command, self.path) if is_login else (401, "")
            self.send_response(status)
            self.send_header("Docker-Content-Digest", digest)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_HEAD(self) -> None:
            self._answer()

        def do_DELETE(self) -> None:
            self._answer()

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    registry.url = f"http://127.0.0.1:{server.server_port}"
    yield registry
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_registry_deletes_what_was_removed_once_no_work_needs_it(people: People) -> None:
    saved = a_saved_image(people.owner, people.group)
    client = browser(people.owner)
    assert client.delete(address(saved)).status_code == 204
    later = now() + registry_cleanup.DELETED_AFTER + timedelta(seconds=1)
    with a_fake_registry() as registry:
        registry_cleanup.tidy_registry(registry.config)
        assert registry.asked == [], "a submission that came at the same moment may have it"
        late = Workload.objects.get(
            pk=json_of(a_job(client, people.group, an_image().name), 202)["id"]
        )
        Workload.objects.filter(pk=late.pk).update(image=saved.image)
        with freeze(later):
            registry_cleanup.tidy_registry(registry.config)
            assert registry.asked == []
            Workload.objects.filter(pk=late.pk).update(state="failed")
            registry.status = 503
            registry_cleanup.tidy_registry(registry.config)
            assert SavedImage.objects.get().deleted_at is None
            registry.status = 202
            registry_cleanup.tidy_registry(registry.config)
            registry_cleanup.tidy_registry(registry.config)
    path = saved.image.reference.partition("/")[2].partition("@")[0]
    assert registry.asked == [f"DELETE /v2/{path}/manifests/{DIGEST}"] * 2
    assert SavedImage.objects.get().deleted_at is not None
    assert Image.objects.filter(pk=saved.pk).exists()


def test_what_a_failed_save_has_pushed_is_deleted_too(
    people: People, set_site: Callable[..., None]
) -> None:
    set_site(registry=REGISTRY, saved_image_mib_max=100, saved_images_mib_max=1000)
    saving = a_saving_scene()
    for name in ("pushed", "not-pushed"):
        browser(saving.scene.owner).post(saving.path, {"name": name}, format="json")
        save = ImageSave.objects.order_by("-id")[0]
        saving.beat(a_report(save.pk, SavePhase.FAILED, detail="engine_error"))
    pushed, other = ImageSave.objects.order_by("id")
    with a_fake_registry() as registry, freeze(now() + 2 * registry_cleanup.CLEANED_AFTER):
        registry.tags[f"/v2/berth/{pushed.pk}/manifests/saved"] = DIGEST
        registry_cleanup.tidy_registry(registry.config)
        registry_cleanup.tidy_registry(registry.config)
    assert registry.asked == [
        f"HEAD /v2/berth/{pushed.pk}/manifests/saved",
        f"DELETE /v2/berth/{pushed.pk}/manifests/{DIGEST}",
        f"HEAD /v2/berth/{other.pk}/manifests/saved",
    ]
