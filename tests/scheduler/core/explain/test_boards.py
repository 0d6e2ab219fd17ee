"""What pages show beside the queue: free, lent and in pieces."""

from dataclasses import replace

import pytest

from scheduler.core.cycle import run_cycle
from scheduler.core.explain.boards import build_boards
from scheduler.core.ledger import Ledger
from scheduler.core.model.plan import PoolBoard
from tests.scheduler.core.tables import a_ledger, a_snapshot
from tests.scheduler.scenario import snapshot_of


def test_board_tells_what_is_lent_and_what_lies_in_pieces() -> None:
    site = snapshot_of(
        {
            "pools": ["development: 4 slices of 8192 MiB, lends to training", "training"],
            "nodes": ["d1: 4 cards in development", "t1: 2 cards in training"],
            "running": [
                "notebook: 1 slices on d1 in development",
                "guest: 2 cards on d1, preemptible",
                "own: 1 cards on t1",
            ],
            "waiting": ["big: 4 cards"],
        }
    )

    plan = run_cycle(site, site.taken_at)

    assert plan.boards == (
        PoolBoard(
            pool=site.pools[0].id,
            gpus_total=4,
            gpus_free=1,
            slices_total=16,
            slices_free=7,
            largest_free=4,
            waiting=0,
            slices_in_pieces=3,
            gpus_lent=2,
        ),
        PoolBoard(
            pool=site.pools[1].id,
            gpus_total=2,
            gpus_free=1,
            slices_total=0,
            slices_free=0,
            largest_free=1,
            waiting=1,
            gpus_borrowed=2,
        ),
    )


def _board(ledger: Ledger, pool: str = "training") -> PoolBoard:
    boards = build_boards(ledger, ledger.pending.values())
    return next(board for board in boards if board.pool == pool)


Row = tuple[list[str], list[str], list[str], dict[str, int]]
"""Nodes, broken cards, running work; what the board of `training` shows."""

WHOLE: dict[str, Row] = {
    "an empty pool has everything free": (
        ["n1: 4 cards", "n2: 2 cards"],
        *([], []),
        {"gpus_total": 6, "gpus_free": 6, "largest_free": 4},
    ),
    "a pool without nodes has nothing": (
        *([], [], []),
        {"gpus_total": 0, "gpus_free": 0, "largest_free": 0},
    ),
    "what runs is not free": (
        ["n1: 4 cards", "n2: 4 cards"],
        [],
        ["a: 1 cards on n1", "b: 2 cards on n2"],
        {"gpus_total": 8, "gpus_free": 5, "largest_free": 3},
    ),
    "a full pool has no largest": (
        ["n1: 1 cards"],
        [],
        ["a: 1 cards on n1"],
        {"gpus_total": 1, "gpus_free": 0, "largest_free": 0},
    ),
    "a broken card is owned and not free": (
        ["n1: 4 cards"],
        ["n1: card 2 bad"],
        [],
        {"gpus_total": 4, "gpus_free": 3, "largest_free": 3},
    ),
    "a card that is gone is not owned": (
        ["n1: 4 cards"],
        ["n1: card 2 gone"],
        [],
        {"gpus_total": 3, "gpus_free": 3, "largest_free": 3},
    ),
    "cards of a node that takes no work are owned and not free": (
        ["n1: 4 cards, draining", "n2: 1 cards"],
        *([], []),
        {"gpus_total": 5, "gpus_free": 1, "largest_free": 1},
    ),
    "cards of a retired node are gone": (
        ["n1: 4 cards, retired", "n2: 1 cards"],
        *([], []),
        {"gpus_total": 1, "gpus_free": 1, "largest_free": 1},
    ),
}


@pytest.mark.parametrize("row", WHOLE.values(), ids=WHOLE)
def test_board_of_a_pool_of_whole_cards(row: Row) -> None:
    nodes, broken, running, expected = row

    board = _board(a_ledger(nodes, running, broken=broken))

    assert {name: getattr(board, name) for name in expected} == expected
    assert (board.slices_total, board.slices_free, board.slices_in_pieces) == (0, 0, 0)


