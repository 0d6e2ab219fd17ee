"""`manage.py drain_node`: what it orders, what it tells, and the status it ends with."""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.common.clock import freeze, now
from portal.fleet.management.commands.drain_node import Command
from portal.inventory.models import Node
from portal.workloads.operations import nodes
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished, running

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def drain(scene: Scene, *options: str, meanwhile: Callable[[], None] | None = None) -> list[str]:
    """Drain the scene's node; `meanwhile` happens once, while the command waits."""
    out, command, pending = StringIO(), Command(), [meanwhile] if meanwhile else []

    def pause(_seconds: float) -> None:
        pending.pop()()

    command.pause = pause
    call_command(command, scene.nodes[0].name, *options, stdout=out)
    return out.getvalue().splitlines()


def test_it_waits_and_tells_what_is_left_until_the_node_is_empty() -> None:
    scene = a_scene()
    (held,) = scene.place(scene.work(name="long-run"))
    scene.links[0].beat(containers=[running(held)])
    lines = drain(
        scene, "--wait", meanwhile=lambda: void(scene.links[0].beat(finished=[finished(held)]))
    )
    assert lines[1:] == ["1 containers left: long-run", "empty"]
    scene.nodes[0].refresh_from_db()
    assert scene.nodes[0].state == "drained"
    assert AuditEvent.objects.filter(action="node.drain", actor_kind="system").count() == 1


def test_without_wait_it_only_orders() -> None:
    scene = a_scene()
    scene.place(scene.work())
    assert len(drain(scene, "--within", "60", "--stop-all")) == 1
    node = Node.objects.get()
    assert (node.hold, node.drain_stops, node.drain_until is not None) == ("drain", True, True)


def test_a_wait_that_ends_otherwise_says_so_by_its_status() -> None:
    scene = a_scene()
    scene.place(scene.work())

    def status(*options: str, meanwhile: Callable[[], None] | None = None) -> tuple[int, str]:
        with pytest.raises(CommandError) as caught:
            drain(scene, "--wait", *options, meanwhile=meanwhile)
        return caught.value.returncode, str(caught.value)

    def interrupted() -> None:
        raise KeyboardInterrupt

    code, words = status("--timeout", "0")
    assert (code, "the drain goes on" in words) == (3, True)
    code, words = status(meanwhile=interrupted)
    assert (code, "the drain goes on" in words) == (130, True)
    assert Node.objects.get().hold == "drain"

    def taken_back() -> None:
        nodes.uncordon_node(actor=Actor.system("console"), node_id=scene.nodes[0].pk)

    assert status(meanwhile=taken_back)[0] == 4


def test_the_patience_is_bounded() -> None:
    scene = a_scene()
    scene.place(scene.work())
    later = freeze(now() + timedelta(seconds=31))
    with freeze(now()), ExitStack() as stack:

        def pass_by() -> None:
            stack.enter_context(later)

        with pytest.raises(CommandError) as caught:
            drain(scene, "--wait", "--timeout", "30", meanwhile=pass_by)
    assert caught.value.returncode == 3


@pytest.mark.parametrize("name", ["nowhere", "gpu-9"])
def test_a_node_that_is_not_there_or_not_to_be_drained_is_an_error(name: str) -> None:
    scene = a_scene()
    Node.objects.update(name="gpu-9", hold="quarantine")
    scene.nodes[0].name = name
    with pytest.raises(CommandError) as caught:
        drain(scene, "--wait")
    assert caught.value.returncode == 1


def void(_answer: object) -> None:
    """Make a call that answers one that does not."""
