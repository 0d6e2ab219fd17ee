"""Partitions in hardware, from a simulated card's word to what its node is told to make."""

import asyncio
import tomllib
from collections import Counter
from typing import Any

import pytest

from nodeagent.config import SimulatedCards
from nodeagent.gpu.drivers.simulated import CardDescription, SimulatedDriver
from nodeagent.link.translation import to_reply_event
from nodeagent.sharing.grants import grants_by_card
from portal.agentlink.facts import update_cards
from portal.common.errors import DomainError
from portal.inventory.models import Accelerator, Node, Pool
from portal.workloads.models import AllocationDevice, Workload
from portal.workloads.snapshot.loader import load_snapshot
from scheduler.core.cycle import run_cycle
from scheduler.core.model.entities import AcceleratorId, NodeId, Placement
from scheduler.runtime.plan_applier import AppliedPlan
from tests.builders.at_once import at_once
from tests.builders.machines import a_node, a_pool, an_image
from tests.builders.people import a_group, a_member
from tests.builders.scenes import Scene, a_quota, assert_sound
from tests.builders.scripted_node import ScriptedNode
from tests.plans import apply_plan
from tests.rest import browser
from wire.facts import AcceleratorFacts
from wire.words import Isolation

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

SETTINGS = """
[[cards]]
model = "Simulated H100"
memory_mib = 81559
profiles = [
  { name = "1g.10gb", memory_mib = 9984, compute = 1, size = 1, starts = [0, 1, 2, 3, 4, 5, 6] },
  { name = "1g.20gb", memory_mib = 20096, compute = 1, size = 2, starts = [0, 2, 4, 6] },
  { name = "2g.20gb", memory_mib = 20096, compute = 2, size = 2, starts = [0, 2, 4] },
  { name = "3g.40gb", memory_mib = 40448, compute = 3, size = 4, starts = [0, 4] },
  { name = "7g.80gb", memory_mib = 81152, compute = 7, size = 8, starts = [0] },
]
"""


def told_by(node: Node) -> AcceleratorFacts:
    """Return what the node's simulated card says of itself."""
    (kind,) = SimulatedCards.model_validate(tomllib.loads(SETTINGS)).expand()
    paper = CardDescription(kind.model, kind.memory_mib, profiles=kind.profiles)
    driver = SimulatedDriver(node.name, [paper])
    return asyncio.run(driver.read({}, {})).cards[0].facts


@pytest.fixture
def scene() -> Scene:
    pool = a_pool(slices=8, slice_mib=9984)
    Pool.objects.filter(pk=pool.pk).update(mode=Pool.Mode.MIG)
    pool.refresh_from_db()
    node = a_node(pool, cards=0)
    update_cards(node, [told_by(node)])
    group = a_group()
    return Scene(pool, [node], group, a_member(group), [ScriptedNode(node)])


def submit(scene: Scene, **asked: object) -> Any:
    body = {
        "name": "part",
        "group": scene.group.name,
        "pool": scene.pool.name,
        "image": an_image().name,
        "cpu_milli": 1000,
        "memory_mib": 1024,
    }
    return browser(scene.owner).post("/api/v1/environments", body | asked, format="json")


def run_pass() -> AppliedPlan:
    snapshot = load_snapshot()
    return apply_plan(run_cycle(snapshot, snapshot.taken_at), snapshot)