SLICED: dict[str, Row] = {
    "whole cards in slices": (
        ["n1: 2 cards"],
        *([], []),
        {"gpus_free": 2, "slices_total": 8, "slices_free": 8, "largest_free": 4},
    ),
    "a card of which a slice is held lies in pieces": (
        ["n1: 2 cards"],
        [],
        ["a: 1 slices on n1"],
        {"gpus_free": 1, "slices_free": 7, "largest_free": 4, "slices_in_pieces": 3},
    ),
    "the largest piece where no card is whole": (
        ["n1: 2 cards"],
        [],
        ["a: 3 slices on n1 card 0", "b: 2 slices on n1 card 1"],
        {"gpus_free": 0, "slices_free": 3, "largest_free": 2, "slices_in_pieces": 3},
    ),
    "a full card leaves no pieces": (
        ["n1: 2 cards"],
        [],
        ["a: 4 slices on n1 card 1"],
        {"gpus_free": 1, "slices_free": 4, "largest_free": 4, "slices_in_pieces": 0},
    ),
    "slices of a broken card are owned and not free": (
        ["n1: 2 cards"],
        ["n1: card 1 bad"],
        [],
        {"gpus_free": 1, "slices_total": 8, "slices_free": 4, "largest_free": 4},
    ),
}


@pytest.mark.parametrize("row", SLICED.values(), ids=SLICED)
def test_board_of_a_pool_of_slices(row: Row) -> None:
    nodes, broken, running, expected = row

    board = _board(
        a_ledger(nodes, running, broken=broken, pools=["training: 4 slices of 8192 MiB"])
    )

    assert {name: getattr(board, name) for name in expected} == expected


def test_a_card_that_shares_hold_is_not_free() -> None:
    site = a_snapshot(nodes=["n1: 2 cards"])
    first, second = site.accelerators
    shared = replace(first, is_fractional=True, gpu_milli_taken=100)

    board = _board(Ledger(replace(site, accelerators=(shared, second))))

    assert (board.gpus_total, board.gpus_free, board.largest_free) == (2, 1, 1)


def test_boards_come_by_pool_and_count_only_their_own_queues() -> None:
    ledger = a_ledger(
        ["n1: 1 cards"],
        waiting=["a: 9 cards", "b: 1 slices in z", "c: 9 cards"],
        pools=["z: 4 slices of 8192 MiB", "training", "a: closed"],
    )

    boards = build_boards(ledger, ledger.pending.values())

    assert [(board.pool, board.waiting) for board in boards] == [
        ("a", 0),
        ("training", 2),
        ("z", 1),
    ]
    assert [board.waiting for board in build_boards(ledger, ())] == [0, 0, 0]


def test_a_gang_borrows_each_card_once_and_every_pool_counts_its_part() -> None:
    ledger = a_ledger(
        ["d1: 2 cards in dev", "e1: 1 cards in eval", "n1: 2 cards"],
        [
            "gang: 1 cards on d1+e1 in training, preemptible",
            "own: 1 cards on n1 in training",
            "back: 1 cards on n1 in eval, preemptible",
        ],
        pools=["training", "dev: 4 slices of 8192 MiB", "eval: 2 slices of 8192 MiB"],
    )

    boards = {board.pool: board for board in build_boards(ledger, ())}

    assert {pool: each.gpus_lent for pool, each in boards.items()} == {
        "dev": 1,
        "eval": 1,
        "training": 1,
    }
    assert {pool: each.gpus_borrowed for pool, each in boards.items()} == {
        "dev": 0,
        "eval": 1,
        "training": 2,
    }


def test_what_borrows_on_a_node_that_takes_no_work_is_not_counted_as_lent() -> None:
    ledger = a_ledger(
        ["d1: 2 cards in dev, unready", "n1: 1 cards"],
        ["guest: 1 cards on d1 in training, preemptible"],
        pools=["training", "dev: 4 slices of 8192 MiB"],
    )

    assert _board(ledger, "dev").gpus_lent == 0
    assert _board(ledger).gpus_borrowed == 0
