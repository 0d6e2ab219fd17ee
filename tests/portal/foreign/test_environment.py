"""Variables that every rank has, on whatever cluster."""

from collections.abc import Mapping

import pytest

from portal.execution.desired import ArrayPosition, WantedContainer
from portal.foreign.environment import rank_environment
from tests.builders.slurm_jobs import a_rank


def environment_of(rank: WantedContainer) -> Mapping[str, str]:
    nodes = tuple(f"n{number}" for number in range(1, rank.spec.ranks + 1))
    return rank_environment(rank, nodes=nodes, hosts=("a", "b"), outputs="/outputs")


def test_ours_are_above_what_the_user_sets() -> None:
    environment = environment_of(a_rank(env={"BERTH_NODE": "elsewhere", "MINE": "kept"}))
    assert (environment["BERTH_NODE"], environment["MINE"]) == ("n1", "kept")


def test_tasks_of_an_array_know_their_index() -> None:
    environment = environment_of(a_rank(array=ArrayPosition("a-1", 3, 9)))
    assert [environment[f"BERTH_ARRAY_{it}"] for it in ("ID", "INDEX", "SIZE")] == ["a-1", "3", "9"]


@pytest.mark.parametrize(("rank", "node"), [(0, "n1"), (1, "n2")])
def test_ranks_find_each_other_at_the_first(rank: int, node: str) -> None:
    environment = environment_of(a_rank(rank=rank, ranks=2))
    assert [environment[it] for it in ("BERTH_NODE", "NODE_RANK", "NNODES")] == [
        node,
        str(rank),
        "2",
    ]
    assert environment["MASTER_ADDR"] == "a"
    assert environment["MASTER_PORT"] == environment_of(a_rank(ranks=2))["MASTER_PORT"]
