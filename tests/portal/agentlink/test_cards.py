"""What a node says of its cards, as rows: faults, figures, size, and the way back."""

from collections.abc import Iterable
from typing import Any

import pytest

from portal.agentlink import facts
from portal.inventory.models import Accelerator, Node
from scheduler.core.model.states import ACCELERATOR_TRANSITIONS, AcceleratorState
from tests.builders.machines import CARD_MIB, a_node, a_pool
from tests.builders.scenes import a_scene, assert_sound
from tests.builders.scripted_node import facts_of, finished, running
from wire.facts import AcceleratorFacts, AcceleratorHealth, MigDevice
from wire.words import ExitCause, Isolation

pytestmark = pytest.mark.django_db


def told(node: Node, *changes: dict[str, Any]) -> tuple[AcceleratorFacts, ...]:
    """Return what the node says of its cards, with changes to the first ones."""
    cards = facts_of(node).accelerators
    padded = [*changes, *({} for _ in cards)]
    return tuple(
        card.model_copy(update=change) for card, change in zip(cards, padded, strict=False)
    )


def record(node: Node, reported: Iterable[AcceleratorFacts]) -> list[Accelerator]:
    facts.update_cards(node, reported)
    return list(node.accelerators.order_by("uuid"))


@pytest.mark.parametrize(
    ("health", "fault", "state"),
    [
        (AcceleratorHealth.DIRTY, "foreign_process", "dirty"),
        (AcceleratorHealth.DIRTY, "memory_not_returned", "dirty"),
        (AcceleratorHealth.BAD, "xid_95", "suspect"),
        (AcceleratorHealth.GONE, "xid_79", "gone"),
    ],
)
def test_a_fault_takes_a_card_out_and_it_comes_back_by_itself(
    health: AcceleratorHealth, fault: str, state: str
) -> None:
    node = a_node(a_pool(), cards=2)
    hit, other = record(node, told(node, {"health": health, "fault": fault}))
    assert ((hit.state, hit.fault), (other.state, other.fault)) == ((state, fault), ("ok", ""))
    hit, _ = record(node, told(node))
    assert (hit.state, hit.fault) == ("ok", "")


def test_reports_and_retests_take_exactly_the_edges_of_the_table() -> None:
    moves = {move for by_state in facts.CARD_STATES.values() for move in by_state.items()}
    retested = (AcceleratorState.BAD, AcceleratorState.OK)
    edges = {
        (source, target)
        for source, targets in ACCELERATOR_TRANSITIONS.items()
        for target in targets
    }

    assert {(source, target) for source, target in moves if source is not target} | {
        retested
    } == edges


def test_figures_and_abilities_are_kept_and_emptied() -> None:
    node = a_node(a_pool(), cards=1)
    mig = MigDevice(uuid="MIG-1", profile="1g.10gb", memory_mib=9984, start=2)
    change = {
        "power_mw": 71000,
        "energy_mj": 2**40,
        "temperature_c": 31,
        "driver": "615.71",
        "island": 3,
        "isolation": (Isolation.EXCLUSIVE, Isolation.CGROUP),
        "mig": (mig,),
        "utilisation_pct": 5,
        "index": 7,
    }
    (card,) = record(node, told(node, change))
    assert (card.power_mw, card.energy_mj, card.temperature_c) == (71000, 2**40, 31)
    assert (card.driver, card.island, card.index) == ("615.71", 3, 7)
    assert (card.isolation, card.mig) == (["exclusive", "cgroup"], [mig.model_dump()])
    (card,) = record(node, ())
    assert (card.state, card.fault) == ("gone", "gpu_missing")
    assert (card.power_mw, card.temperature_c, card.utilisation_pct) == (None, None, None)
    assert (card.driver, card.island) == ("615.71", 3)


def test_a_card_that_its_node_lists_no_more_stays_lost_until_the_node_is_drained() -> None:
    node = a_node(a_pool(), cards=2)
    hit, other = record(node, told(node, {"health": AcceleratorHealth.GONE, "fault": "xid_79"}))
    listed = [card for card in told(node) if card.uuid != hit.uuid]
    hit, other = record(node, listed)
    assert ((hit.state, hit.fault), other.state) == (("gone", "xid_79"), "ok")
    node.state = "drained"
    assert [card.fault for card in record(node, listed)] == ["gpu_removed", ""]
    node.state = "ready"
    assert [card.fault for card in record(node, listed)] == ["gpu_removed", ""]
    assert [(card.state, card.fault) for card in record(node, told(node))] == [("ok", "")] * 2


def test_f33_a_whole_card_may_change_its_size_and_a_cut_one_must_still_hold_its_slices() -> None:
    whole = a_node(a_pool(), cards=1)
    (card,) = record(whole, told(whole, {"memory_mib": CARD_MIB // 2}))
    assert (card.memory_mib, card.slice_mib, card.state) == (CARD_MIB // 2, CARD_MIB // 2, "ok")
    cut = a_node(a_pool(slices=8), cards=1)
    (card,) = record(cut, told(cut, {"memory_mib": CARD_MIB // 2}))
    assert (card.memory_mib, card.state, card.fault) == (CARD_MIB, "suspect", "memory_shrank")
    (card,) = record(cut, told(cut, {"memory_mib": 2 * CARD_MIB}))
    assert (card.memory_mib, card.state, card.fault) == (2 * CARD_MIB, "ok", "")


def test_what_a_node_says_of_itself_is_kept() -> None:
    node = a_node(a_pool())
    said = facts_of(node).model_copy(
        update={"versions": {"engine": "25.0"}, "disk_mib": 100, "disk_free_mib": 9, "switch": "r1"}
    )
    columns = facts.to_node_columns(said)
    assert (columns["versions"], columns["switch"]) == ({"engine": "25.0"}, "r1")
    assert (columns["disk_mib"], columns["disk_free_mib"]) == (100, 9)
    # What its operator wrote down here is not erased by a node that knows nothing of it.
    assert "switch" not in facts.to_node_columns(facts_of(node))


def test_f30_work_of_a_lost_card_is_queued_again_without_a_retry_and_its_sibling_goes_on() -> None:
    scene = a_scene()
    job, safe = scene.work(gpus=1), scene.work(gpus=1)
    (hit,) = scene.place(job, scene.placement(cards=(0,)))
    (other,) = scene.place(safe, scene.placement(cards=(1,)))
    node = scene.links[0]
    node.beat()
    node.beat(containers=[running(hit), running(other)])
    end = finished(hit).model_copy(update={"cause": ExitCause.DEVICE_LOST, "exit_code": None})
    node.beat(containers=[running(other)], finished=[end])
    job.refresh_from_db()
    safe.refresh_from_db()
    assert (job.state, safe.state) == ("queued", "running")
    assert job.retries == 0
    assert_sound()
