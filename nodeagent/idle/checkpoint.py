"""Giving a card up while its processes live, and taking it again: lock, checkpoint, restore, unlock.

All processes of a container go together or not at all. Whatever fails on the way out is undone, so
that the work goes on as if nothing had been asked. On the way back there is nothing to undo: what
cannot be restored has lost its CUDA state, and its owner is told.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import structlog

from nodeagent.idle.cuda_checkpoint import (
    CudaCheckpointApi,
    CudaError,
    CudaProcessState,
    CudaTimeoutError,
)

log = structlog.get_logger()


class CudaLocation(StrEnum):
    """Where the processes of a container are, all together."""

    ON_CARD = "on_card"
    """They run, or would if they had anything to do."""
    OFF_CARD = "off_card"
    """Nothing of theirs is on the card: it may be given to others."""
    BROKEN = "broken"
    """Some of them have lost their CUDA state, or nobody knows."""


@dataclass(frozen=True, slots=True)
class CheckpointResult:
    """What became of a request; `words` say why where it is not what was asked for."""

    location: CudaLocation
    detail: str = ""


class CudaCheckpointer:
    """Moves the CUDA state of whole containers between card and host."""

    def __init__(self, cuda: CudaCheckpointApi) -> None:
        self._cuda = cuda

    async def checkpoint_all(self, pids: Sequence[int]) -> CheckpointResult:
        """Take all processes off the card; after `OFF_CARD` it holds nothing of them.

        With any other outcome the card must not be given away. `ON_CARD`: it did not work, and
        everything goes on. Work that has no checkpoints (driver, unified memory, IPC) ends here,
        and only stopping its kernels frees the card.
        """
        locked: list[int] = []
        saved: list[int] = []
        try:
            for pid in pids:
                locked.append(pid)
                await self._cuda.lock(pid)
            for pid in pids:
                saved.append(pid)
                await self._cuda.checkpoint(pid)
            await self._expect(pids, CudaProcessState.CHECKPOINTED)
        except CudaError as error:
            undone = await self._undo(locked, saved)
            is_known = undone and not isinstance(error, CudaTimeoutError)
            return CheckpointResult(
                CudaLocation.ON_CARD if is_known else CudaLocation.BROKEN, str(error)
            )
        return CheckpointResult(CudaLocation.OFF_CARD)

    async def restore_all(self, pids: Sequence[int]) -> CheckpointResult:
        """Put all processes on the card again, and let them run; it must be theirs by now.

        None of them runs before all are there: they may wait for each other.
        """
        try:
            for pid in pids:
                await self._cuda.restore(pid)
            for pid in pids:
                await self._cuda.unlock(pid)
            await self._expect(pids, CudaProcessState.RUNNING)
        except CudaError as error:
            return CheckpointResult(CudaLocation.BROKEN, str(error))
        return CheckpointResult(CudaLocation.ON_CARD)

    async def locate(self, pids: Sequence[int]) -> CudaLocation:
        """Ask where the processes are, such as after a restart of the agent."""
        try:
            states = {await self._cuda.state(pid) for pid in pids}
        except CudaError as error:
            log.warning("checkpoint.unknown", error=str(error))
            return CudaLocation.BROKEN
        if states <= {CudaProcessState.RUNNING}:
            return CudaLocation.ON_CARD
        return (
            CudaLocation.OFF_CARD
            if states == {CudaProcessState.CHECKPOINTED}
            else CudaLocation.BROKEN
        )

    async def _undo(self, locked: Sequence[int], saved: Sequence[int]) -> bool:
        """Let everything go on; True when all of it does."""
        is_whole = True
        for pid in saved:
            is_whole &= await self._step_back(pid, CudaProcessState.CHECKPOINTED)
        for pid in locked:
            is_whole &= await self._step_back(pid, CudaProcessState.LOCKED)
        return is_whole

    async def _step_back(self, pid: int, state: CudaProcessState) -> bool:
        """Bring a process one state back, if it is in this one."""
        try:
            found = await self._cuda.state(pid)
            if found is CudaProcessState.FAILED:
                return False
            if found is not state:
                return True
            if state is CudaProcessState.CHECKPOINTED:
                await self._cuda.restore(pid)
            else:
                await self._cuda.unlock(pid)
        except CudaError as error:
            log.warning("checkpoint.not_undone", pid=pid, error=str(error))
            return False
        return True

    async def _expect(self, pids: Sequence[int], state: CudaProcessState) -> None:
        """Believe the driver's own word only."""
        for pid in pids:
            found = await self._cuda.state(pid)
            if found is not state:
                raise CudaError(f"process {pid} is {found.name.lower()}, not {state.name.lower()}")
