"""Which nodes and cards each view of a pool has, and how views follow what changes."""

from dataclasses import replace

import pytest

from scheduler.core.capacity.gang import place_gang
from scheduler.core.capacity.node_capacity import NodeCapacity
from scheduler.core.capacity.views import CapacityView, CapacityViewBuilder, ViewsByPool
from scheduler.core.model.entities import NodeId, PoolId, Request
from scheduler.core.model.isolation import IsolationLevel
from scheduler.core.model.policy import PoolPolicy
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState
from tests.scheduler.core.tables import N1, N2, TRAINING, a_snapshot

DEVELOPMENT = PoolId("development")


def _cards(view: CapacityView) -> str:
    """Return the cards of a view with the number of free slots, node by node."""
    return " ".join(
        f"{card.view.id}:{len(card.free_slots)}" for node in view.values() for card in node.cards
    )


def _all_views(snapshot: Snapshot) -> dict[str, ViewsByPool]:
    builder = CapacityViewBuilder(snapshot)
    free = builder.build_free({})
    return {
        "installed": builder.build_installed(free),
        "enforcing": builder.build_enforcing(free),
        "usable": builder.build_usable(free),
        "free": free,
    }


NODES: dict[str, tuple[str, str]] = {
    "a ready node is in every view": ("ready", "installed enforcing usable free"),
    "one that is not heard is only owned": ("unready", "installed enforcing"),
    "so is one that is lost": ("lost", "installed enforcing"),
    "so is one that is drained": ("drained", "installed enforcing"),
    "so is one that is about to be": ("draining", "installed enforcing"),
    "so is one that joins": ("joining", "installed enforcing"),
    "a retired one is not even that": ("retired", ""),
}


@pytest.mark.parametrize("row", NODES.values(), ids=NODES)
def test_views_of_a_node_in_each_state(row: tuple[str, str]) -> None:
    state, expected = row

    views = _all_views(a_snapshot(nodes=[f"n1: 2 cards, {state}"]))

    assert " ".join(name for name, each in views.items() if each[TRAINING]) == expected


CARDS: dict[str, tuple[AcceleratorState, str]] = {
    "a good card is in every view": (AcceleratorState.OK, "installed enforcing usable free"),
    "one that has to be cleaned is only owned": (AcceleratorState.DIRTY, "installed enforcing"),
    "so is one that looks bad": (AcceleratorState.SUSPECT, "installed enforcing"),
    "so is one that is bad": (AcceleratorState.BAD, "installed enforcing"),
    "one that is gone is not even that": (AcceleratorState.GONE, ""),
}


@pytest.mark.parametrize("row", CARDS.values(), ids=CARDS)
def test_views_of_a_card_in_each_state(row: tuple[AcceleratorState, str]) -> None:
    state, expected = row
    site = a_snapshot(nodes=["n1: 2 cards"])
    first, second = site.accelerators
    views = _all_views(replace(site, accelerators=(replace(first, state=state), second)))

    found = {
        name
        for name, each in views.items()
        if len(each[TRAINING][N1].cards) == len((first, second))
    }

    assert found == set(expected.split())
    assert all(second.id in _cards(each[TRAINING]) for each in views.values())


ISOLATION: dict[str, tuple[frozenset[IsolationLevel] | None, str]] = {
    "a simulated card keeps everybody apart": (None, "d1.0:4"),
    "one that keeps them apart as asked": (frozenset({IsolationLevel.HAMI}), "d1.0:4"),
    "one that can do better": (frozenset({IsolationLevel.MIG}), "d1.0:4"),
    "one that can do both": (
        frozenset({IsolationLevel.MPS, IsolationLevel.CGROUP}),
        "d1.0:4",
    ),
    "one that is too weak takes no work": (frozenset({IsolationLevel.MPS}), ""),
    "one that can only be given whole takes no slices": (
        frozenset({IsolationLevel.EXCLUSIVE}),
        "",
    ),
}


@pytest.mark.parametrize("row", ISOLATION.values(), ids=ISOLATION)
def test_cards_that_are_too_weak_are_installed_and_take_no_work(
    row: tuple[frozenset[IsolationLevel] | None, str],
) -> None:
    offered, expected = row
    site = a_snapshot(
        pools=["development: 4 slices of 8192 MiB"], nodes=["d1: 1 cards in development"]
    )
    (pool,), (card,) = site.pools, site.accelerators
    policy = PoolPolicy(isolation=IsolationLevel.HAMI)
    views = _all_views(
        replace(
            site,
            pools=(replace(pool, policy=policy),),
            accelerators=(replace(card, isolation=offered),),
        )
    )

    assert _cards(views["installed"][DEVELOPMENT]) == "d1.0:4"
    for name in ("enforcing", "usable", "free"):
        assert _cards(views[name][DEVELOPMENT]) == expected


