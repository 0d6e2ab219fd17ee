"""Every state of a node × every state of a card × who holds it: all answers count the same cards."""

from collections import Counter
from typing import Any, Final

import pytest
from django.db import connection, transaction

from portal.inventory.models import Accelerator, Node
from portal.workloads.models import AllocationDevice
from scheduler.core.model.states import AcceleratorState, NodeState
from tests.builders.people import a_user
from tests.builders.scenes import a_scene
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

NODES: Final = [state for state in NodeState if state is not NodeState.RETIRED]
CARDS: Final = list(AcceleratorState)


@pytest.mark.parametrize("slices", [1, 8])
def test_numbers_and_cells_agree_in_every_state(slices: int) -> None:
    held = [0, 1] if slices == 1 else [0, 3, 8]
    cases = [(state, count) for state in CARDS for count in held]
    scene = a_scene(nodes=len(NODES), cards=len(cases), slices=slices)
    for place, _ in enumerate(NODES):
        for card, (_, count) in enumerate(cases):
            if count:
                slots = tuple(range(count)) if slices > 1 else ()
                work = scene.work(gpus=0, slices=count) if slices > 1 else scene.work(gpus=1)
                scene.place(work, scene.placement(place, (card,), slots))
    with transaction.atomic(), connection.cursor() as cursor:
        # Also such as no transition leads to from here.
        cursor.execute("SET LOCAL session_replication_role = replica")
        for node, node_state in zip(scene.nodes, NODES, strict=True):
            Node.objects.filter(pk=node.pk).update(state=node_state.value)
            for card, (card_state, _) in enumerate(cases):
                cards = Accelerator.objects.filter(node=node, index=card)
                cards.update(state=card_state.value, fault="")
    reader = browser(a_user(role="platform_admin"))

    [pool] = json_of(reader.get(f"{API}/pools"))["results"]
    [use] = json_of(reader.get(f"{API}/overview"))["pools"]
    drawn = count_cells(json_of(reader.get(f"{API}/card-map")))

    capacity = pool["capacity"]
    whole, cells = drawn["cards"], drawn["cells"]
    assert whole.total() == capacity["gpus_total"] == use["gpus_total"] == len(cases) * len(NODES)
    assert whole["free"] == capacity["gpus_free"] == use["gpus_free"] == 1
    assert whole["lost"] == capacity["gpus_lost"] == use["gpus_lost"] == len(held) * len(NODES)
    assert (whole["held"], whole["out"]) == (use["gpus_held"], use["gpus_out"])
    if slices > 1:
        # Of the cards in order on the ready node: all of one, and what is left of another.
        assert cells["free"] == capacity["slices_free"] == use["slices_free"] == 8 + 5
        assert cells.total() == capacity["slices_total"] == use["slices_total"]
        assert capacity["largest_free"] == 8
    kept = AllocationDevice.objects.filter(released_at=None).exclude(accelerator__state="gone")
    assert cells["held"] == kept.count()


def count_cells(card_map: Any) -> dict[str, Counter[str]]:
    """Return how many cards, and cells of cards, have each look, as the pages draw them."""
    cards, nodes = card_map["cards"], card_map["nodes"]
    taken = Counter(card_map["parts"]["card"])
    found: dict[str, Counter[str]] = {"cards": Counter(), "cells": Counter()}
    for at, state in enumerate(cards["state"]):
        unheld = "out"
        if state == "gone":
            unheld = "lost"
        elif state == "ok" and nodes[cards["node"][at]]["state"] == "ready":
            unheld = "free"
        is_held = taken[at] > 0 and unheld != "lost"
        found["cards"]["held" if is_held else unheld] += 1
        found["cells"]["held"] += taken[at] if is_held else 0
        found["cells"][unheld] += cards["slices"][at] - (taken[at] if is_held else 0)
    return found
