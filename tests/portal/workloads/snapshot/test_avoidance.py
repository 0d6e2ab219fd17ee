"""The next attempt avoids the card that just failed, or the node where that is at fault."""

from datetime import UTC, datetime, timedelta

import pytest

from portal.common.clock import freeze
from portal.inventory.models import Node
from portal.workloads.models import Workload
from portal.workloads.snapshot.avoidance import AVOIDED_FOR, load_avoided_by
from portal.workloads.snapshot.loader import load_snapshot
from scheduler.core.cycle import run_cycle
from tests.builders.scenes import Scene, a_scene
from tests.builders.scripted_node import finished
from tests.plans import apply_plan
from tests.rest import browser
from wire.words import ExitCause

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]
START = datetime(2030, 5, 16, 4, tzinfo=UTC)


def attempt(scene: Scene, work: Workload, cause: ExitCause) -> tuple[str, int]:
    """Let the scheduler place the work and its node end it; return the node and the card."""
    snapshot = load_snapshot()
    assert apply_plan(run_cycle(snapshot, snapshot.taken_at), snapshot).placed == 1
    (held,) = scene.held(work)
    link = next(link for link in scene.links if link.node.pk == held.node_id)
    link.beat()
    card = held.devices.get().accelerator
    link.beat(finished=[finished(held, cause=cause)])
    work.refresh_from_db()
    assert work.state == "queued"
    return held.node.name, card.index


def test_card_is_avoided_then_its_node_and_an_hour_later_nothing() -> None:
    scene = a_scene(nodes=2, cards=3)
    work = scene.work(gpus=1)
    other = Node.objects.filter(pk=scene.nodes[1].pk)
    other.update(state="unready")
    with freeze(START):
        first = attempt(scene, work, ExitCause.DEVICE_LOST)
        (only,) = load_avoided_by(work.pk)
        assert (only.node_name, only.cause, only.failures) == (first[0], "device_lost", 1)
        assert only.until == START + AVOIDED_FOR
        shown = browser(scene.owner).get(f"/api/v1/jobs/{work.pk}").json()["avoids"]
        assert [(item["node"]["name"], item["card"], item["times"]) for item in shown] == [
            (first[0], only.uuid, 1)
        ]
    with freeze(START + timedelta(minutes=1)):
        second = attempt(scene, work, ExitCause.DEVICE_LOST)
        assert second[0] == first[0]
        assert second != first
    with freeze(START + timedelta(minutes=2)):
        assert len(load_avoided_by(work.pk)) == 3, "two cards, and now their node"
        other.update(state="ready")
        third = attempt(scene, work, ExitCause.VANISHED)
        assert third[0] != first[0]
    with freeze(START + timedelta(minutes=3)):
        assert {item.cause for item in load_avoided_by(work.pk)} == {"device_lost", "vanished"}
    with freeze(START + AVOIDED_FOR + timedelta(minutes=3)):
        assert load_avoided_by(work.pk) == ()
        (waiting,) = load_snapshot().pending
        assert waiting.avoid == frozenset()


def test_where_there_is_no_other_card_the_work_goes_back() -> None:
    scene = a_scene(cards=1)
    work = scene.work(gpus=1)
    spots = [attempt(scene, work, ExitCause.DEVICE_LOST) for _ in range(2)]
    assert spots[0] == spots[1]
    (card,) = load_avoided_by(work.pk)
    assert card.failures == 2


def test_an_end_of_its_own_speaks_against_nothing() -> None:
    scene = a_scene(cards=2)
    work = scene.work(gpus=1)
    Workload.objects.filter(pk=work.pk).update(
        restart={"rule": "on_failure", "after_out_of_memory": True}, retries_max=3
    )
    work.refresh_from_db()
    attempt(scene, work, ExitCause.OUT_OF_MEMORY)
    assert load_avoided_by(work.pk) == ()