def test_profile_travels_from_the_card_to_the_node(scene: Scene) -> None:
    card = Accelerator.objects.get()
    assert (card.mode, card.slices, card.state, len(card.mig_profiles)) == ("mig", 8, "ok", 5)
    gpu = a_quota(scene.group, ceiling=None)
    asked: list[tuple[dict[str, object], str]] = [
        ({"mig_profile": "1g.10gb"}, "1g.10gb"),
        ({"slices": 2}, "1g.20gb"),
        ({"gpu_milli": 300, "gpu_memory_mib": 30_000}, "3g.40gb"),
    ]
    for change, profile in asked:
        answer = submit(scene, **change)
        assert answer.status_code == 202, answer.json()
        shown = answer.json()
        assert (shown["mig_profile"], shown["gpu_milli"]) == (profile, 0)
    assert run_pass().placed == 3

    orders = to_reply_event(scene.links[0].beat()).desired
    found = {grant.profile: grant for order in orders for grant in grants_by_card(order.devices)}
    assert {name: grant.slots for name, grant in found.items()} == {
        "1g.10gb": (6,),
        "1g.20gb": (4, 5),
        "3g.40gb": (0, 1, 2, 3),
    }
    assert {grant.required for grant in found.values()} == {Isolation.MIG}
    assert not any(grant.is_whole for grant in found.values())
    assert [grant.memory_mib for grant in found.values()] == [9984, 2 * 9984, 4 * 9984]
    gpu.refresh_from_db()
    assert gpu.used == 7 * 125
    assert_sound()

    assert submit(scene, mig_profile="1g.10gb").status_code == 202
    run_pass()
    late = Workload.objects.order_by("-id")[0]
    shown = browser(scene.owner).get(f"/api/v1/environments/{late.pk}").json()
    (reason,) = shown["reasons"]
    assert (reason["code"], reason["params"]["resource"]) == ("fragmented", "slices")


def test_what_no_card_can_be_cut_into_is_refused(scene: Scene) -> None:
    refusals: list[tuple[dict[str, object], str]] = [
        ({"mig_profile": "9g.90gb"}, "no_such_profile"),
        ({"mig_profile": "1g.10gb", "slices": 1}, "gpus_or_slices"),
        ({"gpus": 1}, "pool_gives_profiles"),
    ]
    for asked, code in refusals:
        answer = submit(scene, **asked)
        assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert not Workload.objects.exists()


@pytest.mark.parametrize(
    ("asked", "pointer"),
    [
        ({"gpu_milli": 900, "gpu_memory_mib": 90_000}, "/gpu_memory_mib"),
        ({"gpu_milli": 100, "gpu_memory_mib": 99_000}, "/gpu_memory_mib"),
        ({"slices": 9}, "/slices"),
    ],
)
def test_a_part_larger_than_every_profile_is_refused_where_it_was_asked_for(
    scene: Scene, asked: dict[str, object], pointer: str
) -> None:
    refused = submit(scene, **asked)

    assert (refused.status_code, refused.json()["code"]) == (422, "no_profile_so_large")
    assert [fault["pointer"] for fault in refused.json()["errors"]] == [pointer]
    assert not Workload.objects.exists()


def test_a_place_is_given_once_and_only_where_the_profile_may_begin(scene: Scene) -> None:
    card = Accelerator.objects.get()

    def at(*slots: int) -> Placement:
        devices = tuple((AcceleratorId(str(card.pk)), slot) for slot in slots)
        return Placement(NodeId(str(card.node_id)), devices)

    works = [scene.work(slices=2) for _ in range(10)]
    Workload.objects.update(mig_profile="2g.20gb")
    for illegal in (at(1, 2), at(6, 7), at(0, 2), at(0)):
        with pytest.raises(DomainError, match="insufficient_now"):
            scene.place(works[0], illegal)
    spots = [at(0, 1), at(2, 3), at(4, 5)]

    def place(number: int) -> str:
        try:
            scene.place(works[number], spots[number % 3])
        except DomainError as error:
            return error.code
        return "ok"

    assert Counter(at_once(10, place)) == {"ok": 3, "insufficient_now": 7}
    assert AllocationDevice.objects.count() == 6
    assert_sound()


def test_card_that_is_switched_back_takes_no_work_until_it_is_cut_again(scene: Scene) -> None:
    (node,) = scene.nodes
    told = told_by(node)
    update_cards(node, [told.model_copy(update={"profiles": ()})])
    card = Accelerator.objects.get()
    assert (card.state, card.fault) == ("suspect", "mig_off")
    update_cards(node, [told])
    card.refresh_from_db()
    assert (card.state, card.fault) == ("ok", "")
    other = a_node(scene.pool, cards=0)
    fresh = told_by(other).model_copy(update={"profiles": ()})
    update_cards(other, [fresh])
    card = other.accelerators.get()
    assert (card.mode, card.slices, card.state, card.fault) == ("mig", 8, "suspect", "mig_off")
