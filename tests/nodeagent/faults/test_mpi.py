"""Open MPI itself between two hosts, each with Docker's bridge, as the agent starts it on the hosts' own network."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from nodeagent.disk.notices import HOSTFILE_NAME
from nodeagent.launch.ranks import rank_argv, rank_environment, rank_files, rendezvous_on_nodes
from tests.fakes.work import an_order
from tests.nodeagent.faults.hosts import ADDRESSES, CABLE, Host, a_bridge, a_cable
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.docker]

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


@pytest.fixture
def wired(hosts: list[Host]) -> Iterator[list[Host]]:
    """Two hosts with a cable between them, and a bridge each that leads nowhere."""
    with ExitStack() as stack:
        stack.enter_context(a_cable(hosts))
        for host in hosts:
            stack.enter_context(a_bridge(host))
        yield hosts


def a_rank(host: Host, rank: int, folder: Path) -> subprocess.Popen[str]:
    """Start one rank as on a machine of its own, with another name."""
    command = (sys.executable, "-c", SUMS_UP)
    places: dict[str, Any] = {"hosts": ADDRESSES, "master_address": ADDRESSES[0], "ranks_here": 1}
    order = an_order(command, launcher="mpi", rank=rank, ranks=2, env={}, **places)
    meeting = rendezvous_on_nodes(order.spec, interface=CABLE, hostfile=str(folder / HOSTFILE_NAME))
    for name, text in rank_files(order, meeting).items():
        (folder / name).write_text(text)
    env = {
        "PATH": os.environ["PATH"],
        "BERTH_OUTPUT_DIR": str(folder),
        "BERTH_EPOCH": "1",
        "TMPDIR": str(folder),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        **rank_environment(order, meeting),
    }
    named = ("unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', host.name)
    argv = host.command(*named, *rank_argv(order, command, str(folder)))
    return subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, text=True)


def test_two_ranks_on_two_hosts_meet_in_open_mpi_itself(wired: list[Host], tmp_path: Path) -> None:
    ranks = [a_rank(host, rank, tmp_path) for rank, host in enumerate(wired)]

    said = [rank.communicate(timeout=2 * PATIENCE_S)[0] for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0, 0]
    # All of it is said by rank 0's container, wherever it was computed.
    assert sorted(said[0].splitlines()) == ["rank 0 of 2 on 0 has 3", "rank 1 of 2 on 1 has 3"]
    assert said[1] == ""
