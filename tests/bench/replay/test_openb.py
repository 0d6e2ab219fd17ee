"""The openb replay on a small cluster and task list of our own."""

import gzip
import json
from pathlib import Path

import pytest

from bench.replay.go_random import GoRandom
from bench.replay.openb import POLICIES, Drawn, Trace, draw_tasks, play, read_nodes, replay_order
from bench.replay.packing_bound import packing_bound
from scheduler.core.placement.node_table import CardSpec, NodeSpec
from scheduler.core.placement.shape import Shape
from scheduler.whatif.__main__ import main

NODES = """\
sn,cpu_milli,memory_mib,gpu,model
b,64000,262144,4,A10
a,32000,131072,2,T4
c,16000,65536,1,T4
"""
PODS = """\
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec
half,4000,8192,1,500,
third,4000,8192,1,330,
whole,8000,16384,1,1000,
pair,16000,32768,2,1000,A10
cpu,8000,8192,0,0,
t4,4000,8192,1,1000,T4|P100
"""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    found = {name: tmp_path / name for name in ("nodes.csv", "pods.csv.gz", "orders.csv")}
    found["nodes.csv"].write_text(NODES, encoding="utf-8")
    found["pods.csv.gz"].write_bytes(gzip.compress(PODS.encode()))
    orders = "seed,row_indices\n7,0 0 3 1 4 2 5 2 2 1\n8,5 4 3 2 1 0 2 2 2 2\n"
    found["orders.csv"].write_text(orders, encoding="utf-8")
    return found


def _command(files: dict[str, Path], *more: str, verb: str = "replay") -> list[str]:
    nodes, pods = str(files["nodes.csv"]), str(files["pods.csv.gz"])
    return [verb, "openb", "--nodes", nodes, "--pods", pods, *more]


@pytest.mark.parametrize("policy", POLICIES)
def test_its_figures_have_the_agreed_form(
    files: dict[str, Path], tmp_path: Path, policy: str
) -> None:
    out = tmp_path / "out.json"
    orders = ("--orders", str(files["orders.csv"]), "--seeds", "7", "8")

    code = main(_command(files, *orders, "--policy", policy, "--json", str(out)))

    figures = json.loads(out.read_text(encoding="utf-8"))
    assert code == 0
    assert figures.keys() == {"policy", "seeds", "mean"}
    assert figures["policy"] == policy
    assert figures["seeds"].keys() == {"7", "8"}
    for found in (*figures["seeds"].values(), figures["mean"]):
        assert 0 < found["allocated_pct_95"] <= found["allocated_pct_100"]
        assert found["allocated_pct_100"] <= found["allocated_pct_130"] <= 100
        assert 0 < found["first_rejection_pct"] <= 130
    seven = figures["seeds"]["7"]
    assert seven["allocated_pct_100"] == seven["allocated_milli_100"] / 7000 * 100


@pytest.mark.parametrize("policy", POLICIES)
def test_nothing_is_placed_twice_over_and_what_fits_is_placed(
    files: dict[str, Path], policy: str
) -> None:
    nodes = read_nodes(str(files["nodes.csv"]))
    trace = Trace(nodes, (Shape(cpu_milli=1000, gpus=1), Shape(cpu_milli=1000, gpu_milli=500)))

    run = replay_order(trace, Drawn((0, 1, 1, 0, 0, 0, 0, 0, 1), (0, 1, 2)), policy, seed=1)

    assert run.placed.tolist()[:3] == [1000, 1500, 2000]
    assert int(run.placed[-1]) <= trace.milli
    assert run.figures(trace.milli)["allocated_milli_130"] in {6500, 7000}


