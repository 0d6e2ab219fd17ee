"""Folders of volumes and outputs of jobs become versions of data sets: whole, once, and by whom it may."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.agentlink.mounts import load_mounts
from portal.audit.models import AuditEvent
from portal.common.site_config import get_site_config
from portal.datasets.models import Dataset, DatasetPublication, DatasetVersion
from portal.datasets.publishing.runs import run_publications, tidy_publications
from portal.execution.capabilities import Capabilities
from portal.identity.models import Notice, User
from portal.inventory.models import Node
from portal.inventory.node_storage import STORAGE_LOCAL
from portal.tenancy.models import Membership
from portal.volumes.files import volume_folder
from portal.volumes.models import Volume
from portal.workloads.models import Workload
from portal.workloads.snapshot.loader import load_snapshot
from tests.builders.datasets import a_dataset
from tests.builders.machines import an_image
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_scene
from tests.builders.volumes import a_group_volume, a_home
from tests.rest import API, browser, json_of, problem_of
from wire.versions import PUBLISHED_SINCE

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
URL = f"{API}/dataset-publications"


@dataclass
class Lab:
    """A group with a head and a member, and a volume with a folder to publish."""

    scene: Scene
    storage: Path
    head: User
    volume: Volume

    @property
    def folder(self) -> Path:
        return volume_folder(self.storage, self.volume.pk) / "faces"

    def ask(self, client: APIClient | None = None, **body: Any) -> Any:
        given = {"dataset": "faces", "volume": str(self.volume.pk), "path": "faces", **body}
        wanted = {name: value for name, value in given.items() if value is not None}
        return (client or browser(self.head)).post(URL, wanted, format="json")

    def publish(self, **body: Any) -> dict[str, Any]:
        made = json_of(self.ask(group=str(self.scene.group.pk), **body), 202)
        while run_publications(get_site_config()):
            pass
        return self.shown(made["id"])

    def shown(self, key: str) -> dict[str, Any]:
        found: dict[str, Any] = json_of(browser(self.head).get(f"{URL}/{key}"))
        return found

    def files(self, key: str) -> dict[str, str]:
        top = self.storage / "published" / key
        return {str(it.relative_to(top)): it.read_text() for it in top.rglob("*") if it.is_file()}


@pytest.fixture
def lab(tmp_path: Path, set_site: Callable[..., None]) -> Lab:
    set_site(storage_dir=tmp_path)
    an_image("python")
    scene = a_scene(nodes=2)
    volume = a_group_volume(scene.group, location=Volume.Location.SHARED)
    made = Lab(scene, tmp_path, a_member(scene.group, "group_admin"), volume)
    (made.folder / "train").mkdir(parents=True)
    (made.folder / "train" / "a.txt").write_text("a")
    (made.folder / "b.txt").write_text("bb")
    return made


def job_with(lab: Lab, *datasets: str) -> Workload:
    body = {
        "name": "train",
        "group": str(lab.scene.group.pk),
        "pool": str(lab.scene.pool.pk),
        "image": "python",
        "cpu_milli": 1000,
        "memory_mib": 1024,
        "datasets": list(datasets),
        "command": ["true"],
    }
    answer = browser(lab.scene.owner).post(f"{API}/jobs", body, format="json")
    return Workload.objects.get(pk=json_of(answer, 202)["id"])


def test_who_published_is_told_what_became_of_it(lab: Lab) -> None:
    lab.publish()
    json_of(lab.ask(), 202)
    shutil.rmtree(lab.folder)
    run_publications(get_site_config())

    found = [(row.code, row.params) for row in Notice.objects.filter(user=lab.head).order_by("id")]
    assert found == [
        ("dataset_published", {"dataset": "faces", "number": 1}),
        ("dataset_publish_failed", {"dataset": "faces"}),
    ]
    assert not Notice.objects.exclude(user=lab.head).exists()


def test_a_head_publishes_a_folder_and_the_group_works_with_it(lab: Lab) -> None:
    first = lab.publish(alias="clean", note="first")
    (lab.folder / "b.txt").write_text("changed")
    second = lab.publish()

    assert (first["state"], first["number"], first["failure"]) == ("done", 1, None)
    assert (first["bytes_done"], first["files_done"], first["files_total"]) == (3, 2, 2)
    assert lab.files(first["id"]) == {"train/a.txt": "a", "b.txt": "bb"}
    assert lab.files(second["id"])["b.txt"] == "changed"
    [shown] = json_of(browser(lab.scene.owner).get(f"{API}/datasets"))["results"]
    assert (shown["name"], shown["newest"], shown["may_manage"]) == ("faces", 2, False)
    assert shown["owner"]["name"] == lab.scene.group.name
    versions = json_of(browser(lab.head).get(f"{API}/datasets/{shown['id']}/versions"))
    assert [
        (it["number"], it["alias"], it["place"], it["size_bytes"], it["file_count"], it["path"])
        for it in versions
    ] == [(2, "", "storage", 8, 2, None), (1, "clean", "storage", 3, 2, None)]
    assert versions[0]["made_by"]["username"] == lab.head.username

    job = job_with(lab, "faces@clean")
    lab.scene.place(job, lab.scene.placement(0))
    [wanted] = lab.scene.links[0].beat().containers
    [mount] = wanted.spec.datasets
    assert (mount.name, mount.version, mount.is_published) == ("faces", 1, True)
    assert mount.path == f"published/{first['id']}"
    acts = AuditEvent.objects.filter(object_type="dataset", group_id=lab.scene.group.pk)
    assert list(acts.order_by("id").values_list("action", flat=True)) == [
        "dataset.create",
        *("dataset.publish", "dataset.version_add") * 2,
    ]


def test_outputs_of_a_job_are_published_when_it_has_ended(lab: Lab) -> None:
    job = job_with(lab)
    folder = lab.storage / "outputs" / str(job.pk) / "model"
    folder.mkdir(parents=True)
    (folder / "weights.bin").write_text("w")
    wish: dict[str, Any] = {"volume": None, "job": str(job.pk), "path": "", "dataset": "models"}

    early = lab.ask(group=str(lab.scene.group.pk), **wish)
    Workload.objects.filter(pk=job.pk).update(state="cancelled")
    done = lab.publish(**wish)

    problem_of(early, 409, "job_has_not_ended")
    assert done["state"] == "done"
    assert lab.files(done["id"]) == {"model/weights.bin": "w"}


def test_who_may_not_read_the_source_or_change_the_data_set_is_refused(lab: Lab) -> None:
    group = str(lab.scene.group.pk)
    other = a_group()
    stranger = browser(a_member(other, "group_admin"))
    home = a_home(lab.scene.owner, location=Volume.Location.SHARED)
    (volume_folder(lab.storage, home.pk) / "faces").mkdir(parents=True)
    a_dataset("open", everybody=True)
    a_dataset("hidden", groups=[other])

    problem_of(lab.ask(browser(lab.scene.owner), group=group), 403, "denied")
    problem_of(lab.ask(stranger, group=str(other.pk)), 404, "not_found")
    problem_of(lab.ask(group=str(other.pk)), 404, "not_found")
    problem_of(lab.ask(volume=str(home.pk)), 404, "not_found")
    problem_of(lab.ask(dataset="open"), 403, "denied")
    problem_of(lab.ask(dataset="hidden"), 409, "dataset_name_taken")
    problem_of(lab.ask(), 422, "dataset_needs_group")
    for path in ("none", "../faces", "faces/b.txt", ".berth"):
        answer = lab.ask(path=path, group=group)
        assert answer.status_code in (404, 422), path
    assert lab.ask(volume=None, group=group).status_code == 400
    assert lab.ask(job=str(home.pk), group=group).status_code == 400
    assert not DatasetPublication.objects.exists()
    assert not Dataset.objects.filter(name="faces").exists()


def test_an_administrator_publishes_only_what_she_may_read(lab: Lab) -> None:
    """A role over the platform reads nobody's files."""
    admin = a_user(role="platform_admin")
    problem_of(lab.ask(browser(admin), group=str(lab.scene.group.pk)), 403, "denied")
    Membership.objects.create(user=admin, group=lab.scene.group, role="viewer")
    json_of(lab.ask(browser(admin), group=str(lab.scene.group.pk)), 202)


