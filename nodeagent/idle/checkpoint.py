"""Giving a card up while its processes live, and taking it again: lock, checkpoint, restore, unlock.

All processes of a container go together or not at all. Whatever fails on the way out is undone, so
that the work goes on as if nothing had been asked. On the way back there is nothing to undo: what
cannot be restored has lost its CUDA state, and its owner is told.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import structlog

from nodeagent.idle.cuda_checkpoint import CudaError, CudaProcesses, CudaSilentError, ProcessState

log = structlog.get_logger()


class Standing(StrEnum):
    """Where the processes of a container are, all together."""

    ON_CARD = "on_card"
    """They run, or would if they had anything to do."""
    OFF_CARD = "off_card"
    """Nothing of theirs is on the card: it may be given to others."""
    BROKEN = "broken"
    """Some of them have lost their CUDA state, or nobody knows."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a request; `words` say why where it is not what was asked for."""

    standing: Standing
    words: str = ""


class Checkpointer:
    """Moves the CUDA state of whole containers between card and host."""

    def __init__(self, cuda: CudaProcesses) -> None:
        self._cuda = cuda

    async def leave(self, pids: Sequence[int]) -> Outcome:
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
            await self._expect(pids, ProcessState.CHECKPOINTED)
        except CudaError as error:
            undone = await self._undo(locked, saved)
            is_known = undone and not isinstance(error, CudaSilentError)
            return Outcome(Standing.ON_CARD if is_known else Standing.BROKEN, str(error))
        return Outcome(Standing.OFF_CARD)

    async def come_back(self, pids: Sequence[int]) -> Outcome:
        """Put all processes on the card again, and let them run; it must be theirs by now.

        None of them runs before all are there: they may wait for each other.
        """
        try:
            for pid in pids:
                await self._cuda.restore(pid)
            for pid in pids:
                await self._cuda.unlock(pid)
            await self._expect(pids, ProcessState.RUNNING)
        except CudaError as error:
            return Outcome(Standing.BROKEN, str(error))
        return Outcome(Standing.ON_CARD)

    async def standing(self, pids: Sequence[int]) -> Standing:
        """Ask where the processes are, such as after a restart of the agent."""
        try:
            states = {await self._cuda.state(pid) for pid in pids}
        except CudaError as error:
            log.warning("checkpoint.unknown", error=str(error))
            return Standing.BROKEN
        if states <= {ProcessState.RUNNING}:
            return Standing.ON_CARD
        return Standing.OFF_CARD if states == {ProcessState.CHECKPOINTED} else Standing.BROKEN

    async def _undo(self, locked: Sequence[int], saved: Sequence[int]) -> bool:
        """Let everything go on; True when all of it does."""
        is_whole = True
        for pid in saved:
            is_whole &= await self._tried(pid, ProcessState.CHECKPOINTED)
        for pid in locked:
            is_whole &= await self._tried(pid, ProcessState.LOCKED)
        return is_whole

    async def _tried(self, pid: int, state: ProcessState) -> bool:
        """Bring a process one state back, if it is in this one."""
        try:
            found = await self._cuda.state(pid)
            if found is ProcessState.FAILED:
                return False
            if found is not state:
                return True
            if state is ProcessState.CHECKPOINTED:
                await self._cuda.restore(pid)
            else:
                await self._cuda.unlock(pid)
        except CudaError as error:
            log.warning("checkpoint.not_undone", pid=pid, error=str(error))
            return False
        return True

    async def _expect(self, pids: Sequence[int], state: ProcessState) -> None:
        """Believe the driver's own word only."""
        for pid in pids:
            found = await self._cuda.state(pid)
            if found is not state:
                raise CudaError(f"process {pid} is {found.name.lower()}, not {state.name.lower()}")