def test_drawn_arrivals_end_at_130_percent_and_are_the_same_every_time(
    files: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    told = []
    for _ in range(2):
        assert main(_command(files, "--seeds", "3", "4", "--json", str(out))) == 0
        told.append(json.loads(out.read_text(encoding="utf-8")))

    assert told[0] == told[1]
    assert told[0]["seeds"].keys() == {"3", "4"}


def test_arrivals_are_drawn_up_and_down_to_the_demand() -> None:
    nodes = (NodeSpec(64_000, 262_144, (CardSpec(),) * 4),)
    for tasks in ((Shape(gpu_milli=300),) * 3, (Shape(gpus=2),) * 9):
        trace = Trace(nodes, tasks)
        demand = sum(tasks[row].total_milli for row in draw_tasks(trace, 5).arrivals)
        assert 4900 - 2000 <= demand <= 5200


def test_go_numbers_are_go_numbers() -> None:
    """`rand.Seed(1)`: 5577006791947779410 and 8674665223082153551 are on every Go page."""
    chance = GoRandom(1)

    assert [chance.int63(), chance.int63()] == [5577006791947779410, 8674665223082153551]
    assert sorted(GoRandom(42).permutation(50)) == list(range(50))


def test_work_that_waits_is_ordered_once_the_cluster_is_full_enough() -> None:
    nodes = (NodeSpec(64_000, 262_144, (CardSpec(),) * 2),)
    trace = Trace(nodes, (Shape(gpu_milli=300), Shape(gpus=1)))
    drawn = Drawn((0, 0, 0, 1, 1), (0,))

    at_once = play(trace, {1: drawn}, "default")["mean"]
    waiting = play(trace, {1: drawn}, "default", hold_pct=0)["mean"]

    assert isinstance(at_once, dict)
    assert isinstance(waiting, dict)
    assert at_once["allocated_milli_130"] == 1900
    assert waiting["allocated_milli_130"] == 2000


def test_no_policy_exceeds_the_bound(files: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "out.json"

    code = main(
        _command(files, "--orders", str(files["orders.csv"]), "--json", str(out), verb="compare")
    )

    figures = json.loads(out.read_text(encoding="utf-8"))
    assert code == 0
    for name in POLICIES:
        for mark in ("allocated_pct_100", "allocated_pct_130"):
            assert figures["policies"][name]["mean"][mark] <= figures["bound"][mark] + 1e-6


def test_the_bound_knows_cards_cpu_models_and_shares() -> None:
    nodes = (NodeSpec(10_000, 1000, (CardSpec("T4"),) * 2),)

    assert packing_bound(nodes, [Shape(gpus=1)] * 5) == 2000
    assert packing_bound(nodes, [Shape(gpus=1)]) == 1000
    assert packing_bound(nodes, [Shape(gpus=1, cpu_milli=8000)] * 2) == 1250
    assert packing_bound(nodes, [Shape(gpu_milli=600)] * 9) == 1200
    assert packing_bound(nodes, [Shape(gpu_milli=600)] * 2 + [Shape(gpu_milli=400)] * 2) == 2000
    assert packing_bound(nodes, [Shape(gpus=1, models=frozenset({"A10"}))]) == 0
    assert packing_bound(nodes, [Shape(cpu_milli=1000)]) == 0


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("nodes.csv", "sn,cpu_milli\n", "no column 'gpu'"),
        ("nodes.csv", NODES.replace("64000", "many"), "cpu_milli is 'many'"),
        ("orders.csv", "seed,row_indices\n7,0 99\n", "names a task that is not in the list"),
        ("orders.csv", "seed,row_indices\n7,x\n", "not numbers"),
        ("orders.csv", "seed,row_indices\n9,0 1\n", "no order for seed 7"),
        ("pods.csv.gz", "not compressed", "pods.csv.gz"),
        ("nodes.csv", None, "nodes.csv"),
    ],
)
def test_a_bad_file_is_one_line_and_code_2(
    files: dict[str, Path],
    capsys: pytest.CaptureFixture[str],
    name: str,
    text: str | None,
    told: str,
) -> None:
    if text is None:
        files[name].unlink()
    else:
        files[name].write_text(text, encoding="utf-8")

    code = main(_command(files, "--orders", str(files["orders.csv"]), "--seeds", "7"))

    error = capsys.readouterr().err
    assert code == 2
    assert told in error
    assert error.count("\n") == 1


def test_an_unknown_policy_is_refused(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(_command(files, "--policy", "magic")) == 2
    assert "no policy 'magic'" in capsys.readouterr().err