def test_half_a_version_is_never_seen_and_a_crash_doubles_nothing(lab: Lab) -> None:
    made = json_of(lab.ask(group=str(lab.scene.group.pk)), 202)
    problem_of(lab.ask(), 409, "dataset_is_published")
    for number in range(5):
        (lab.folder / f"{number}.txt").write_text(str(number))
    run_publications(get_site_config(), turn_s=0)
    seen = lab.shown(made["id"])
    assert (seen["state"], seen["number"], seen["files_total"]) == ("copying", None, 7)
    assert not DatasetVersion.objects.exists()
    assert not (lab.storage / "published" / made["id"]).exists()

    # As if killed: between two files, after the rename, and after the version was added.
    while not DatasetVersion.objects.exists():
        run_publications(get_site_config(), turn_s=0)
    for state in ("copying", "waiting"):
        DatasetPublication.objects.update(state=state, number=None, ended_at=None)
        run_publications(get_site_config())

    assert DatasetVersion.objects.count() == 1
    assert (lab.shown(made["id"])["state"], lab.shown(made["id"])["number"]) == ("done", 1)
    assert len(lab.files(made["id"])) == 7


def test_what_goes_wrong_is_said_and_leaves_nothing(lab: Lab) -> None:
    made = json_of(lab.ask(group=str(lab.scene.group.pk)), 202)
    for number in range(3):
        (lab.folder / f"{number}.txt").write_text(str(number))
    run_publications(get_site_config(), turn_s=0)
    shutil.rmtree(lab.folder)
    run_publications(get_site_config())

    failed = lab.shown(made["id"])
    assert (failed["state"], failed["failure"]["code"]) == ("failed", "not_found")
    assert failed["failure"]["detail"].startswith("There is no such")
    assert tidy_publications(lab.storage) == 1
    assert list((lab.storage / "published").iterdir()) == [lab.storage / "published" / ".berth"]
    assert tidy_publications(lab.storage) == 0
    [dataset] = json_of(browser(lab.head).get(f"{API}/datasets"))["results"]
    assert dataset["newest"] is None


