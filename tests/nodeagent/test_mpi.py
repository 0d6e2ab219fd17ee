"""What stands in for ssh between the ranks of one `mpirun`, with real shells, and with Open MPI itself."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nodeagent.launch.mpi import SCRIPT, mpi_argv, mpi_hosts

FAKE_MPIRUN = """#!/bin/sh
while [ "$1" != --mca ]; do shift; done
agent=$3; shift 6
for rank in 0 1 2; do $agent rank-$rank "echo $rank \\$NODE_RANK >> $BERTH_OUTPUT_DIR/heard" || exit; done
"$@"
"""
"""Starts one command on each rank through its agent, as Open MPI does, then the program."""


SUMS_UP = """
import ctypes, os
mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
names = ("ompi_mpi_comm_world", "ompi_mpi_int", "ompi_mpi_op_sum")
world, kind, plus = (ctypes.byref(ctypes.c_char.in_dll(mpi, name)) for name in names)
rank, size, total = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
assert mpi.MPI_Init(None, None) == 0
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
mpi.MPI_Comm_size(world, ctypes.byref(size))
own = ctypes.c_int(rank.value + 1)
assert mpi.MPI_Allreduce(ctypes.byref(own), ctypes.byref(total), 1, kind, plus, world) == 0
print(f"rank {rank.value} of {size.value} on {os.environ['NODE_RANK']} has {total.value}", flush=True)
mpi.MPI_Finalize()
"""
"""Adds the ranks up by Open MPI's own library."""


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


@pytest.mark.docker
def test_two_ranks_meet_in_open_mpi_itself(tmp_path: Path) -> None:
    (tmp_path / "mpi").write_text(SCRIPT)
    (tmp_path / "hosts").write_text("".join(f"{name} slots=1\n" for name in mpi_hosts(2)))
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    env = {"PATH": os.environ["PATH"], "BERTH_OUTPUT_DIR": str(tmp_path), "BERTH_EPOCH": "1"}
    env |= {"BERTH_HOSTFILE": str(tmp_path / "hosts"), "TMPDIR": str(tmp_path), **root}
    argv = mpi_argv(str(tmp_path / "mpi"), (sys.executable, "-c", SUMS_UP))

    ranks = [
        subprocess.Popen(argv, env={**env, "NODE_RANK": rank}, stdout=subprocess.PIPE, text=True)
        for rank in "01"
    ]

    said = [rank.communicate(timeout=60)[0] for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0, 0]
    # All of it is said by rank 0's container, wherever it was computed.
    assert sorted(said[0].splitlines()) == ["rank 0 of 2 on 0 has 3", "rank 1 of 2 on 1 has 3"]
    assert said[1] == ""