def test_a_whole_card_asks_for_no_isolation_and_a_shared_one_does() -> None:
    site = a_snapshot(nodes=["n1: 2 cards"])
    weak = frozenset[IsolationLevel]()
    first, second = (replace(card, isolation=weak) for card in site.accelerators)

    views = _all_views(replace(site, accelerators=(first, replace(second, is_fractional=True))))

    assert _cards(views["installed"][TRAINING]) == "n1.0:1 n1.1:1"
    assert _cards(views["free"][TRAINING]) == "n1.0:1"


def test_only_the_free_view_leaves_out_what_work_holds() -> None:
    site = a_snapshot(
        pools=["development: 4 slices of 8192 MiB", "training"],
        nodes=[
            "d1: 1 cards in development, 16 cpu, 32 GiB",
            "n1: 2 cards in training, 8 cpu, 64 GiB",
        ],
        running=[
            "notebook: 3 slices on d1 in development, 2 cpu, 4 GiB",
            "job: 1 cards on n1 in training, 5 cpu, 60 GiB",
        ],
    )
    views = _all_views(site)

    assert {name: _cards(each[DEVELOPMENT]) for name, each in views.items()} == {
        "installed": "d1.0:4",
        "enforcing": "d1.0:4",
        "usable": "d1.0:4",
        "free": "d1.0:1",
    }
    assert {name: _cards(each[TRAINING]) for name, each in views.items()} == {
        "installed": "n1.0:1 n1.1:1",
        "enforcing": "n1.0:1 n1.1:1",
        "usable": "n1.0:1 n1.1:1",
        "free": "n1.0:0 n1.1:1",
    }
    node = views["free"][TRAINING][N1]
    assert (node.cpu_milli, node.memory_mib) == (3000, 4096)
    node = views["usable"][TRAINING][N1]
    assert (node.cpu_milli, node.memory_mib) == (8000, 65536)


def test_shares_of_a_card_are_counted_as_held_and_leave_its_slot() -> None:
    site = a_snapshot(nodes=["n1: 1 cards"])
    (card,) = site.accelerators
    shared = replace(card, is_fractional=True, gpu_milli_taken=300, gpu_memory_taken_mib=4096)

    views = _all_views(replace(site, accelerators=(shared,)))

    (mine,) = views["free"][TRAINING][N1].cards
    assert (mine.shared_milli, mine.shared_mib, mine.free_slots) == (300, 4096, frozenset({0}))
    assert not mine.is_untouched
    (empty,) = views["usable"][TRAINING][N1].cards
    assert (empty.shared_milli, empty.shared_mib, empty.is_untouched) == (0, 0, True)


def test_nodes_without_cards_are_in_no_pool_and_pools_without_nodes_are_empty() -> None:
    views = _all_views(
        a_snapshot(pools=["training", "development"], nodes=["n1: 1 cards", "cpu1: 64 cpu"])
    )

    for each in views.values():
        assert set(each) == {TRAINING, DEVELOPMENT}
        assert list(each[TRAINING]) == [N1]
        assert not each[DEVELOPMENT]


def test_a_node_whose_cards_are_all_broken_stays_in_its_pool_without_any() -> None:
    views = _all_views(a_snapshot(nodes=["n1: 1 cards"], broken=["n1: bad"]))

    assert views["free"][TRAINING][N1].cards == ()
    assert len(views["installed"][TRAINING][N1].cards) == 1


def test_nodes_come_by_name_and_cards_by_index_however_the_rows_were_read() -> None:
    site = a_snapshot(nodes=["n2: 2 cards", "n10: 1 cards", "n1: 11 cards"])
    turned = replace(
        site, nodes=tuple(reversed(site.nodes)), accelerators=tuple(reversed(site.accelerators))
    )

    one, other = (_all_views(each)["free"][TRAINING] for each in (site, turned))

    assert list(one) == ["n1", "n10", "n2"]
    assert [card.view.index for card in one[N1].cards] == list(range(11))
    assert _cards(one) == _cards(other)


# How views follow changes.


def _free(*nodes: str) -> CapacityView:
    site = a_snapshot(nodes=nodes or ("n1: 4 cards", "n2: 4 cards"))
    return CapacityViewBuilder(site).build_free({})[TRAINING]


def _taken(capacity: NodeCapacity, cards: int) -> NodeCapacity:
    devices = tuple((card.view.id, 0) for card in capacity.whole_cards()[:cards])
    return capacity.after_allocating(devices, 1000, 1024)


def _fitting(view: CapacityView, gpus: int = 1) -> list[int]:
    return [int(each) for each in view.matrix.count_replicas(Request(gpus=gpus, replicas=99))]