def test_a_publication_is_cancelled_by_who_may_manage_it(lab: Lab) -> None:
    made = json_of(lab.ask(group=str(lab.scene.group.pk)), 202)
    place = f"{URL}/{made['id']}"
    run_publications(get_site_config(), turn_s=0)
    problem_of(browser(a_member(a_group(), "group_admin")).delete(place), 404, "not_found")
    assert browser(lab.head).delete(place).status_code == 204
    problem_of(browser(lab.head).delete(place), 409, "publication_has_ended")
    assert not run_publications(get_site_config())
    assert not DatasetVersion.objects.exists()


def test_files_go_with_their_version_and_not_before(lab: Lab) -> None:
    done = lab.publish()
    [dataset] = json_of(browser(lab.head).get(f"{API}/datasets"))["results"]
    address = f"{API}/datasets/{dataset['id']}"
    assert tidy_publications(lab.storage) == 0

    assert browser(lab.head).delete(f"{address}/versions/1").status_code == 204
    assert tidy_publications(lab.storage) == 1
    assert not (lab.storage / "published" / done["id"]).exists()
    again = lab.publish()
    assert again["number"] == 2
    assert browser(lab.head).delete(address).status_code == 204
    assert tidy_publications(lab.storage) == 1
    assert lab.shown(again["id"])["dataset"] is None


def test_a_head_changes_words_and_not_who_else_reads(lab: Lab) -> None:
    lab.publish()
    [dataset] = json_of(browser(lab.head).get(f"{API}/datasets"))["results"]
    address, head = f"{API}/datasets/{dataset['id']}", browser(lab.head)

    changed = json_of(head.patch(address, {"description": "d"}, format="json"))
    assert (changed["description"], changed["may_manage"]) == ("d", True)
    json_of(head.patch(f"{address}/versions/1", {"state": "retired"}, format="json"))
    for body in ({"groups": [str(a_group().pk)]}, {"is_for_everybody": True}):
        problem_of(head.patch(address, body, format="json"), 403, "denied")
    path = {"path": "on/nodes"}
    problem_of(head.post(f"{address}/versions", path, format="json"), 403, "denied")
    problem_of(head.post(f"{API}/datasets", {"name": "x", **path}, format="json"), 403, "denied")


def test_a_group_publishes_no_more_than_it_may_hold(lab: Lab) -> None:
    (lab.folder / "large.bin").write_bytes(bytes(2 * 2**20))
    made = json_of(lab.ask(group=str(lab.scene.group.pk)), 202)
    run_publications(replace(get_site_config(), group_datasets_mib_max=1))
    failure = lab.shown(made["id"])["failure"]
    assert failure["code"] == "group_datasets_full"
    assert lab.scene.group.name in failure["detail"]


def test_nodes_without_the_storage_or_too_old_do_not_get_such_work(lab: Lab) -> None:
    lab.publish()
    first, second = (node.pk for node in lab.scene.nodes)
    job = job_with(lab, "faces")

    Node.objects.filter(pk=first).update(faults=[{"code": STORAGE_LOCAL}])
    [pending] = load_snapshot().pending
    assert pending.request.home_nodes == {str(second)}
    admin = browser(a_user(role="platform_admin"))
    [shown] = json_of(admin.get(f"{API}/datasets"))["results"]
    assert shown["missing_on"] == [lab.scene.nodes[0].name]

    Node.objects.filter(pk=second).update(agent_protocol=PUBLISHED_SINCE - 1)
    [pending] = load_snapshot().pending
    assert [reason.code.value for reason in pending.held] == ["dataset_unavailable"]
    [mount] = load_mounts([job], Capabilities())[job.pk].datasets
    assert mount.name == "published-data-sets-need-a-newer-agent"
    [mount] = load_mounts([job], Capabilities(mounts_published=True))[job.pk].datasets
    assert mount.is_published


def test_a_head_who_names_a_folder_of_the_nodes_is_denied_whatever_is_sent() -> None:
    head = browser(a_member(a_group(), "group_admin"))

    problem_of(head.post("/api/v1/datasets", {"no-such-field": 1}), 403, "denied")
