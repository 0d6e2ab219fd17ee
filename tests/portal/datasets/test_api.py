"""Data sets: named by admins, seen and used by the groups that may read them, audited."""

import pytest

from portal.audit.models import AuditEvent
from portal.datasets.models import Dataset
from portal.datasets.places import VersionFolder
from portal.datasets.selectors import folders_readable_for_system
from portal.workloads.models import Workload
from tests.builders.datasets import a_dataset
from tests.builders.machines import an_image
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import Scene, a_scene
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def test_members_see_what_their_groups_may_read_without_its_path() -> None:
    group, other = a_group(), a_group()
    a_dataset("mine", groups=[group])
    a_dataset("theirs", groups=[other])
    a_dataset("open", everybody=True)

    shown = json_of(browser(a_member(group)).get(f"{API}/datasets"))["results"]

    assert sorted(item["name"] for item in shown) == ["mine", "open"]
    assert {(item["path"], item["groups"], item["workloads"]) for item in shown} == {
        (None, None, None)
    }
    assert [item["newest"] for item in shown] == [1, 1]


def test_what_a_group_reads_its_subgroups_read_too() -> None:
    top = a_group()
    leaf = a_group(parent=top)
    a_dataset("shared", groups=[top])
    query = f"{API}/datasets?group={leaf.pk}"

    assert len(json_of(browser(a_member(leaf)).get(query))["results"]) == 1
    problem_of(browser(a_member(a_group())).get(query), 404, "not_found")
    wanted = [(leaf.pk, "shared@1"), (leaf.pk, "shared@2"), (leaf.pk, "none@1")]
    found = {(leaf.pk, "shared@1"): VersionFolder("sets/shared")}
    assert folders_readable_for_system(wanted) == found


def test_admins_name_change_and_forget_data_sets_and_each_act_is_audited() -> None:
    group, admin = a_group(), browser(a_user(role="platform_admin"))
    body = {"name": "imagenet", "path": "vision/imagenet", "groups": [str(group.pk)]}

    made = json_of(admin.post(f"{API}/datasets", body, format="json"), 201)
    again = admin.post(f"{API}/datasets", body, format="json")
    address = f"{API}/datasets/{made['id']}"
    changed = json_of(admin.patch(address, {"is_for_everybody": True}, format="json"))
    gone = admin.delete(address)

    assert made["path"] == "vision/imagenet"
    assert [item["name"] for item in made["groups"]] == [group.name]
    problem_of(again, 409, "dataset_name_taken")
    assert (changed["is_for_everybody"], len(changed["groups"])) == (True, 1)
    assert gone.status_code == 204
    acts = AuditEvent.objects.filter(object_type="dataset").order_by("id")
    assert [act.action for act in acts] == [
        "dataset.create",
        "dataset.version_add",
        "dataset.change",
        "dataset.delete",
    ]
    assert acts[0].params["groups"] == [group.name]


@pytest.mark.parametrize("role", ["", "auditor", "operator"])
def test_only_platform_admins_name_data_sets(role: str) -> None:
    caller = browser(a_user(role=role))
    body = {"name": "x", "path": "x"}

    problem_of(caller.post(f"{API}/datasets", body, format="json"), 403, "denied")
    problem_of(caller.delete(f"{API}/datasets/{a_dataset('y').pk}"), 403, "denied")


@pytest.mark.parametrize(
    "body",
    [
        {"name": "../x", "path": "x"},
        {"name": "x", "path": "/etc"},
        {"name": "x", "path": "a/../../etc"},
        {"name": "x", "path": "a//b"},
        {"name": "x", "path": ""},
        {"name": "x"},
        {"name": "x", "path": "x", "groups": ["no"]},
    ],
)
def test_a_path_never_leads_out_of_the_folder_of_data_sets(body: dict[str, object]) -> None:
    admin = browser(a_user(role="platform_admin"))

    problem_of(admin.post(f"{API}/datasets", body, format="json"), 400, "invalid_input")


def test_a_group_that_does_not_exist_is_refused() -> None:
    admin = browser(a_user(role="platform_admin"))
    body = {"name": "x", "path": "x", "groups": [str(a_dataset("y").pk)]}

    problem_of(admin.post(f"{API}/datasets", body, format="json"), 422, "unknown_group")
    assert not Dataset.objects.filter(name="x").exists()


def test_work_names_data_sets_that_its_group_may_read_and_its_node_is_told() -> None:
    scene = a_scene(nodes=1)
    dataset = a_dataset("faces", groups=[scene.group])
    a_dataset("secret")
    body = {
        "name": "x",
        "group": scene.group.name,
        "pool": scene.pool.name,
        "image": an_image().name,
        "cpu_milli": 1000,
        "memory_mib": 1024,
        "command": ["true"],
    }
    client = browser(scene.owner)

    refused = client.post(f"{API}/jobs", {**body, "datasets": ["secret"]}, format="json")
    made = json_of(
        client.post(f"{API}/jobs", {**body, "datasets": ["faces", "faces"]}, format="json"), 202
    )

    problem_of(refused, 422, "unknown_dataset")
    assert made["spec"]["datasets"] == ["faces@1"]
    job = Workload.objects.get(pk=made["id"])
    scene.place(job, scene.placement(0))
    assert told(scene) == [("faces", "sets/faces")]
    dataset.groups.clear()
    assert told(scene) == []


def told(scene: Scene) -> list[tuple[str, str]]:
    """Return the data sets in the next reply to the scene's node."""
    [wanted] = scene.links[0].beat().containers
    return [(item.name, item.path) for item in wanted.spec.datasets]


def test_managers_see_how_much_work_uses_a_data_set() -> None:
    scene, admin = a_scene(), browser(a_user(role="platform_admin"))
    a_dataset("imagenet", "a", "b", everybody=True)
    a_dataset("coco", everybody=True)
    for state, names in (
        ("queued", ["imagenet@1", "coco@1"]),
        ("running", ["imagenet@2"]),
        ("succeeded", ["imagenet@1"]),
        ("queued", None),
    ):
        work = scene.work(state=state)
        spec = {} if names is None else {"datasets": names}
        Workload.objects.filter(pk=work.pk).update(spec=spec)

    shown = json_of(admin.get(f"{API}/datasets"))["results"]

    assert {item["name"]: item["workloads"] for item in shown} == {"imagenet": 2, "coco": 1}


def test_managers_see_on_which_nodes_a_data_set_is_missing() -> None:
    scene, admin = a_scene(nodes=3), browser(a_user(role="platform_admin"))
    a_dataset = {"name": "faces", "path": "vision/faces", "is_for_everybody": True}
    json_of(admin.post(f"{API}/datasets", a_dataset, format="json"), 201)
    for link, folders in zip(scene.links, (("speech", "vision"), (), None), strict=True):
        message = link.message(1)
        told = message.facts.model_copy(update={"dataset_folders": folders})
        link.repeat(message.model_copy(update={"facts": told}))

    [row] = json_of(admin.get(f"{API}/datasets"))["results"]

    assert row["missing_on"] == [scene.nodes[1].name]
