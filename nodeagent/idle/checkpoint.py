"""Moves the CUDA state of a container off its GPUs and back: lock, checkpoint, restore, unlock.

All processes of a container are moved together or not at all. If a checkpoint fails half-way, it is
undone, and the work continues unaffected. A restore cannot be undone: a process that cannot be
restored has lost its CUDA state, and the user is notified.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import structlog

from nodeagent.host.memory_room import find_memory_room_mib
from nodeagent.idle.cuda_checkpoint import (
    CudaBusyError,
    CudaCheckpointApi,
    CudaError,
    CudaProcessState,
    CudaTimeoutError,
)

log = structlog.get_logger()

ROOM_MARGIN: Final = 32
"""Part of the GPU memory that a checkpoint may take beyond what the driver reports; measured on an
H200 (docs/dev/cards.md): 1/150."""


class CudaLocation(StrEnum):
    """Where the CUDA state of all processes of a container is."""

    ON_CARD = "on_card"
    """On the GPU: the processes run, or can."""
    OFF_CARD = "off_card"
    """In host memory: nothing is left on the GPU, which may be given to others."""
    BROKEN = "broken"
    """Lost for some of the processes, or unknown."""


@dataclass(frozen=True, slots=True)
class CheckpointResult:
    """The outcome of a request; `detail` is the reason if it did not succeed."""

    location: CudaLocation
    detail: str = ""
    is_busy: bool = False
    """A process has work on the GPU: a later attempt may succeed."""


class CudaCheckpointer:
    """Moves the CUDA state of whole containers between GPU and host memory."""

    def __init__(
        self, cuda: CudaCheckpointApi, find_room: Callable[[int], int] = find_memory_room_mib
    ) -> None:
        """`find_room` tells how many MiB of memory a process may still take."""
        self._cuda = cuda
        self._find_room = find_room

    def has_room(self, pids: Iterable[int], held_mib: int) -> bool:
        """Return whether the processes can take what they hold on the GPUs into their memory.

        That is where the driver puts it, and it counts for their container: beyond its limit the
        kernel of the host kills them.
        """
        needed = held_mib + held_mib // ROOM_MARGIN
        return all(needed <= self._find_room(pid) for pid in pids)

    async def checkpoint_all(self, pids: Sequence[int]) -> CheckpointResult:
        """Take all processes off the GPU; after `OFF_CARD` it holds nothing of them.

        After any other outcome the GPU must not be given away. `ON_CARD`: it failed, and everything
        continues. Work that cannot be checkpointed (driver, unified memory, IPC) fails here, and
        only stopping its kernels frees the GPU.
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
            await self._require_state(pids, CudaProcessState.CHECKPOINTED)
        except CudaError as error:
            undone = await self._undo(locked, saved)
            is_known = undone and not isinstance(error, CudaTimeoutError)
            location = CudaLocation.ON_CARD if is_known else CudaLocation.BROKEN
            return CheckpointResult(location, str(error), isinstance(error, CudaBusyError))
        return CheckpointResult(CudaLocation.OFF_CARD)

    async def restore_all(self, pids: Sequence[int]) -> CheckpointResult:
        """Move all processes back to their GPUs, which must be theirs again, and resume them.

        None of them resumes before all are back: they may wait for each other.
        """
        try:
            for pid in pids:
                await self._cuda.restore(pid)
            for pid in pids:
                await self._cuda.unlock(pid)
            await self._require_state(pids, CudaProcessState.RUNNING)
        except CudaError as error:
            return CheckpointResult(CudaLocation.BROKEN, str(error))
        return CheckpointResult(CudaLocation.ON_CARD)

    async def locate(self, pids: Sequence[int]) -> CudaLocation:
        """Return where the processes' CUDA state is, for example after a restart of the agent."""
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
        """Resume all processes; True if that worked for each of them."""
        is_whole = True
        for pid in saved:
            is_whole &= await self._step_back(pid, CudaProcessState.CHECKPOINTED)
        for pid in locked:
            is_whole &= await self._step_back(pid, CudaProcessState.LOCKED)
        return is_whole

    async def _step_back(self, pid: int, state: CudaProcessState) -> bool:
        """Reverse one step of a process that is in this state."""
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

    async def _require_state(self, pids: Sequence[int], state: CudaProcessState) -> None:
        """Raise `CudaError` unless the driver reports every process in this state."""
        for pid in pids:
            found = await self._cuda.state(pid)
            if found is not state:
                raise CudaError(f"process {pid} is {found.name.lower()}, not {state.name.lower()}")
