"""An attempt as a batch script: its options say what it may use, and bash runs what it was given."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from portal.execution.desired import AttemptLimit
from portal.foreign.bounds import BACKSTOP_S
from portal.slurm.script import batch_script, sbatch_options
from portal.slurm.values import SubmitJob
from tests.builders.slurm_jobs import KEY, TERMS, a_rank, an_order
from wire.words import Device

NAME = f"berth-0000abcd-{KEY.workload.hex}-2"
CARDS = (Device("SLURM-1", 81920), Device("SLURM-2", 81920))


def options_of(order: SubmitJob) -> set[str]:
    return set(sbatch_options(order, TERMS))


def test_options_name_the_attempt_and_what_it_may_use() -> None:
    rank = replace(a_rank(), devices=CARDS, limit=AttemptLimit(600, grace_s=60))
    assert options_of(an_order(rank)) >= {
        f"--job-name={NAME}",
        "--comment=n1",
        "--partition=gpu",
        "--nodelist=n1",
        "--gres=gpu:2",
        "--cpus-per-task=2",
        "--mem=512M",
        f"--time={(600 + 60 + BACKSTOP_S) // 60}",
        "--no-requeue",
        "--dependency=singleton",
        f"--output=/shared/work/jobs/{NAME}/0.log",
    }


def test_there_is_always_a_time_limit() -> None:
    assert "--time=60" in options_of(an_order())


def test_without_gpus_none_are_asked_for() -> None:
    assert not [option for option in options_of(an_order()) if option.startswith("--gres")]


def test_account_and_qos_are_named_where_they_are_set() -> None:
    chosen = replace(TERMS, account="physics", qos="long")
    assert {"--account=physics", "--qos=long"} <= set(sbatch_options(an_order(), chosen))


def test_a_gang_asks_for_as_much_on_each_node() -> None:
    ranks = tuple(replace(a_rank(rank=rank, ranks=3), devices=CARDS) for rank in range(3))
    options = options_of(an_order(*ranks, nodes=("n1", "n2", "n1")))
    assert options >= {
        "--nodes=2",
        "--ntasks=3",
        "--nodelist=n1,n2",
        "--comment=n1,n2,n1",
        "--gres=gpu:4",
        "--mem=1024M",
    }


def run(order: SubmitJob, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a script as Slurm would: the folder of its attempt is there."""
    terms = replace(TERMS, work_dir=str(folder))
    (folder / "jobs" / NAME).mkdir(parents=True, exist_ok=True)
    script = batch_script(order, terms)
    return subprocess.run(
        ("bash",), input=script, capture_output=True, text=True, timeout=60, check=False
    )


def test_command_has_its_arguments_as_they_are(tmp_path: Path) -> None:
    words = ("printf", "%s\n", "a b", "$HOME", "'\"", "中文", "")
    done = run(an_order(a_rank(command=words)), tmp_path)
    assert done.stdout == "a b\n$HOME\n'\"\n中文\n\n"


@pytest.mark.parametrize("value", ["a b", "$(id)", "it's", 'say "no"', "line\nline", "中文", "\\"])
def test_values_of_variables_are_as_they_are(tmp_path: Path, value: str) -> None:
    order = an_order(a_rank(env={"GIVEN": value}, command=("printenv", "GIVEN")))
    assert run(order, tmp_path).stdout == f"{value}\n"


def test_script_runs_by_its_own_interpreter_in_the_output_folder(tmp_path: Path) -> None:
    script = "#!/usr/bin/env python3\nimport os, sys\nprint(os.getcwd(), sys.argv[1:])\n"
    done = run(an_order(a_rank(script=script, command=("--fast",))), tmp_path)
    assert done.stdout == f"{tmp_path}/outputs/{KEY.workload} ['--fast']\n"


def test_script_without_an_interpreter_is_the_shells(tmp_path: Path) -> None:
    done = run(an_order(a_rank(script="echo $BERTH_NODE of $NNODES; exit 5\n")), tmp_path)
    assert (done.stdout, done.returncode) == ("n1 of 1\n", 5)


def test_a_second_job_of_an_attempt_runs_nothing(tmp_path: Path) -> None:
    order = an_order(a_rank(command=("echo", "once")))
    assert run(order, tmp_path).stdout == "once\n"
    again = run(order, tmp_path)
    assert (again.stdout, again.returncode) == ("", 0)


@pytest.mark.parametrize(("local", "cards"), [(0, "4,5"), (1, "6,7")])
def test_ranks_of_one_node_have_cards_of_their_own(tmp_path: Path, local: int, cards: str) -> None:
    ranks = tuple(
        replace(
            a_rank(rank=rank, ranks=2, ranks_here=2, local_rank=rank, command=("env",)),
            devices=CARDS,
        )
        for rank in range(2)
    )
    shim = tmp_path / "bin" / "srun"
    shim.parent.mkdir()
    shim.write_text('#!/bin/bash\nfor last; do :; done\nexec bash "$last"\n')
    shim.chmod(0o755)
    terms = replace(TERMS, work_dir=str(tmp_path))
    (tmp_path / "jobs" / NAME).mkdir(parents=True)
    environment = {
        "PATH": f"{shim.parent}:/usr/bin:/bin",
        "SLURM_PROCID": str(local),
        "CUDA_VISIBLE_DEVICES": "4,5,6,7",
    }
    done = subprocess.run(
        ("bash",),
        input=batch_script(an_order(*ranks, nodes=("n1", "n1")), terms),
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert f"CUDA_VISIBLE_DEVICES={cards}" in lines
    assert f"NODE_RANK={local}" in lines