def test_the_arrays_of_a_view_follow_every_change() -> None:
    view = _free()
    assert _fitting(view) == [4, 4]

    view[N2] = _taken(view[N2], 3)
    assert _fitting(view) == [4, 1]
    view[N1] = _taken(view[N1], 4)
    view[N2] = _taken(view[N2], 1)
    assert _fitting(view) == [0, 0]


def test_arrays_that_are_made_late_have_what_changed_before() -> None:
    view = _free()
    view[N1] = _taken(view[N1], 2)

    assert _fitting(view) == [2, 4]


def test_a_copy_changes_independently() -> None:
    view = _free()
    copy = view.copy()

    copy[N1] = _taken(copy[N1], 4)
    view[N2] = _taken(view[N2], 1)

    assert _fitting(view) == [4, 3]
    assert _fitting(copy) == [0, 4]
    assert _cards(view) != _cards(copy)


def test_a_derived_view_follows_what_it_is_computed_from() -> None:
    view = _free()
    half = view.derive(lambda node: _taken(view[node], len(view[node].whole_cards()) // 2))
    assert _fitting(half) == [2, 2]

    view[N1] = _taken(view[N1], 2)

    assert _fitting(half) == [1, 2]
    assert _fitting(view) == [2, 4]


def test_a_derived_view_follows_the_others_that_it_depends_on() -> None:
    view, other = _free(), _free()
    least = view.derive(
        lambda node: min(view[node], other[node], key=lambda each: len(each.whole_cards())), other
    )
    assert _fitting(least) == [4, 4]

    other[N2] = _taken(other[N2], 3)
    assert _fitting(least) == [4, 1]
    view[N2] = _taken(view[N2], 4)
    assert _fitting(least) == [4, 0]
    view[N1] = _taken(view[N1], 1)
    assert _fitting(least) == [3, 0]


def test_a_derived_view_of_a_derived_view_follows_too() -> None:
    view = _free()
    same = view.derive(lambda node: view[node])
    less = same.derive(lambda node: _taken(same[node], 1))

    view[N1] = _taken(view[N1], 2)

    assert _fitting(less) == [1, 3]


def test_a_value_that_stays_the_same_is_not_written_again() -> None:
    view, written = _free(), list[NodeId]()
    fixed = dict(view)
    derived = view.derive(lambda node: fixed[node])
    derived.call_on_change(written.append)

    view[N1] = _taken(view[N1], 1)
    assert written == []
    fixed[N1] = view[N1]
    view[N1] = _taken(view[N1], 1)
    assert written == [N1]


def test_a_view_that_was_dropped_follows_no_longer() -> None:
    view = _free()
    derived = view.derive(lambda node: view[node])

    view.drop_derived()
    view[N1] = _taken(view[N1], 1)

    assert _fitting(derived) == [4, 4]
    assert _fitting(view) == [3, 4]


def test_borrowers_are_offered_untouched_cards_as_a_whole() -> None:
    site = a_snapshot(
        pools=["development: 4 slices of 8192 MiB", "training"],
        nodes=["d1: 3 cards in development"],
        running=["notebook: 1 slices on d1 in development"],
    )
    view = CapacityViewBuilder(site).build_free({})[DEVELOPMENT]

    placements = place_gang(Request(gpus=2), view.lending_matrix)
    assert placements is not None
    (place,) = placements
    assert set(place.devices) == {(f"d1.{card}", slot) for card in (1, 2) for slot in range(4)}
    assert place_gang(Request(gpus=3), view.lending_matrix) is None
    assert place_gang(Request(gpus=1), view.matrix) is None


BASES: dict[str, tuple[list[str], list[str], list[int], list[int]]] = {
    "another card on one node": (
        ["n1: 4 cards", "n2: 4 cards"],
        ["n1: card 3 bad"],
        *([3, 4], [4, 4]),
    ),
    "other cards on every node": (
        ["n1: 4 cards", "n2: 2 cards"],
        ["n1: card 0 bad", "n2: card 1 bad"],
        *([3, 1], [4, 2]),
    ),
    "another node": (["n1: 4 cards", "n2: 4 cards, unready"], [], [4], [4, 4]),
    "the same nodes and cards": (["n1: 4 cards", "n2: 1 cards"], [], [4, 1], [4, 1]),
    "no nodes": (["n1: 4 cards, unready"], [], [], [4]),
}


@pytest.mark.parametrize("row", BASES.values(), ids=BASES)
def test_a_view_beside_one_with_other_cards_counts_its_own(
    row: tuple[list[str], list[str], list[int], list[int]],
) -> None:
    nodes, broken, free, installed = row
    builder = CapacityViewBuilder(a_snapshot(nodes=nodes, broken=broken))
    less = builder.build_free({})
    assert _fitting(less[TRAINING]) == free

    more = builder.build_installed(less)

    assert _fitting(more[TRAINING]) == installed
    assert _fitting(less[TRAINING]) == free
