"""On which nodes the ranks of a gang go: one row for each rule."""

import pytest

from scheduler.core.capacity.gang import place_gang
from tests.scheduler.core.tables import TRAINING, a_ledger, a_waiting

Row = tuple[list[str], list[str], str, str | None]
"""Nodes, running work, the gang; the nodes of its ranks, sorted, or None."""

TABLE: dict[str, Row] = {
    "one rank where it fits": (["n1: 2 cards", "n2: 4 cards"], [], "4 cards", "n2"),
    "nothing where it does not fit": (["n1: 2 cards", "n2: 4 cards"], [], "5 cards", None),
    "all ranks on one node": (
        *(["n1: 4 cards", "n2: 8 cards"], []),
        *("2 cards, 4 ranks", "n2 n2 n2 n2"),
    ),
    "one node goes before one switch": (
        ["n1: 4 cards, switch s1", "n2: 4 cards, switch s1", "n3: 8 cards, switch s2"],
        *([], "4 cards, 2 ranks", "n3 n3"),
    ),
    "one node without a switch goes before one switch": (
        ["n1: 8 cards", "n2: 4 cards, switch s1", "n3: 4 cards, switch s1"],
        *([], "4 cards, 2 ranks", "n1 n1"),
    ),
    "all ranks on one switch": (
        ["n1: 4 cards, switch s1", "n2: 4 cards, switch s2", "n3: 4 cards, switch s1"],
        *([], "4 cards, 2 ranks", "n1 n3"),
    ),
    "of two switches the one that needs fewer nodes": (
        [
            *("n1: 2 cards, switch s1", "n2: 2 cards, switch s1", "n3: 4 cards, switch s1"),
            *("n4: 6 cards, switch s2", "n5: 2 cards, switch s2"),
        ],
        *([], "2 cards, 4 ranks", "n4 n4 n4 n5"),
    ),
    "of two switches the fuller one": (
        [
            *("n1: 4 cards, switch s1", "n2: 4 cards, switch s1", "n3: 4 cards, switch s1"),
            *("n4: 4 cards, switch s2", "n5: 4 cards, switch s2"),
        ],
        *([], "2 cards, 4 ranks", "n4 n4 n5 n5"),
    ),
    "nodes without a switch are not near each other": (
        ["n1: 4 cards", "n2: 4 cards", "n3: 4 cards, switch s1", "n4: 4 cards, switch s1"],
        *([], "4 cards, 2 ranks", "n3 n4"),
    ),
    "across switches if none has room for all": (
        ["n1: 4 cards, switch s1", "n2: 4 cards, switch s2", "n3: 4 cards, switch s3"],
        *([], "4 cards, 3 ranks", "n1 n2 n3"),
    ),
    "on as few nodes as possible": (
        *(["n1: 2 cards", "n2: 4 cards", "n3: 2 cards", "n4: 4 cards"], []),
        *("2 cards, 4 ranks", "n2 n2 n4 n4"),
    ),
    "the rest on a node that it fills": (
        *(["n1: 2 cards", "n2: 4 cards", "n3: 8 cards"], []),
        *("2 cards, 5 ranks", "n1 n3 n3 n3 n3"),
    ),
    "all or none": (
        *(["n1: 4 cards", "n2: 4 cards"], []),
        *("4 cards, 3 ranks", None),
    ),
    "what is held does not count": (
        *(["n1: 4 cards", "n2: 4 cards"], ["x: 1 cards on n1"]),
        *("4 cards, 2 ranks", None),
    ),
    "not on a node to avoid": (
        *(["n1: 4 cards", "n2: 4 cards"], []),
        *("4 cards, avoid n1", "n2"),
    ),
    "nor on a card to avoid": (
        *(["n1: 4 cards", "n2: 4 cards"], []),
        *("4 cards, avoid n2.3", "n1"),
    ),
    "on a node to avoid if there is no other": (
        *(["n1: 4 cards", "n2: 2 cards"], []),
        *("4 cards, avoid n1", "n1"),
    ),
    "all nodes are to be avoided": (
        *(["n1: 4 cards", "n2: 2 cards"], []),
        *("4 cards, avoid n1+n2", "n1"),
    ),
    "a gang that cannot do without the node": (
        *(["n1: 4 cards", "n2: 4 cards"], []),
        *("4 cards, 2 ranks, avoid n1", "n1 n2"),
    ),
    "only at home": (
        *(["n1: 4 cards", "n2: 4 cards"], []),
        *("1 cards, home n2", "n2"),
    ),
    "one of several homes": (
        *(["n1: 4 cards", "n2: 2 cards", "n3: 4 cards"], []),
        *("4 cards, home n2|n3", "n3"),
    ),
    "nowhere if home is full": (
        *(["n1: 4 cards", "n2: 4 cards"], ["x: 4 cards on n2"]),
        *("1 cards, home n2", None),
    ),
    "home although it is to be avoided": (
        *(["n1: 4 cards", "n2: 4 cards"], []),
        *("1 cards, home n2, avoid n2", "n2"),
    ),
    "a home that is not there": (
        *(["n1: 4 cards"], []),
        *("1 cards, home n9", None),
    ),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_nodes_of_a_gang(row: Row) -> None:
    nodes, running, words, expected = row
    ledger, work = a_ledger(nodes, running), a_waiting(words)

    placements = place_gang(work.request, ledger.free[TRAINING].matrix, work.avoid, work.contents)

    found = None if placements is None else " ".join(sorted(each.node for each in placements))
    assert found == expected


def test_no_device_is_given_to_two_ranks() -> None:
    ledger, work = a_ledger(["n1: 4 cards", "n2: 4 cards"]), a_waiting("2 cards, 4 ranks")

    placements = place_gang(work.request, ledger.free[TRAINING].matrix) or ()

    devices = [device for each in placements for device in each.devices]
    assert len(devices) == len(set(devices)) == 8
