"""What nodes fetch beforehand, and how far they say that a pull has come."""

import pytest

from portal.config.node_reports import receive_heartbeat
from tests.builders.machines import an_image
from tests.builders.scenes import a_scene
from tests.builders.scripted_node import ScriptedNode, starting
from wire.messages import Desired

pytestmark = pytest.mark.django_db


def images_for(node: ScriptedNode, runtime: str) -> tuple[str, ...]:
    """Send a heartbeat of a node with this runtime, and return what it shall fetch."""
    node.seq += 1
    message = node.message(node.seq)
    facts = message.facts.model_copy(update={"runtime": runtime})
    reply = receive_heartbeat(node.node.pk, message.model_copy(update={"facts": facts}))
    assert isinstance(reply, Desired)
    return reply.images


def test_engines_fetch_active_images_beforehand_and_only_those() -> None:
    node = a_scene().links[0]
    active, retired = an_image("active"), an_image("retired")
    retired.is_active = False
    retired.save()
    found = images_for(node, "docker")
    assert active.reference in found
    assert retired.reference not in found
    assert images_for(node, "process") == ()


def test_progress_of_a_pull_is_kept_until_the_next_step() -> None:
    scene = a_scene()
    (held,) = scene.place(scene.work())
    node = scene.links[0]
    node.beat()
    pulling = starting(held).model_copy(update={"detail": "pulling", "progress_pct": 42})
    node.beat(containers=[pulling])
    held.refresh_from_db()
    assert (held.detail, held.progress_pct) == ("pulling", 42)
    node.beat(containers=[starting(held)])
    held.refresh_from_db()
    assert held.progress_pct is None
