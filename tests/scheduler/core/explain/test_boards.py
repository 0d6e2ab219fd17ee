"""What pages show beside the queue: free, lent and in pieces."""

from scheduler.core.cycle import run_cycle
from scheduler.core.model.plan import PoolBoard
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
