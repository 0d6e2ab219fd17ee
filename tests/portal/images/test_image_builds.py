"""Building images: who may, what is refused, what a node is told, and what becomes of the job."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from portal.audit.models import AuditEvent
from portal.catalog.models import Image
from portal.images.models import ImageSave, SavedImage
from portal.images.save_rules import SAVED_IMAGES_PER_USER_MAX
from portal.inventory.models import Node
from portal.tenancy.models import Membership
from portal.workloads.models import Workload
from portal.workloads.snapshot.loader import load_snapshot
from scheduler.core.model.entities import PendingWorkload
from tests.builders.machines import a_node, an_image
from tests.builders.people import a_member, a_user
from tests.builders.saving import (
    DIGEST,
    MIB,
    REGISTRY,
    BuildingScene,
    a_building_scene,
    a_report,
    a_saved_image,
    a_saving_scene,
)
from tests.builders.scenes import cancel
from tests.rest import browser, json_of, pipeline, problem_of, stranger
from wire.images import SaveImage
from wire.words import SavePhase

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
PATH = "/api/v1/image-builds"


@pytest.fixture(autouse=True)
def registry(set_site: Callable[..., None]) -> None:
    set_site(registry=REGISTRY, saved_image_mib_max=100, saved_images_mib_max=1000)


@pytest.fixture
def building() -> BuildingScene:
    return a_building_scene()


def submit(building: BuildingScene, **changes: Any) -> Workload:
    answer = browser(building.scene.owner).post(PATH, building.body(**changes), format="json")
    return Workload.objects.get(pk=json_of(answer, 202)["id"])


def refusal(building: BuildingScene, status: int, code: str, **changes: Any) -> Any:
    answer = browser(building.scene.owner).post(PATH, building.body(**changes), format="json")
    problem = problem_of(answer, status, code)
    assert not Workload.objects.exists()
    return problem


# --- Where it runs --------------------------------------------------------------------------------


def queued_build() -> PendingWorkload:
    """Return the only queued work as the scheduler sees it."""
    (pending,) = load_snapshot().pending
    return pending


def test_a_build_is_bound_to_nodes_that_can(building: BuildingScene) -> None:
    submit(building)
    assert not queued_build().request.home_nodes

    other = a_node(building.scene.pool)

    request = queued_build().request
    assert request.home_nodes == {str(building.scene.nodes[0].pk)}
    assert request.builds_image
    Node.objects.filter(pk=other.pk).update(builds_images=True)
    assert not queued_build().request.home_nodes


def test_a_build_says_when_no_node_can_any_more(building: BuildingScene) -> None:
    submit(building)
    Node.objects.update(builds_images=False)
    assert [item.code.value for item in queued_build().held] == ["builder_unavailable"]


def test_other_work_goes_anywhere(building: BuildingScene) -> None:
    a_node(building.scene.pool)
    building.scene.work()
    assert not queued_build().request.home_nodes


# --- From the request to the catalogue --------------------------------------------------------------


def test_a_build_is_a_job_whose_image_is_its_owners(building: BuildingScene) -> None:
    job = submit(building, note="with numpy", requirements="numpy==2.1")
    assert (job.kind, job.name, job.image) == ("training", "build-made", building.base)
    held = building.place(job)
    (spec,) = [item.spec for item in building.beat(job).containers]
    assert spec.builds_image
    assert "numpy==2.1" in spec.script
    (sent,) = building.beat(job).image_saves
    save = ImageSave.objects.get()
    assert sent == SaveImage(
        save=str(save.pk),
        allocation=held.wire_name,
        epoch=1,
        reference=f"{REGISTRY.host}/berth/{save.pk}:saved",
        bytes_max=100 * MIB,
        is_build=True,
    )

    (told,) = building.beat(job, a_report(save.pk)).image_saves

    assert (told.save, told.verdict) == (sent.save, "saved")
    assert ImageSave.objects.count() == 1
    row = SavedImage.objects.get()
    assert (row.image.name, row.image.owner, row.image.description_en) == (
        f"{building.scene.owner.username}/made",
        building.scene.owner,
        "with numpy",
    )
    assert row.image.reference == f"{REGISTRY.host}/berth/{save.pk}@{DIGEST}"
    assert (row.base, row.workload_id) == (building.base, job.pk)
    building.finish(job)
    assert job.state == "succeeded"
    acts = AuditEvent.objects.order_by("id").values_list("action", flat=True)
    assert list(acts)[:2] == ["workload.submit", "image.build"]
    assert "saved_image.create" in acts


def test_variables_of_a_dockerfile_are_sent_with_the_order(building: BuildingScene) -> None:
    text = f"FROM {building.base.name}\nARG V=2\nENV TOOL=/opt/$V PATH=/opt/bin:$PATH"
    job = submit(building, dockerfile=text, image=None, requirements=None)
    assert job.image == building.base
    building.place(job)
    (sent,) = building.beat(job).image_saves
    assert sent.env == ("TOOL=/opt/2", "PATH=/opt/bin:${PATH}")


def test_what_fails_on_the_node_is_told_to_the_job(building: BuildingScene) -> None:
    job = submit(building)
    building.place(job)
    building.beat(job)
    save = ImageSave.objects.get()
    failed = a_report(save.pk, SavePhase.FAILED, detail="image_too_large: 9")
    (told,) = building.beat(job, failed).image_saves
    assert told.verdict == "image_too_large"
    assert not SavedImage.objects.exists()


def test_a_name_that_was_taken_meanwhile_is_told_to_the_job(building: BuildingScene) -> None:
    job = submit(building)
    building.place(job)
    building.beat(job)
    a_saved_image(building.scene.owner, building.scene.group, "made")
    (told,) = building.beat(job, a_report(ImageSave.objects.get().pk)).image_saves
    assert told.verdict == "image_name_taken"


def test_a_cancelled_build_makes_no_image_even_if_it_was_pushed(building: BuildingScene) -> None:
    job = submit(building)
    building.place(job)
    building.beat(job)
    save = ImageSave.objects.get()
    cancel(job)
    assert building.beat(job, a_report(save.pk)).image_saves == ()
    save.refresh_from_db()
    assert save.state == "cancelled"
    assert not SavedImage.objects.exists()


def test_a_build_that_begins_anew_has_a_save_of_its_own(building: BuildingScene) -> None:
    job = submit(building)
    building.place(job)
    building.beat(job)
    first = ImageSave.objects.get()
    building.lose(job)
    building.place(job)
    (sent,) = building.beat(job).image_saves
    first.refresh_from_db()
    assert first.state == "cancelled"
    assert (sent.epoch, sent.save != str(first.pk)) == (2, True)


def test_an_image_is_not_given_to_a_group_that_its_owner_has_left(building: BuildingScene) -> None:
    job = submit(building, is_shared=True)
    building.place(job)
    building.beat(job)
    Membership.objects.filter(user=building.scene.owner).delete()
    building.beat(job, a_report(ImageSave.objects.get().pk))
    assert SavedImage.objects.get().image.group is None


def test_an_agent_that_cannot_build_is_told_nothing_of_builds(building: BuildingScene) -> None:
    job = submit(building)
    building.place(job)
    building.builds_images = False
    assert building.beat(job).image_saves == ()
    assert not ImageSave.objects.exists()


def test_a_build_stays_in_one_container(building: BuildingScene) -> None:
    job = submit(building)
    client = browser(building.scene.owner)
    answer = client.patch(f"/api/v1/jobs/{job.pk}", {"replicas": 2}, format="json")
    problem_of(answer, 422, "build_on_one_node")
    json_of(client.patch(f"/api/v1/jobs/{job.pk}", {"priority": "low"}, format="json"))


# --- Why not ---------------------------------------------------------------------------------------


def shown(building: BuildingScene) -> Any:
    return json_of(browser(building.scene.owner).get(PATH))


def test_the_page_says_what_a_build_would_be_refused_for(
    building: BuildingScene, set_site: Callable[..., None]
) -> None:
    assert shown(building) == {"blocker": None, "size_mib_max": 100}
    Node.objects.update(builds_images=False)
    assert shown(building)["blocker"]["code"] == "build_needs_newer_agent"
    refusal(building, 409, "build_needs_newer_agent")
    Node.objects.update(runtime="process")
    assert shown(building)["blocker"]["code"] == "build_needs_engine"
    refusal(building, 409, "build_needs_engine")
    set_site(registry=None)
    assert shown(building)["blocker"]["code"] == "build_needs_registry"
    refusal(building, 409, "build_needs_registry")


def test_nodes_of_other_pools_do_not_count(building: BuildingScene) -> None:
    Node.objects.update(builds_images=False)
    a_building_scene()
    assert shown(building)["blocker"] is None
    refusal(building, 409, "build_needs_newer_agent")


def test_builds_that_wait_count_as_images(building: BuildingScene) -> None:
    owner, group = building.scene.owner, building.scene.group
    for number in range(SAVED_IMAGES_PER_USER_MAX - 1):
        a_saved_image(owner, group, f"image-{number}", mib=1)
    first = submit(building)
    answer = browser(owner).post(PATH, building.body(name="more"), format="json")
    problem_of(answer, 409, "too_many_saved_images")
    cancel(first)
    submit(building, name="more")


def test_a_name_is_once_per_person(building: BuildingScene) -> None:
    a_saved_image(building.scene.owner, building.scene.group, "taken")
    refusal(building, 409, "image_name_taken", name="taken")
    submit(building)
    answer = browser(building.scene.owner).post(PATH, building.body(), format="json")
    problem_of(answer, 409, "image_name_taken")


@pytest.mark.parametrize("is_dockerfile", [False, True])
def test_only_images_that_one_may_use_are_built_on(
    building: BuildingScene, *, is_dockerfile: bool
) -> None:
    other = a_saved_image(a_user(), building.scene.group, "private").image
    withdrawn = an_image("withdrawn")
    Image.objects.filter(pk=withdrawn.pk).update(is_active=False)
    for name in (other.name, "withdrawn", "unknown"):
        how: dict[str, Any] = {"image": name}
        if is_dockerfile:
            how = {"dockerfile": f"FROM {name}", "image": None, "requirements": None}
        refusal(building, 422, "unknown_image", **how)
    shared = a_saved_image(a_user(), building.scene.group, "shared", is_shared=True).image
    text = f"FROM {shared.name}\nRUN true"
    job = submit(building, dockerfile=text, image=None, requirements=None)
    assert job.image == shared


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"requirements": ""}, "/requirements"),
        ({"dockerfile": "FROM a"}, "/requirements"),
        ({"image": None}, "/image"),
        ({"requirements": "x" * 32769}, "/requirements"),
        ({"packages": ["-o=evil"]}, "/packages/0"),
        ({"packages": ["a; rm -rf /"]}, "/packages/0"),
        ({"packages": ["a"] * 101}, "/packages"),
        ({"name": "A B"}, "/name"),
        ({"memory_mib": 1}, "/memory_mib"),
        ({"requirements": 7}, "/requirements"),
    ],
)
def test_malformed_input_names_its_field(
    building: BuildingScene, changes: dict[str, Any], pointer: str
) -> None:
    answer = browser(building.scene.owner).post(PATH, building.body(**changes), format="json")
    assert answer.status_code == 400
    assert pointer in {fault["pointer"] for fault in answer.json()["errors"]}


def test_addresses_with_passwords_are_refused(building: BuildingScene) -> None:
    text = "--index-url https://me:s3cret@pypi.example.org/simple\nnumpy"
    problem = refusal(building, 422, "build_has_password", requirements=text)
    assert "s3cret" not in str(problem)


def test_quotes_that_grow_into_a_script_too_long_are_refused(building: BuildingScene) -> None:
    refusal(building, 422, "build_too_long", requirements="'" * 32768)


# --- Who may ---------------------------------------------------------------------------------------


def test_only_those_who_may_submit_work_build(building: BuildingScene) -> None:
    group = building.scene.group
    viewer, outsider = a_member(group, "viewer"), a_member(a_saving_scene().scene.group)
    for user, status in ((viewer, 403), (outsider, 404)):
        assert browser(user).post(PATH, building.body(), format="json").status_code == status
    assert stranger().get(PATH).status_code == 401
    reader = pipeline(building.scene.owner, "workload.view")
    problem_of(reader.post(PATH, building.body(), format="json"), 403, "scope_missing")


def test_a_repeated_request_makes_one_job(building: BuildingScene) -> None:
    client = browser(building.scene.owner)
    client.credentials(HTTP_IDEMPOTENCY_KEY="0f0f")
    first = json_of(client.post(PATH, building.body(), format="json"), 202)
    again = json_of(client.post(PATH, building.body(), format="json"), 202)
    assert UUID(first["id"]) == UUID(again["id"])
    assert Workload.objects.count() == 1
