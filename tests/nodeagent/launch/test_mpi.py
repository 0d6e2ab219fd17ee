"""What stands in for ssh between the ranks of one `mpirun`, with real shells."""

import os
import subprocess
from pathlib import Path

from nodeagent.launch.mpi import SCRIPT, mpi_argv

FAKE_MPIRUN = """#!/bin/sh
while [ "$1" != --mca ]; do shift; done
agent=$3; shift 6
for rank in 0 1 2; do $agent rank-$rank "echo $rank \\$NODE_RANK >> $BERTH_OUTPUT_DIR/heard" || exit; done
"$@"
"""
"""Starts one command on each rank through its agent, as Open MPI does, then the program."""


def a_rank(folder: Path, rank: int) -> subprocess.Popen[str]:
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    env = {"PATH": path, "BERTH_OUTPUT_DIR": str(folder), "BERTH_EPOCH": "4"}
    env |= {"BERTH_HOSTFILE": "hostfile", "NODE_RANK": str(rank)}
    argv = mpi_argv(str(folder / "mpi"), ("sh", "-c", "echo trained; exit 7"))
    return subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, text=True)


def test_each_rank_runs_what_mpirun_asks_of_it_and_ends_as_mpirun_does(tmp_path: Path) -> None:
    (tmp_path / "mpi").write_text(SCRIPT)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mpirun").write_text(FAKE_MPIRUN)
    (tmp_path / "bin" / "mpirun").chmod(0o755)

    ranks = [a_rank(tmp_path, rank) for rank in range(3)]

    said = [rank.communicate(timeout=60)[0] for rank in ranks]
    assert [rank.returncode for rank in ranks] == [7, 7, 7]
    assert said == ["trained\n", "", ""]
    assert (tmp_path / "heard").read_text() == "0 0\n1 1\n2 2\n"


def test_ranks_that_are_not_asked_end_with_the_first(tmp_path: Path) -> None:
    (tmp_path / "mpi").write_text(SCRIPT)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mpirun").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "bin" / "mpirun").chmod(0o755)

    ranks = [a_rank(tmp_path, rank) for rank in range(2)]

    for rank in ranks:
        rank.communicate(timeout=60)
    assert [rank.returncode for rank in ranks] == [3, 3]
