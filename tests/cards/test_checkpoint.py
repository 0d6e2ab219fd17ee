"""CUDA state off a real card and back: memory, time, and what cannot be moved."""

import time
from collections.abc import Callable
from contextlib import AsyncExitStack

import pytest

from nodeagent.idle.checkpoint import CudaCheckpointer, CudaLocation
from nodeagent.idle.cuda_checkpoint import CudaError, LibCuda
from tests.cards.conftest import RealCard
from tests.cards.programs import a_program
from tests.waiting import wait_until

pytestmark = pytest.mark.hardware

HELD_MIB = 6144
SLACK_MIB = 64


@pytest.fixture
def checkpointer() -> CudaCheckpointer:
    return CudaCheckpointer(LibCuda())


async def test_card_is_empty_between_checkpoint_and_restore_and_nothing_is_lost(
    card: RealCard, checkpointer: CudaCheckpointer, measured: Callable[..., None]
) -> None:
    wait_until(lambda: not card.pids())
    unused = card.used_mib()
    async with AsyncExitStack() as stack:
        programs = [await stack.enter_async_context(a_program()) for _ in range(2)]
        for program in programs:
            await program.tell("hold", HELD_MIB)
        sums = [await program.tell("crc") for program in programs]
        pids = [program.pid for program in programs]
        assert await checkpointer.locate(pids) is CudaLocation.ON_CARD
        held = card.used_mib()

        started = time.monotonic()
        outcome = await checkpointer.checkpoint_all(pids)
        out_s = time.monotonic() - started
        assert (outcome.location, outcome.detail) == (CudaLocation.OFF_CARD, "")
        assert await checkpointer.locate(pids) is CudaLocation.OFF_CARD
        assert card.pids() == set()
        assert card.used_mib() <= unused + SLACK_MIB

        async with a_program() as tenant:
            _, total = await tenant.tell("memory")
            assert await tenant.tell("hold", total * 8 // 10)
            # A program that is asked while its state is away answers once it is back.
            await programs[0].say("crc")

        wait_until(lambda: not card.pids())
        started = time.monotonic()
        outcome = await checkpointer.restore_all(pids)
        back_s = time.monotonic() - started
        assert (outcome.location, outcome.detail) == (CudaLocation.ON_CARD, "")
        assert await programs[0].hear() == sums[0]
        assert await programs[1].tell("crc") == sums[1]
        measured(
            checkpoint={
                "held_mib": held - unused,
                "left_mib": card.used_mib() - held,
                "out_s": round(out_s, 2),
                "back_s": round(back_s, 2),
            }
        )


async def test_running_kernel_is_waited_for_and_nothing_is_given_away(
    card: RealCard, checkpointer: CudaCheckpointer, measured: Callable[..., None]
) -> None:
    async with a_program() as program:
        await program.tell("hold", 64)
        before = await program.tell("crc")
        await program.tell("spin", 3)
        started = time.monotonic()
        assert (await checkpointer.checkpoint_all([program.pid])).location is CudaLocation.OFF_CARD
        assert time.monotonic() - started > 1
        await checkpointer.restore_all([program.pid])

        await program.tell("spin", 15)
        outcome = await checkpointer.checkpoint_all([program.pid])
        measured(checkpoint_of_a_long_kernel=repr(outcome))
        assert (outcome.location, outcome.is_busy) == (CudaLocation.ON_CARD, True)
        assert await checkpointer.locate([program.pid]) is CudaLocation.ON_CARD
        assert await program.tell("crc") == before


async def test_managed_memory_moves_whole_or_not_at_all(
    card: RealCard, checkpointer: CudaCheckpointer, measured: Callable[..., None]
) -> None:
    async with a_program() as program:
        await program.tell("hold_managed", 256)
        before = await program.tell("crc")
        outcome = await checkpointer.checkpoint_all([program.pid])
        measured(checkpoint_of_managed_memory=repr(outcome))
        assert outcome.location in {CudaLocation.ON_CARD, CudaLocation.OFF_CARD}
        if outcome.location is CudaLocation.OFF_CARD:
            back = await checkpointer.restore_all([program.pid])
            assert back.location is CudaLocation.ON_CARD
        assert await program.tell("crc") == before


async def test_one_that_cannot_move_keeps_the_others(
    card: RealCard, checkpointer: CudaCheckpointer, measured: Callable[..., None]
) -> None:
    async with a_program() as movable:
        await movable.tell("hold", 512)
        before = await movable.tell("crc")
        for call in (LibCuda().state, LibCuda().lock):
            with pytest.raises(CudaError, match="CUDA_ERROR_NOT_INITIALIZED"):
                await call(1)
        outcome = await checkpointer.checkpoint_all([movable.pid, 1])
        measured(checkpoint_with_a_process_without_cuda=repr(outcome))
        assert outcome.location is not CudaLocation.OFF_CARD
        assert await movable.tell("crc") == before


async def test_process_that_dies_while_it_is_away_leaves_nothing(
    card: RealCard, checkpointer: CudaCheckpointer, measured: Callable[..., None]
) -> None:
    wait_until(lambda: not card.pids())
    unused = card.used_mib()
    async with a_program() as program:
        await program.tell("hold", 512)
        assert (await checkpointer.checkpoint_all([program.pid])).location is CudaLocation.OFF_CARD
        await program.end()
        outcome = await checkpointer.restore_all([program.pid])
    measured(restore_of_a_dead_process=repr(outcome))
    assert outcome.location is CudaLocation.BROKEN
    assert card.used_mib() <= unused + SLACK_MIB
