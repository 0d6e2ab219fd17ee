"""Versions of data sets: work gets one at its submission and keeps it, whatever comes later."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.audit.models import AuditEvent
from portal.common.clock import now
from portal.datasets.models import DatasetVersion
from portal.datasets.places import may_have
from portal.datasets.sizes import MEASURED_EVERY, measure_datasets
from portal.inventory.models import Node
from portal.workloads.models import Workload
from portal.workloads.snapshot.loader import load_snapshot
from tests.builders.datasets import a_dataset
from tests.builders.machines import an_image
from tests.builders.people import a_member, a_user
from tests.builders.scenes import Scene, a_scene
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene() -> Scene:
    an_image("python")
    return a_scene(nodes=2)


@pytest.fixture
def admin() -> APIClient:
    return browser(a_user(role="platform_admin"))


def ask(scene: Scene, *datasets: str, kind: str = "jobs") -> Any:
    body = {
        "name": "train",
        "group": str(scene.group.pk),
        "pool": str(scene.pool.pk),
        "image": "python",
        "cpu_milli": 1000,
        "memory_mib": 1024,
        "datasets": list(datasets),
        **({"command": ["true"]} if kind == "jobs" else {}),
    }
    return browser(scene.owner).post(f"{API}/{kind}", body, format="json")


def pinned(scene: Scene, *datasets: str) -> list[str]:
    found: list[str] = json_of(ask(scene, *datasets), 202)["spec"]["datasets"]
    return found


def address(name: str) -> str:
    [dataset] = DatasetVersion.objects.filter(dataset__name=name, number=1)
    return f"{API}/datasets/{dataset.dataset_id}/versions"


def told(scene: Scene) -> list[tuple[str, str, int]]:
    [wanted] = scene.links[0].beat().containers
    return [(item.name, item.path, item.version) for item in wanted.spec.datasets]


def test_a_name_means_the_newest_version_and_work_keeps_what_it_got(
    scene: Scene, admin: APIClient
) -> None:
    a_dataset("faces", "faces/1", everybody=True)
    before = Workload.objects.get(pk=json_of(ask(scene, "faces"), 202)["id"])
    made = json_of(
        admin.post(address("faces"), {"path": "faces/2", "note": "more"}, format="json"), 201
    )

    assert (made["number"], made["state"], made["note"]) == (2, "ready", "more")
    assert made["made_by"]["username"]
    assert pinned(scene, "faces") == ["faces@2"]
    assert pinned(scene, "faces@latest", "faces@2") == ["faces@2"]
    assert pinned(scene, "faces@1") == ["faces@1"]
    assert before.spec["datasets"] == ["faces@1"]
    assert "dataset:faces@1" in before.files
    scene.place(before, scene.placement(0))
    assert told(scene) == [("faces", "faces/1", 1)]


def test_a_manifest_and_a_copy_name_the_version(scene: Scene) -> None:
    a_dataset("faces", "faces/1", "faces/2", everybody=True)
    job = json_of(ask(scene, "faces"), 202)
    manifest = browser(scene.owner).get(f"{API}/jobs/{job['id']}/manifest")

    assert b"faces@2" in manifest.content


def test_an_alias_is_another_name_and_moves(scene: Scene, admin: APIClient) -> None:
    a_dataset("faces", "faces/1", "faces/2", everybody=True)
    for number in (1, 2):
        body = {"alias": "clean"}
        json_of(admin.patch(f"{address('faces')}/{number}", body, format="json"))
        assert pinned(scene, "faces@clean") == [f"faces@{number}"]

    aliases = [item["alias"] for item in json_of(admin.get(address("faces")))]
    assert aliases == ["clean", ""]
    for wrong in ("latest", "3", "UP", "a b"):
        answer = admin.patch(f"{address('faces')}/1", {"alias": wrong}, format="json")
        problem_of(answer, 400, "invalid_input")


def test_what_cannot_be_had_is_said_with_what_can(scene: Scene, admin: APIClient) -> None:
    a_dataset("faces", "faces/1", "faces/2", "faces/3", everybody=True)
    retired = f"{address('faces')}/3"
    json_of(admin.patch(retired, {"state": "retired"}, format="json"))

    unknown = problem_of(ask(scene, "faces@9"), 422, "unknown_dataset_version")
    assert "The newest one is 2" in unknown["detail"]
    problem_of(ask(scene, "faces@none"), 422, "unknown_dataset_version")
    assert (
        "version in use is 2"
        in problem_of(ask(scene, "faces@3"), 422, "dataset_version_retired")["detail"]
    )
    problem_of(ask(scene, "faces@1", "faces@2"), 422, "dataset_named_twice")
    problem_of(ask(scene, "nothing@1"), 422, "unknown_dataset")
    assert pinned(scene, "faces") == ["faces@2"]
    json_of(admin.patch(retired, {"state": "ready"}, format="json"))
    assert pinned(scene, "faces") == ["faces@3"]
    DatasetVersion.objects.update(state="retired")
    problem_of(ask(scene, "faces"), 422, "dataset_without_version")


def test_a_retired_version_is_kept_by_work_that_has_it(scene: Scene, admin: APIClient) -> None:
    a_dataset("faces", "faces/1", everybody=True)
    job = Workload.objects.get(pk=json_of(ask(scene, "faces"), 202)["id"])
    json_of(admin.patch(f"{address('faces')}/1", {"state": "retired"}, format="json"))

    scene.place(job, scene.placement(0))

    assert told(scene) == [("faces", "faces/1", 1)]


def test_a_version_in_use_is_not_removed_and_its_number_never_comes_again(
    scene: Scene, admin: APIClient
) -> None:
    dataset = a_dataset("faces", "faces/1", "faces/2", everybody=True)
    job = json_of(ask(scene, "faces@2"), 202)
    newest = f"{address('faces')}/2"

    refused = problem_of(admin.delete(newest), 409, "dataset_in_use")
    problem_of(admin.delete(f"{API}/datasets/{dataset.pk}"), 409, "dataset_in_use")
    Workload.objects.filter(pk=job["id"]).update(state="cancelled")
    gone = admin.delete(newest)
    made = json_of(admin.post(address("faces"), {"path": "faces/2"}, format="json"), 201)

    assert refused["detail"].startswith("1 notebooks or jobs")
    assert gone.status_code == 204
    assert made["number"] == 3
    problem_of(admin.delete(newest), 404, "not_found")
    problem_of(
        admin.post(address("faces"), {"path": "faces/1"}, format="json"), 409, "dataset_path_taken"
    )
    acts = AuditEvent.objects.filter(object_id=str(dataset.pk)).order_by("id")
    assert [act.action for act in acts] == ["dataset.version_delete", "dataset.version_add"]


def test_heads_see_who_uses_the_data_sets_of_their_group(scene: Scene) -> None:
    own = a_dataset("faces", groups=[scene.group])
    own.owner = scene.group
    own.save()
    a_dataset("roads", groups=[scene.group])
    head = browser(a_member(scene.group, "group_admin"))
    rows = {row["name"]: row for row in json_of(head.get(f"{API}/datasets"))["results"]}
    [version] = json_of(head.get(address("faces")))
    assert (rows["faces"]["workloads"], rows["faces"]["missing_on"]) == (0, [])
    assert [group["id"] for group in rows["faces"]["groups"]] == [str(scene.group.pk)]
    assert (rows["roads"]["workloads"], rows["roads"]["groups"]) == (None, None)
    assert (version["workloads"], version["missing_on"]) == (0, [])


def test_only_managers_see_where_versions_are_and_change_them(
    scene: Scene, admin: APIClient
) -> None:
    a_dataset("faces", groups=[scene.group])
    a_dataset("secret")
    place, reader = address("faces"), browser(scene.owner)

    [shown] = json_of(reader.get(place))
    [managed] = json_of(admin.get(place))

    assert (shown["path"], shown["workloads"], shown["missing_on"]) == (None, None, None)
    assert (managed["path"], managed["workloads"], managed["missing_on"]) == ("sets/faces", 0, [])
    problem_of(reader.get(address("secret")), 404, "not_found")
    problem_of(reader.post(place, {"path": "x"}, format="json"), 403, "denied")
    problem_of(reader.patch(f"{place}/1", {"note": "x"}, format="json"), 403, "denied")
    problem_of(reader.delete(f"{place}/1"), 403, "denied")


def test_each_version_is_looked_for_where_it_is(scene: Scene) -> None:
    a_dataset("faces", "faces/1", "faces/2", "faces/3", everybody=True)
    both = ["faces", "faces/1", "faces/2"]
    Node.objects.filter(pk=scene.nodes[0].pk).update(dataset_folders=both[:2])
    Node.objects.filter(pk=scene.nodes[1].pk).update(dataset_folders=both)
    jobs = [json_of(ask(scene, f"faces@{number}"), 202)["id"] for number in (1, 2, 3)]

    pending = {str(item.id): item for item in load_snapshot().pending}
    first, second, third = (pending[job] for job in jobs)
    assert first.request.home_nodes == set()
    assert second.request.home_nodes == {str(scene.nodes[1].pk)}
    assert [(item.code.value, item.params) for item in third.held] == [
        ("dataset_unavailable", {"dataset": "faces@3"})
    ]


def test_files_are_counted_and_a_version_that_somebody_changed_is_told(
    admin: APIClient, tmp_path: Path
) -> None:
    a_dataset("faces", "faces/1", "elsewhere", everybody=True)
    folder = tmp_path / "faces" / "1" / "train"
    folder.mkdir(parents=True)
    (folder / "a.jpg").write_bytes(b"face")

    assert measure_datasets(tmp_path, tmp_path) == 2
    assert measure_datasets(tmp_path, tmp_path) == 0, "not again on the same day"
    elsewhere, first = json_of(admin.get(address("faces")))
    assert (first["size_bytes"], first["file_count"], first["changed_at"]) == (4, 1, None)
    assert (elsewhere["size_bytes"], elsewhere["file_count"]) == (None, None)

    DatasetVersion.objects.update(measured_at=now() - MEASURED_EVERY - timedelta(minutes=1))
    measure_datasets(tmp_path, tmp_path)
    assert not DatasetVersion.objects.exclude(changed_at=None).exists()
    (folder / "b.jpg").write_bytes(b"other")
    DatasetVersion.objects.update(measured_at=now() - MEASURED_EVERY - timedelta(minutes=1))
    measure_datasets(tmp_path, tmp_path)
    _, first = json_of(admin.get(address("faces")))
    assert (first["size_bytes"], first["file_count"]) == (9, 2)
    assert first["changed_at"]


@pytest.mark.parametrize(
    ("folders", "path", "expected"),
    [
        (None, "faces/1", True),
        ([], "faces", False),
        (["faces"], "faces", True),
        (["faces"], "faces/1", True),
        (["faces", "faces/1"], "faces/1/deeper", True),
        (["faces", "faces/1"], "faces/2", False),
        (["faces", "faces/1"], "faces", True),
        (["faces", "voices", "voices/1"], "faces/2", True),
        (["faces-2", "faces-2/1"], "faces/1", False),
    ],
)
def test_what_a_node_reports_tells_versions_apart(
    folders: list[str] | None, path: str, expected: bool
) -> None:
    assert may_have(folders, path) is expected
