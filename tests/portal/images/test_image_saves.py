"""Saving a notebook as an image: who may, what its node is told, and what its reports become."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.agentlink import enrolment
from portal.audit.models import AuditEvent
from portal.common.clock import freeze, now
from portal.images import image_saves, tasks
from portal.images.models import ImageSave, SavedImage
from portal.images.save_rules import SAVED_IMAGES_PER_USER_MAX
from portal.tenancy.models import Membership
from portal.workloads.models import Workload
from tests.builders.people import a_member, a_user
from tests.builders.saving import (
    DIGEST,
    MIB,
    REGISTRY,
    SavingScene,
    a_report,
    a_saved_image,
    a_saving_scene,
)
from tests.rest import API, browser, json_of, pipeline, problem_of, stranger
from wire.images import SaveImage
from wire.words import SavePhase

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
BODY = {"name": "torch-fixed", "note": "with flash-attn", "is_shared": False}


@pytest.fixture(autouse=True)
def registry(set_site: Callable[..., None]) -> None:
    set_site(registry=REGISTRY, saved_image_mib_max=100, saved_images_mib_max=1000)


@pytest.fixture
def saving() -> SavingScene:
    return a_saving_scene()


def owner_of(saving: SavingScene) -> APIClient:
    return browser(saving.scene.owner)


def order(saving: SavingScene, **changes: Any) -> ImageSave:
    """Order a save as the owner, and return its row."""
    answer = owner_of(saving).post(saving.path, {**BODY, **changes}, format="json")
    return ImageSave.objects.get(pk=json_of(answer, 202)["id"])


def shown(saving: SavingScene) -> Any:
    return json_of(owner_of(saving).get(saving.path))


# --- From the page to the catalogue ---------------------------------------------------------------


def test_a_save_is_ordered_reported_and_becomes_an_image_of_its_owner(saving: SavingScene) -> None:
    assert shown(saving)["blocker"] is None
    save = order(saving)
    (sent,) = saving.beat().image_saves
    assert sent == SaveImage(
        save=str(save.pk),
        allocation=saving.held.wire_name,
        epoch=saving.held.epoch,
        reference=f"{REGISTRY.host}/berth/{save.pk}:saved",
        bytes_max=100 * MIB,
    )
    saving.beat(a_report(save.pk, SavePhase.COMMITTING))
    assert shown(saving)["latest"]["state"] == "committing"
    pushing = a_report(save.pk, SavePhase.PUSHING, done_bytes=3, total_bytes=9, size_bytes=12)
    saving.beat(pushing)
    found = shown(saving)["latest"]
    assert (found["state"], found["done_bytes"], found["total_bytes"]) == ("pushing", 3, 9)

    assert saving.beat(a_report(save.pk)).image_saves == (), "the node may forget it"

    row = SavedImage.objects.get()
    image = row.image
    assert (image.name, image.owner, image.group) == (
        f"{saving.scene.owner.username}/torch-fixed",
        saving.scene.owner,
        None,
    )
    assert image.reference == f"{REGISTRY.host}/berth/{save.pk}@{DIGEST}"
    assert (row.digest, row.size_bytes, row.base) == (DIGEST, 7 * MIB, saving.notebook.image)
    assert (row.workload_id, row.workload_name) == (saving.notebook.pk, "lab")
    latest = shown(saving)["latest"]
    assert (latest["state"], latest["image"]["name"]) == ("saved", image.name)
    acts = AuditEvent.objects.order_by("id").values_list("action", flat=True)
    assert list(acts) == ["image.save", "saved_image.create"]


def test_a_repeated_or_late_report_makes_no_second_image(saving: SavingScene) -> None:
    save = order(saving)
    saving.beat(a_report(save.pk))
    saving.beat(a_report(save.pk))
    saving.beat(a_report(save.pk, SavePhase.FAILED, detail="engine_error: late"))
    save.refresh_from_db()
    assert save.state == "saved"
    assert SavedImage.objects.count() == 1


def test_a_failure_has_its_code_and_what_the_node_said(saving: SavingScene) -> None:
    save = order(saving)
    saving.beat(a_report(save.pk, SavePhase.FAILED, detail="disk_full: 1 MiB free"))
    latest = shown(saving)["latest"]
    assert (latest["state"], latest["code"]) == ("failed", "disk_full")
    assert latest["detail"] == "disk_full: 1 MiB free"
    order(saving)  # another try


@pytest.mark.parametrize(
    ("report", "code"),
    [
        ({"size_bytes": 101 * MIB}, "image_too_large"),
        ({"digest": ""}, "engine_error"),
        ({"digest": "sha256:../../etc"}, "engine_error"),
    ],
)
def test_what_a_node_only_claims_to_have_saved_is_no_image(
    saving: SavingScene, report: dict[str, Any], code: str
) -> None:
    save = order(saving)
    saving.beat(a_report(save.pk, **report))
    save.refresh_from_db()
    assert (save.state, save.code) == ("failed", code)
    assert not SavedImage.objects.exists()


def test_another_node_says_nothing_about_it(saving: SavingScene) -> None:
    save = order(saving)
    other = a_saving_scene()
    other.beat(a_report(save.pk))
    other.beat(a_report("not-an-id"))
    save.refresh_from_db()
    assert save.state == "ordered"


def test_a_name_that_was_taken_meanwhile_fails_the_save(saving: SavingScene) -> None:
    save = order(saving)
    a_saved_image(saving.scene.owner, saving.scene.group, "torch-fixed")
    saving.beat(a_report(save.pk))
    save.refresh_from_db()
    assert (save.state, save.code) == ("failed", "image_name_taken")


def test_space_that_was_taken_meanwhile_fails_the_save(saving: SavingScene) -> None:
    save = order(saving)
    a_saved_image(saving.scene.owner, saving.scene.group, "large", mib=999)
    saving.beat(a_report(save.pk))
    save.refresh_from_db()
    assert (save.state, save.code) == ("failed", "saved_images_full")


def test_a_cancelled_save_is_ordered_no_more(saving: SavingScene) -> None:
    save = order(saving)
    json_of(owner_of(saving).delete(saving.path), 202)
    assert saving.beat(a_report(save.pk)).image_saves == ()
    save.refresh_from_db()
    assert save.state == "cancelled"
    problem_of(owner_of(saving).delete(saving.path), 409, "save_not_under_way")


def test_a_save_of_which_nothing_is_heard_ends(saving: SavingScene) -> None:
    save = order(saving)
    with freeze(now() + image_saves.SILENT_MAX - timedelta(minutes=1)):
        saving.beat(a_report(save.pk, SavePhase.COMMITTING))
        tasks.tend_saved_images()
    with freeze(now() + 2 * image_saves.SILENT_MAX - timedelta(minutes=2)):
        tasks.tend_saved_images()
        save.refresh_from_db()
        assert save.state == "committing"
    with freeze(now() + 2 * image_saves.SILENT_MAX + timedelta(minutes=1)):
        tasks.tend_saved_images()
    save.refresh_from_db()
    assert (save.state, save.code) == ("failed", "save_timed_out")


def test_a_save_goes_on_when_the_portal_was_away_and_its_node_was_not(saving: SavingScene) -> None:
    save = order(saving)
    saving.beat(a_report(save.pk, SavePhase.COMMITTING))
    back = now() + timedelta(hours=5)
    with freeze(back):
        tasks.tend_saved_images()
        assert shown(saving)["latest"]["code"] == image_saves.TIMED_OUT
        pushing = a_report(save.pk, SavePhase.PUSHING, done_bytes=3, total_bytes=9)
        (still,) = saving.beat(pushing).image_saves
        assert still.save == str(save.pk)
        found = shown(saving)["latest"]
        assert (found["state"], found["code"], found["ended_at"]) == ("pushing", "", None)
        tasks.tend_saved_images()
        saving.beat(a_report(save.pk))
        assert shown(saving)["latest"]["state"] == "saved"


def test_a_save_that_timed_out_stays_so_once_another_was_ordered_or_time_went_by(
    saving: SavingScene,
) -> None:
    save = order(saving)
    with freeze(now() + timedelta(hours=5)):
        tasks.tend_saved_images()
        order(saving, name="another")
        saving.beat(a_report(save.pk))
    with freeze(now() + timedelta(hours=10)):
        tasks.tend_saved_images()
    with freeze(now() + timedelta(hours=11)):
        for row in ImageSave.objects.all():
            saving.beat(a_report(row.pk))
    assert not SavedImage.objects.exists()
    assert set(ImageSave.objects.values_list("code", flat=True)) == {image_saves.TIMED_OUT}


def test_an_image_is_not_given_to_a_group_that_its_owner_has_left(saving: SavingScene) -> None:
    save = order(saving, is_shared=True)
    Membership.objects.filter(user=saving.scene.owner).delete()
    saving.beat(a_report(save.pk))
    assert SavedImage.objects.get().image.group is None


# --- Why not ---------------------------------------------------------------------------------------


def refused(saving: SavingScene, code: str, **changes: Any) -> Any:
    """Assert that page and order give the same reason."""
    assert shown(saving)["blocker"]["code"] == code
    answer = owner_of(saving).post(saving.path, {**BODY, **changes}, format="json")
    return problem_of(answer, 409, code)


def test_without_a_registry_the_page_says_so(
    saving: SavingScene, set_site: Callable[..., None]
) -> None:
    set_site(registry=None)
    refused(saving, "save_needs_registry")


@pytest.mark.parametrize(
    ("runtime", "saves_images", "code"),
    [
        ("process", False, "save_needs_engine"),
        ("docker", False, "save_needs_newer_agent"),
    ],
)
def test_a_node_that_cannot_save_is_named(runtime: str, saves_images: bool, code: str) -> None:
    saving = a_saving_scene(runtime=runtime, saves_images=saves_images)
    refused(saving, code)
    assert saving.beat().image_saves == ()


def test_only_a_running_notebook_can_be_saved(saving: SavingScene) -> None:
    Workload.objects.filter(pk=saving.notebook.pk).update(state="stopping")
    refused(saving, "not_running")


def test_one_save_at_a_time(saving: SavingScene) -> None:
    order(saving)
    refused(saving, "save_under_way", name="another")


def test_a_person_has_so_many_images_and_so_much_in_them(
    saving: SavingScene, set_site: Callable[..., None]
) -> None:
    owner, group = saving.scene.owner, saving.scene.group
    for number in range(SAVED_IMAGES_PER_USER_MAX):
        a_saved_image(owner, group, f"image-{number}", mib=1)
    assert refused(saving, "too_many_saved_images")["params"] == {
        "limit": SAVED_IMAGES_PER_USER_MAX
    }
    set_site(saved_images_mib_max=SAVED_IMAGES_PER_USER_MAX)
    SavedImage.objects.filter(image__name__endswith="image-0").update(removed_at=now())
    SavedImage.objects.filter(image__name__endswith="image-1").update(size_bytes=2 * MIB)
    assert refused(saving, "saved_images_full")["params"] == {"used": 20, "limit": 20}


def test_the_image_may_be_as_large_as_what_is_left(saving: SavingScene) -> None:
    a_saved_image(saving.scene.owner, saving.scene.group, "large", mib=960)
    assert shown(saving)["size_mib_max"] == 40
    assert order(saving).bytes_max == 40 * MIB


def test_a_name_is_once_per_person(saving: SavingScene) -> None:
    a_saved_image(saving.scene.owner, saving.scene.group, "torch-fixed")
    answer = owner_of(saving).post(saving.path, BODY, format="json")
    problem_of(answer, 409, "image_name_taken")
    a_saved_image(a_user(), saving.scene.group, "other")
    order(saving, name="other")


@pytest.mark.parametrize("name", ["", "A", "a b", "-a", "a/b", "x" * 31, 7])
def test_a_name_that_no_request_could_use_is_refused(saving: SavingScene, name: object) -> None:
    answer = owner_of(saving).post(saving.path, {**BODY, "name": name}, format="json")
    assert answer.status_code == 400
    assert {fault["pointer"] for fault in answer.json()["errors"]} == {"/name"}


# --- Who may ---------------------------------------------------------------------------------------


def test_only_the_owner_saves_and_cancels(saving: SavingScene) -> None:
    group = saving.scene.group
    for user in (
        a_member(group),
        a_member(group, "group_admin"),
        a_user(role="platform_admin"),
        a_user(role="operator"),
    ):
        client = browser(user)
        assert client.post(saving.path, BODY, format="json").status_code == 403
        assert client.delete(saving.path).status_code == 403
        json_of(client.get(saving.path))
    outsider = browser(a_member(a_saving_scene().scene.group))
    problem_of(outsider.get(saving.path), 404, "not_found")
    problem_of(outsider.post(saving.path, BODY, format="json"), 404, "not_found")
    assert stranger().get(saving.path).status_code == 401
    reader = pipeline(saving.scene.owner, "workload.view")
    problem_of(reader.post(saving.path, BODY, format="json"), 403, "scope_missing")


# --- The login of the registry -----------------------------------------------------------------------


def ask_for_login(saving: SavingScene) -> Any:
    """Ask as the agent of the node does."""
    client = APIClient()
    key = enrolment._new_key(saving.scene.nodes[0])
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    return client.post("/node/v1/registry", {}, format="json")


def test_a_node_gets_the_login_while_it_saves_and_not_before(saving: SavingScene) -> None:
    problem_of(ask_for_login(saving), 404, "not_found")
    save = order(saving)
    answer = ask_for_login(saving)
    assert json_of(answer) == {
        "host": REGISTRY.host,
        "username": "berth",
        "password": REGISTRY.password,
    }
    assert answer["Cache-Control"] == "no-store"
    saving.beat(a_report(save.pk))
    problem_of(ask_for_login(saving), 404, "not_found")
    assert stranger().post("/node/v1/registry", {}, format="json").status_code == 401


def test_a_node_gets_the_login_for_work_on_a_saved_image(saving: SavingScene) -> None:
    saved = a_saved_image(saving.scene.owner, saving.scene.group)
    Workload.objects.filter(pk=saving.notebook.pk).update(image=saved.image)
    json_of(ask_for_login(saving))
    (sent,) = saving.beat().containers
    assert (sent.spec.image, sent.spec.has_registry_login) == (saved.image.reference, True)


def test_the_password_is_in_no_answer_and_no_message(saving: SavingScene) -> None:
    order(saving)
    said = [
        saving.beat().model_dump_json(),
        owner_of(saving).get(saving.path).content.decode(),
        owner_of(saving).get(f"{API}/saved-images").content.decode(),
        repr(REGISTRY),
        str(list(AuditEvent.objects.values())),
    ]
    assert not [text for text in said if REGISTRY.password in text]
