"""What operators see and do after the database was restored: endpoints and command."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from portal.common.actor import Actor
from portal.common.ids import new_id
from portal.workloads.models import ForgottenContainer, Recovery
from portal.workloads.operations import recovery
from tests.builders.people import a_user
from tests.builders.scenes import Scene, a_scene
from tests.rest import API, browser, json_of, problem_of
from wire.messages import ContainerReport
from wire.words import Phase

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def a_restored_scene() -> tuple[Scene, ForgottenContainer]:
    """Two nodes after a restore; one has spoken, and runs what nobody knows."""
    scene = a_scene(nodes=2)
    for link in scene.links:
        link.beat()
    recovery.begin_recovery(actor=Actor.system("console"))
    unknown = ContainerReport(allocation=f"{new_id().hex}.0", epoch=4, phase=Phase.RUNNING)
    scene.links[0].beat(containers=[unknown])
    return scene, ForgottenContainer.objects.get()


def test_operators_see_what_is_pending_and_decide() -> None:
    scene, row = a_restored_scene()
    operator, other = browser(a_user(role="operator")), browser(scene.owner)

    assert other.get(f"{API}/recovery").status_code == 403
    shown = json_of(operator.get(f"{API}/recovery"))
    assert shown["is_under_way"]
    assert [node["name"] for node in shown["unheard_nodes"]] == [scene.nodes[1].name]
    [container] = shown["containers"]
    assert (container["allocation"], container["epoch"]) == (row.allocation, 4)
    assert (container["workload_id"], container["gpus"]) == (None, None)

    stop = f"{API}/recovery/containers/{row.pk}/stop"
    assert other.post(stop, {"name": row.allocation}, "json").status_code == 403
    problem_of(operator.post(stop, {"name": "x"}, "json"), 422, "container_not_repeated")
    stopped = json_of(operator.post(stop, {"name": row.allocation}, "json"))
    assert [item["is_stopping"] for item in stopped["containers"]] == [True]

    finish = f"{API}/recovery/finish"
    problem_of(operator.post(finish, {"confirm": "yes"}, "json"), 422, "word_not_repeated")
    assert not json_of(operator.post(finish, {"confirm": "finish"}, "json"))["is_under_way"]
    problem_of(operator.post(finish, {"confirm": "finish"}, "json"), 409, "no_recovery")


def test_nothing_is_pending_without_a_restore() -> None:
    shown = json_of(browser(a_user(role="operator")).get(f"{API}/recovery"))

    assert (shown["is_under_way"], shown["began_at"], shown["containers"]) == (False, None, [])


def called(*arguments: str) -> str:
    out = StringIO()
    call_command("after_restore", *arguments, stdout=out)
    return out.getvalue()


def test_command_begins_shows_stops_and_finishes() -> None:
    scene, row = a_restored_scene()

    status = called("--status")
    assert "recovery: under way" in status
    assert scene.nodes[1].name in status
    assert row.allocation in status
    with pytest.raises(CommandError, match="no unknown container"):
        called("--stop", "another", "--confirm", "another")
    with pytest.raises(CommandError, match="container_not_repeated"):
        called("--stop", row.allocation, "--confirm", "another")
    assert "stopping" in called("--stop", row.allocation, "--confirm", row.allocation)
    with pytest.raises(CommandError, match="word_not_repeated"):
        called("--finish")
    assert "recovery: over" in called("--finish", "--confirm", "finish")

    # Another restore begins another recovery.
    assert "recovery: under way" in called()
    assert Recovery.objects.count() == 2
    assert not ForgottenContainer.objects.exists()
