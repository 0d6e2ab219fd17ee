"""Web apps that write, such as an editor: where, and whose rights they have."""

from typing import Any

import pytest

from portal.workloads.models import Workload
from tests.builders.apps import an_app
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished, running
from tests.builders.volumes import a_group_volume, a_home
from tests.rest import API, browser, json_of
from wire.messages import ContainerSpec

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


@pytest.fixture
def scene() -> Scene:
    an_app("editor", command=["editor", "{port}", "{folder}"], writes=True)
    return a_scene(slices=8)


def sent(scene: Scene, **of: Any) -> ContainerSpec:
    """Start the editor on a folder, and return what its node is sent."""
    answer = browser(scene.owner).post(
        f"{API}/app-sessions", {"app": "editor", **of}, format="json"
    )
    session = Workload.objects.get(pk=json_of(answer, 202)["id"])
    scene.place(session, scene.placement())
    found = [item.spec for item in scene.links[0].beat().containers]
    return next(item for item in found if item.workload == str(session.pk))


def test_a_home_is_the_home_of_an_editor(scene: Scene) -> None:
    """So its settings and extensions are there the next time."""
    home = a_home(scene.owner)

    spec = sent(scene, home=True, group=scene.group.name, path="my code")

    assert spec.home is not None
    assert (spec.home.volume, spec.home.is_read_only) == (str(home.pk), False)
    assert (spec.volumes, spec.inputs) == ((), ())
    assert "folder=\"$HOME\"'/my code'\n" in spec.script


@pytest.mark.parametrize(("writers", "is_read_only"), [("developer", False), ("nobody", True)])
def test_an_editor_writes_to_volumes_where_its_user_may(
    scene: Scene, writers: str, is_read_only: bool
) -> None:
    volume = a_group_volume(scene.group, writers=writers)

    spec = sent(scene, volume=str(volume.pk), group=scene.group.name)

    [mount] = spec.volumes
    assert (mount.volume, mount.is_read_only) == (str(volume.pk), is_read_only)
    assert (mount.name, spec.home) == ("shown", None)


def test_an_editor_reads_the_outputs_of_a_job(scene: Scene) -> None:
    job = scene.work(name="night", slices=1)
    (held,) = scene.place(job, scene.placement(cards=(0,), slots=(0,)))
    for facts in ({}, {"containers": [running(held)]}, {"finished": [finished(held)]}):
        scene.links[0].beat(**facts)

    spec = sent(scene, job=str(job.pk))

    assert (spec.home, spec.volumes) == (None, ())
    assert [mount.name for mount in spec.inputs] == ["shown"]
    assert '"$BERTH_INPUTS_DIR/shown"' in spec.script
