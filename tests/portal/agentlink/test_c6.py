"""C6: messages of nodes that are replayed, cut short, extended or said in another's name.

Whoever writes on the line without the node's key is refused at the handshake
(`tests/portal/agentlink/test_session.py`); this is what a line could do to messages that were true once.
"""

import pytest

from portal.config.node_reports import receive_heartbeat
from portal.inventory.models import Node
from portal.workloads.models import Allocation, Workload
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished, running
from wire.codec import BadFrameError, decode_from_agent, encode
from wire.messages import Heartbeat, Refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def everything() -> list[object]:
    """Return every row that a heartbeat may change."""
    tables = (Node, Allocation, Workload)
    return [list(table.objects.order_by("pk").values()) for table in tables]


def a_running_scene() -> tuple[Scene, str]:
    """Return a scene, and the frame by which its job was reported as running."""
    scene = a_scene(nodes=2)
    [held] = scene.place(scene.work())
    node = scene.links[0]
    node.beat()
    node.seq += 1
    frame = encode(node.message(node.seq, containers=[running(held)]))
    receive_heartbeat(node.node.pk, _read(frame))
    return scene, frame


def _read(frame: str) -> Heartbeat:
    message = decode_from_agent(frame)
    assert isinstance(message, Heartbeat)
    return message


def test_c6_a_replayed_message_changes_nothing() -> None:
    scene, frame = a_running_scene()
    [held] = Allocation.objects.all()
    scene.links[0].beat(finished=[finished(held)])
    before = everything()

    answer = receive_heartbeat(scene.nodes[0].pk, _read(frame))

    assert isinstance(answer, Refused)
    assert answer.code == "stale_seq"
    assert everything() == before


def test_c6_a_message_that_is_cut_short_or_extended_is_none() -> None:
    _, frame = a_running_scene()
    for end in range(0, len(frame), 7):
        with pytest.raises(BadFrameError):
            decode_from_agent(frame[:end])
    for extension in ("x", "{}", frame, ",", "\x00"):
        with pytest.raises(BadFrameError):
            decode_from_agent(frame + extension)


def test_c6_a_message_on_another_node_s_link_speaks_for_that_node_only() -> None:
    scene, frame = a_running_scene()
    [held] = Allocation.objects.all()
    false = _read(frame).model_copy(
        update={"seq": 99, "containers": (), "finished": (finished(held),)}
    )

    receive_heartbeat(scene.nodes[1].pk, false)

    held.refresh_from_db()
    assert (held.state, held.phase) == ("bound", "running")
