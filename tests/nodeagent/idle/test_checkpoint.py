"""Giving a card up and taking it again, on a fake libcuda in C that refuses calls out of turn."""

import ctypes
from pathlib import Path

import pytest

from nodeagent.idle.checkpoint import CheckpointResult, CudaCheckpointer, CudaLocation
from nodeagent.idle.cuda_checkpoint import CudaError, CudaProcessState, LibCuda
from tests.fakes.cuda.library import NOT_SUPPORTED, PIDS

TIMEOUT = 909


@pytest.fixture
def cuda(library: Path, fake: ctypes.CDLL) -> LibCuda:
    return LibCuda(str(library), call_s=30)


async def states(cuda: LibCuda) -> list[CudaProcessState]:
    return [await cuda.state(pid) for pid in PIDS]


async def test_card_is_given_up_and_taken_again(cuda: LibCuda) -> None:
    checkpointer = CudaCheckpointer(cuda)
    assert await checkpointer.checkpoint_all(PIDS) == CheckpointResult(CudaLocation.OFF_CARD)
    assert await states(cuda) == [CudaProcessState.CHECKPOINTED] * 2
    # Another agent, after a restart, finds them where they are.
    assert await CudaCheckpointer(cuda).locate(PIDS) is CudaLocation.OFF_CARD
    assert await checkpointer.restore_all(PIDS) == CheckpointResult(CudaLocation.ON_CARD)
    assert await states(cuda) == [CudaProcessState.RUNNING] * 2


@pytest.mark.parametrize("call", ["Lock", "Checkpoint"])
@pytest.mark.parametrize("pid", PIDS)
async def test_what_fails_on_the_way_out_is_undone_for_all(
    cuda: LibCuda, fake: ctypes.CDLL, call: str, pid: int
) -> None:
    fake.fake_fail(call.encode(), pid, NOT_SUPPORTED, 0)
    outcome = await CudaCheckpointer(cuda).checkpoint_all(PIDS)
    assert outcome == CheckpointResult(
        CudaLocation.ON_CARD, f"{call} of {pid}: CUDA_ERROR_NOT_SUPPORTED"
    )
    assert await states(cuda) == [CudaProcessState.RUNNING] * 2


async def test_process_that_is_lost_on_the_way_out_is_said_to_be(
    cuda: LibCuda, fake: ctypes.CDLL
) -> None:
    fake.fake_fail(b"Checkpoint", PIDS[1], TIMEOUT, 1)
    outcome = await CudaCheckpointer(cuda).checkpoint_all(PIDS)
    assert outcome.location is CudaLocation.BROKEN
    # The one that could be brought back goes on.
    assert await states(cuda) == [CudaProcessState.RUNNING, CudaProcessState.FAILED]


async def test_state_that_cannot_be_restored_is_told_not_hidden(
    cuda: LibCuda, fake: ctypes.CDLL
) -> None:
    checkpointer = CudaCheckpointer(cuda)
    await checkpointer.checkpoint_all(PIDS)
    fake.fake_fail(b"Restore", PIDS[0], NOT_SUPPORTED, 1)
    outcome = await checkpointer.restore_all(PIDS)
    assert outcome.location is CudaLocation.BROKEN
    assert outcome.detail == f"Restore of {PIDS[0]}: CUDA_ERROR_NOT_SUPPORTED"


async def test_call_that_hangs_never_gives_the_card_away(library: Path, fake: ctypes.CDLL) -> None:
    fake.fake_hang(b"Lock")
    outcome = await CudaCheckpointer(LibCuda(str(library), call_s=0.05)).checkpoint_all(PIDS)
    assert outcome.location is CudaLocation.BROKEN
    assert "did not end within" in outcome.detail


async def test_unknown_processes_are_not_on_record_as_off_the_card(cuda: LibCuda) -> None:
    assert await CudaCheckpointer(cuda).locate((1,)) is CudaLocation.BROKEN


def test_host_without_the_calls_says_so(tmp_path: Path) -> None:
    with pytest.raises(CudaError, match="no checkpoints"):
        LibCuda(str(tmp_path / "libcuda.so.1"))
