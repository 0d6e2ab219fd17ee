"""From a submission to what a node is sent: homes, volumes and outputs, with rights of that moment."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from portal.common.clock import now
from portal.inventory.models import Node
from portal.tenancy.models import Membership
from portal.volumes.models import Volume
from portal.volumes.services import trash_volume
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Workload
from portal.workloads.snapshot.loader import load_snapshot
from tests.builders.machines import an_image
from tests.builders.people import a_group, a_member, a_user, an_actor
from tests.builders.scenes import Scene, a_scene
from tests.builders.volumes import a_group_volume, a_home
from tests.rest import API, browser, json_of, problem_of
from wire.messages import ContainerSpec

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]
LOCAL = [{"code": "storage_local", "detail": "", "is_blocking": False}]


@pytest.fixture
def scene() -> Scene:
    an_image("python")
    return a_scene(nodes=2)


def ask(scene: Scene, client: APIClient | None = None, **more: Any) -> Any:
    body = {
        "name": "train",
        "group": str(scene.group.pk),
        "pool": str(scene.pool.pk),
        "image": "python",
        "command": ["true"],
        "cpu_milli": 1000,
        "memory_mib": 1024,
        **more,
    }
    return (client or browser(scene.owner)).post(f"{API}/jobs", body, format="json")


def submit(scene: Scene, **more: Any) -> Workload:
    return Workload.objects.get(pk=json_of(ask(scene, **more), 202)["id"])


def sent(scene: Scene, *, node: int = 0) -> ContainerSpec:
    """Return what a node is sent for its only container."""
    link = scene.links[node]
    message = link.message(link.seq + 1)
    link.seq += 1
    (container,) = link.repeat(message).containers  # type: ignore[union-attr]
    return container.spec


def test_work_has_the_home_of_its_owner_unless_it_says_no(scene: Scene) -> None:
    work = submit(scene)
    assert not Volume.objects.exists()
    scene.place(work, scene.placement())

    home = Volume.objects.get(owner=scene.owner)
    mount = sent(scene).home
    assert mount is not None
    assert (mount.volume, mount.is_read_only, mount.limit_mib) == (
        *(str(home.pk), False, home.quota_mib),
    )
    assert (home.location, home.node) == ("shared", None)

    other = submit(scene, home=False)
    scene.place(other, scene.placement(1))
    assert sent(scene, node=1).home is None


def test_two_works_of_one_person_have_one_home_and_another_person_another(scene: Scene) -> None:
    scene.place(submit(scene), scene.placement())
    scene.place(submit(scene), scene.placement())
    colleague = browser(a_member(scene.group))
    theirs = Workload.objects.get(pk=json_of(ask(scene, colleague), 202)["id"])
    scene.place(theirs, scene.placement())

    homes = [item.spec.home for item in scene.links[0].beat().containers]
    volumes = {home.volume for home in homes if home}
    assert len(homes) == 3
    assert len(volumes) == Volume.objects.count() == 2


def test_group_volumes_are_mounted_as_the_role_allows(scene: Scene) -> None:
    above = scene.group.parent
    assert above is not None
    a_group_volume(scene.group, "shared", quota_mib=7)
    a_group_volume(scene.group, "papers", writers="group_admin")
    a_group_volume(above, "site")
    work = submit(scene, volumes=["shared", "papers", "site"])
    scene.place(work, scene.placement())

    mounts = {item.name: item for item in sent(scene).volumes}
    assert {name: item.is_read_only for name, item in mounts.items()} == {
        "shared": False,
        "papers": True,
        "site": True,
    }
    assert mounts["shared"].limit_mib == 7


def test_the_nearest_volume_of_a_name_is_meant(scene: Scene) -> None:
    above = scene.group.parent
    assert above is not None
    a_group_volume(above, "shared")
    near = a_group_volume(scene.group, "shared")

    assert submit(scene, volumes=["shared"]).spec["volumes"] == [
        {"id": str(near.pk), "name": "shared"}
    ]


def test_two_volumes_of_one_name_are_refused(scene: Scene) -> None:
    above = scene.group.parent
    assert above is not None
    both = [str(a_group_volume(group, "shared").pk) for group in (above, scene.group)]

    problem_of(ask(scene, volumes=both), 422, "volume_named_twice")


def test_volumes_of_other_groups_homes_and_trash_do_not_exist(scene: Scene) -> None:
    other = a_group()
    Membership.objects.create(user=scene.owner, group=other, role="group_admin")
    foreign = a_group_volume(other, "secret")
    home = a_home(a_user())
    gone = a_group_volume(scene.group, "gone")
    trash_volume(actor=an_actor(a_user(role="platform_admin")), volume_id=gone.pk)

    for name in ("secret", str(foreign.pk), str(home.pk), "home", "gone", "../x"):
        problem_of(ask(scene, volumes=[name]), 422, "unknown_volume")


def test_rights_are_checked_again_at_every_start(scene: Scene) -> None:
    shared = a_group_volume(scene.group, "shared")
    above = scene.group.parent
    assert above is not None
    a_group_volume(above, "site", is_writable_below=True)
    work = submit(scene, volumes=["shared", "site"])
    scene.place(work, scene.placement())
    assert [item.is_read_only for item in sent(scene).volumes] == [False, False]

    Membership.objects.filter(user=scene.owner).update(role="viewer")
    assert [item.is_read_only for item in sent(scene).volumes] == [True, True]
    Membership.objects.filter(user=scene.owner).delete()
    assert sent(scene).volumes == ()
    Membership.objects.create(user=scene.owner, group=scene.group, role="group_admin")
    # It came into use while it was put there.
    trashed = {"state": Volume.State.TRASHED, "trashed_at": now()}
    Volume.objects.filter(pk=shared.pk).update(**trashed)
    assert [item.name for item in sent(scene).volumes] == ["site"]


def test_outputs_of_jobs_of_the_same_group_are_inputs(scene: Scene) -> None:
    first = submit(scene)
    second = submit(scene, inputs=[{"job": str(first.pk), "name": "stage-1"}])
    scene.place(second, scene.placement())

    (mount,) = sent(scene).inputs
    assert (mount.name, mount.workload) == ("stage-1", str(first.pk))


def test_outputs_of_other_groups_and_notebooks_are_no_inputs(scene: Scene) -> None:
    foreign = scene.work()
    Workload.objects.filter(pk=foreign.pk).update(group=a_group(), owner=a_user())
    notebook = scene.work(kind="environment")
    for work in (foreign, notebook):
        inputs = [{"job": str(work.pk), "name": "x"}]
        problem_of(ask(scene, inputs=inputs), 422, "unknown_input")


@pytest.mark.parametrize("name", ["..", "a/b", "A", "", "x" * 64, "ü"])
def test_inputs_have_names_of_folders(scene: Scene, name: str) -> None:
    first = submit(scene)

    assert ask(scene, inputs=[{"job": str(first.pk), "name": name}]).status_code == 400


def test_names_of_inputs_are_given_once(scene: Scene) -> None:
    inputs = [{"job": str(submit(scene).pk), "name": "x"} for _ in range(2)]

    assert ask(scene, inputs=inputs).status_code == 400


def test_a_submission_asks_nothing_for_its_home(
    scene: Scene, django_assert_max_num_queries: Any, set_site: Any
) -> None:
    def statements(**more: Any) -> int:
        with django_assert_max_num_queries(1000) as asked:
            submit(scene, **more)
        return len(asked)

    set_site(site_view_age_s=60)
    a_group_volume(scene.group, "shared")
    submit(scene)  # asks which volumes are full
    without = statements(home=False)
    assert statements() == without
    assert statements(volumes=["shared"]) == without + 1


# --- Storage of single nodes ---------------------------------------------------------------------


def own_storage(scene: Scene, *nodes: int) -> None:
    for node in nodes:
        Node.objects.filter(pk=scene.nodes[node].pk).update(faults=LOCAL)


def possible(work: Workload) -> set[int]:
    """Return the nodes on which the scheduler may place queued work; empty is any."""
    (pending,) = [item for item in load_snapshot().pending if item.id == str(work.pk)]
    ids = [str(key) for key in Node.objects.order_by("id").values_list("pk", flat=True)]
    return {ids.index(node) for node in pending.request.home_nodes}


def test_a_home_on_one_node_draws_all_work_there(scene: Scene) -> None:
    own_storage(scene, 0, 1)
    first, second = submit(scene), submit(scene)
    assert possible(first) == set()

    scene.place(first, scene.placement(1))

    home = Volume.objects.get()
    assert (home.location, home.node_id) == ("node", scene.nodes[1].pk)
    assert possible(second) == {1}
    with pytest.raises(PlacementRefusedError, match="home_unavailable"):
        scene.place(second, scene.placement(0))
    scene.place(second, scene.placement(1))


def test_a_home_on_the_shared_storage_keeps_work_off_other_nodes(scene: Scene) -> None:
    own_storage(scene, 0)
    scene.place(submit(scene), scene.placement(1))
    second = submit(scene)

    assert Volume.objects.get().location == "shared"
    assert possible(second) == {1}
    with pytest.raises(PlacementRefusedError, match="home_unavailable"):
        scene.place(second, scene.placement(0))


def test_two_starts_at_once_agree_on_where_a_home_lies(scene: Scene) -> None:
    own_storage(scene, 0, 1)
    first, second = submit(scene), submit(scene)
    scene.place(first, scene.placement(0))

    with pytest.raises(PlacementRefusedError, match="home_unavailable"):
        scene.place(second, scene.placement(1))


def test_files_of_a_retired_node_are_gone_and_the_home_begins_anew(scene: Scene) -> None:
    own_storage(scene, 0, 1)
    scene.place(submit(scene), scene.placement(1))
    for state in ("draining", "drained", "retired"):
        Node.objects.filter(pk=scene.nodes[1].pk).update(state=state)
    second = submit(scene)

    assert possible(second) == set()
    scene.place(second, scene.placement(0))
    assert Volume.objects.get().node_id == scene.nodes[0].pk


def test_work_that_needs_files_of_two_nodes_says_so(scene: Scene) -> None:
    own_storage(scene, 0, 1)
    a_home(scene.owner, location="node", node=scene.nodes[0])
    a_group_volume(scene.group, "shared", location="node", node=scene.nodes[1])
    submit(scene, volumes=["shared"])

    (pending,) = load_snapshot().pending
    assert [reason.code.value for reason in pending.held] == ["home_unavailable"]


def test_outputs_on_one_node_draw_the_next_job_there(scene: Scene) -> None:
    own_storage(scene, 0, 1)
    first = submit(scene, home=False)
    (held,) = scene.place(first, scene.placement(1))
    second = submit(scene, home=False, inputs=[{"job": str(first.pk), "name": "x"}])
    assert possible(second) == set()

    held.started_at = held.created_at
    held.save(update_fields=["started_at"])
    assert possible(second) == {1}
