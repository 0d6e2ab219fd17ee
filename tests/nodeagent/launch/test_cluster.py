"""Ray and Dask over the ranks of a job: what each rank runs, and how it ends."""

import json
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import pytest

from nodeagent.launch.cluster_program import Rank
from tests.nodeagent.launch.clusters import (
    RAY_STAND_IN,
    SHOWS_DASK,
    SHOWS_RAY,
    Ranks,
    family,
    some_ranks,
)
from tests.packages import packages_of
from tests.waiting import PATIENCE_S, wait_until

RanksOf = Callable[..., Ranks]
SLEEPS = ("sleep", "1000")
HEEDS = ("sh", "-c", "sleep 1000 & trap 'kill $!; exit 5' TERM; echo runs; wait")


@pytest.fixture
def ranks_of(tmp_path: Path) -> Iterator[RanksOf]:
    """Gives the ranks of a job with a launcher and its package; nothing of them is left."""
    with ExitStack() as stack:

        def give(launcher: str, packages: Path, **more: float) -> Ranks:
            return stack.enter_context(some_ranks(tmp_path, launcher, packages, **more))

        yield give


@pytest.mark.parametrize(
    "name",
    [
        "stand-in",
        pytest.param("dask", marks=pytest.mark.integration),
        pytest.param("ray", marks=pytest.mark.long),
    ],
)
def test_the_command_runs_once_among_ranks_that_announce_what_they_have(
    ranks_of: RanksOf, name: str
) -> None:
    launcher = "dask" if name == "dask" else "ray"
    job = ranks_of(launcher, RAY_STAND_IN if name == "stand-in" else packages_of(name))

    program = SHOWS_DASK if launcher == "dask" else SHOWS_RAY
    ranks = job.start_all(sys.executable, "-c", program)

    said = [rank.communicate(timeout=3 * PATIENCE_S) for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0, 0], said
    (line,) = [line for line in said[0][0].splitlines() if line.startswith("@")]
    assert json.loads(line[1:]) == [[1, 0, True], [1, 2, True]]
    assert "@" not in said[1][0]
    assert not any(list(job.notes(rank).iterdir()) for rank in range(2))


@pytest.mark.integration
def test_dask_listens_at_the_ranks_own_address_only(ranks_of: RanksOf) -> None:
    job = ranks_of("dask", packages_of("dask"))
    first, second = job.start_all("sh", "-c", "echo runs; sleep 1000")

    assert first.stdout is not None
    assert first.stdout.readline() == "runs\n"

    places = {
        place.laddr.ip
        for rank in (first, second)
        for process in family(rank.pid)
        for place in process.net_connections()
        if place.status == psutil.CONN_LISTEN
    }
    assert places == {"127.0.0.1"}


def test_a_command_that_fails_ends_the_first_rank_and_leaves_the_others_to_the_platform(
    ranks_of: RanksOf,
) -> None:
    job = ranks_of("ray", RAY_STAND_IN)
    first, second = job.start_all("sh", "-c", "exit 7")

    assert first.wait(PATIENCE_S) == 7
    assert second.poll() is None
    second.send_signal(signal.SIGTERM)
    assert second.wait(PATIENCE_S) == 128 + signal.SIGTERM


def test_the_signal_to_stop_reaches_the_command_while_its_ranks_go_on(ranks_of: RanksOf) -> None:
    job = ranks_of("ray", RAY_STAND_IN)
    first, second = job.start_all(*HEEDS)
    assert first.stdout is not None
    assert first.stdout.readline() == "runs\n"

    second.send_signal(signal.SIGTERM)
    first.send_signal(signal.SIGTERM)

    assert first.wait(PATIENCE_S) == 5
    assert second.wait(PATIENCE_S) == 128 + signal.SIGTERM


def test_a_killed_worker_ends_its_rank_as_killed(ranks_of: RanksOf) -> None:
    job = ranks_of("ray", RAY_STAND_IN)
    first, second = job.start_all(*HEEDS)
    assert first.stdout is not None
    assert first.stdout.readline() == "runs\n"

    (worker,) = psutil.Process(second.pid).children()
    worker.kill()

    assert second.wait(PATIENCE_S) == 128 + signal.SIGKILL
    assert first.poll() is None


def test_a_killed_head_ends_the_first_rank_and_its_command(ranks_of: RanksOf) -> None:
    job = ranks_of("ray", RAY_STAND_IN)
    first, _ = job.start_all(*HEEDS)
    assert first.stdout is not None
    assert first.stdout.readline() == "runs\n"

    children = psutil.Process(first.pid).children()
    (head,) = [child for child in children if "start" in child.cmdline()]
    head.kill()

    assert first.wait(PATIENCE_S) == 128 + signal.SIGKILL
    wait_until(lambda: not any(child.is_running() for child in children))


@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_does_not_wait_for_the_others_for_ever(ranks_of: RanksOf, rank: int) -> None:
    job = ranks_of("ray", RAY_STAND_IN, join_s=1.5)

    alone = job.start(rank, SLEEPS)

    said = alone.communicate(timeout=PATIENCE_S)[1]
    assert alone.returncode == 1
    assert ("1 of 2 ranks have come" if rank == 0 else "rank 0 was not ready") in said
    assert [note.name for note in job.notes(rank).iterdir()] == ["fault.cluster_incomplete.ray"]


@pytest.mark.parametrize("hello", [b"1 wrong\n", b"7 \n", b"\xff\n", b"x" * 100_000])
def test_who_does_not_know_the_secret_learns_nothing(ranks_of: RanksOf, hello: bytes) -> None:
    job = ranks_of("ray", RAY_STAND_IN)
    job.start(0, SLEEPS)

    def answer() -> bytes | None:
        try:
            with socket.create_connection(("127.0.0.1", job.join_port)) as link:
                link.sendall(hello)
                return link.recv(100)
        except ConnectionRefusedError:
            return None
        except ConnectionResetError:
            return b""

    wait_until(lambda: answer() is not None)
    assert answer() == b""


def test_a_grant_beyond_what_the_machine_has_asks_for_no_more_than_that() -> None:
    exists = psutil.virtual_memory().total
    rank = Rank(0, ("127.0.0.1",), 1, 2, 1.0, (), "", granted=2**60, token="", scratch="")
    assert int(rank.complete("{store}")) + int(rank.complete("{heap}")) <= exists
    assert int(rank.complete("{memory}")) <= exists
