"""What a rank runs for Accelerate and DeepSpeed: the command as a shell makes it of the environment."""

import base64
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from nodeagent.launch.ranks import RankRendezvous, rank_argv, rank_environment, rank_files
from nodeagent.ports import ContainerOrder
from tests.fakes.work import an_order
from wire.words import Device

TRAIN = ("python", "train.py", "--lr", "1 e-3")
CARDS = (Device("GPU-1", 1024), Device("GPU-2", 1024))
HOSTS = ("10.0.0.7", "10.0.0.8")
TORCHRUN = (
    *("sh", "/berth/notices/launcher", "python3", "torch"),
    *("python3", "-m", "torch.distributed.run", "--no-python", *TRAIN),
)
SHOW = """#!/bin/sh
for word in "$@"; do printf '%s\\n' "$word"; done
"""


def a_rank(framework: str, *, rank: int = 0, ranks: int = 2, **more: Any) -> ContainerOrder:
    given = {"devices": CARDS, "hosts": HOSTS[:ranks], "env": {}, **more}
    return an_order(
        TRAIN, rank=rank, ranks=ranks, launcher="torchrun", framework=framework, **given
    )


@pytest.fixture
def words_of(tmp_path: Path) -> Any:
    """Run the command of a rank in its environment, with a `python3` that shows what it is given."""
    python = tmp_path / "python3"
    python.write_text(SHOW, encoding="utf-8")
    python.chmod(0o755)

    def run(order: ContainerOrder) -> tuple[dict[str, str], list[str]]:
        env = rank_environment(order, RankRendezvous(HOSTS[: order.spec.ranks]))
        shell = {"PATH": f"{tmp_path}:{os.environ['PATH']}", **env}
        for name, text in rank_files(order, RankRendezvous(HOSTS)).items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        argv = rank_argv(order, TRAIN, str(tmp_path))
        shown = subprocess.run(argv, env=shell, check=True, capture_output=True, text=True)
        return env, shown.stdout.splitlines()

    return run


@pytest.mark.parametrize("rank", [0, 1])
def test_accelerate_starts_one_process_for_each_card_of_two_ranks(words_of: Any, rank: int) -> None:
    env, words = words_of(a_rank("accelerate", rank=rank))

    assert (env["MASTER_ADDR"], env["NODE_RANK"], env["NNODES"]) == (HOSTS[0], str(rank), "2")
    assert words == [
        *("-m", "accelerate.commands.launch", "--multi_gpu", "--same_network"),
        *("--num_machines", "2", "--machine_rank", str(rank), "--num_processes", "4"),
        *("--main_process_ip", HOSTS[0], "--main_process_port", env["MASTER_PORT"]),
        *("--no_python", *TRAIN),
    ]


@pytest.mark.parametrize("rank", [0, 1])
def test_deepspeed_knows_the_cards_of_both_ranks_and_shows_its_own(
    words_of: Any, rank: int
) -> None:
    env, words = words_of(a_rank("deepspeed", rank=rank))

    module, world = words[:2], words.pop(2)
    assert module == ["-m", "deepspeed.launcher.launch"]
    cards = json.loads(base64.urlsafe_b64decode(world.removeprefix("--world_info=")))
    own, other = ["GPU-1", "GPU-2"], [0, 1]
    assert list(cards.values()) == ([own, other] if rank == 0 else [other, own])
    assert words[2:] == [
        *("--node_rank", str(rank), "--master_addr", HOSTS[0]),
        *("--master_port", env["MASTER_PORT"], "--no_python", "--no_local_rank", *TRAIN),
    ]


@pytest.mark.parametrize(
    "order",
    [
        a_rank("accelerate", devices=()),
        a_rank("deepspeed", devices=()),
        a_rank("accelerate", ranks=1, devices=CARDS[:1]),
        a_rank(""),
    ],
    ids=["accelerate without cards", "deepspeed without cards", "one process", "torchrun"],
)
def test_torchrun_starts_what_no_framework_starts_better(order: ContainerOrder) -> None:
    assert rank_argv(order, TRAIN, "/berth/notices") == TORCHRUN


@pytest.mark.parametrize(
    ("order", "told"),
    [
        (a_rank("accelerate", devices=()), "true"),
        (a_rank("accelerate", devices=(), env={"ACCELERATE_USE_CPU": "false"}), "false"),
        (a_rank("accelerate"), None),
        (a_rank("deepspeed", devices=()), None),
    ],
    ids=["without cards", "of the user's own", "with cards", "another framework"],
)
def test_accelerate_is_told_where_it_has_no_cards(order: ContainerOrder, told: str | None) -> None:
    env = rank_environment(order, RankRendezvous(HOSTS))

    assert env.get("ACCELERATE_USE_CPU") == told
