"""Releases the GPUs of a running notebook, and reacquires them later.

There are two ways. With driver 570 and later, the CUDA state of the processes moves to host memory
and returns later: nothing is lost. Otherwise the kernels that use the GPUs are shut down, with a
notice; the notebook, its files and its other kernels stay. Either way the release counts only once
a new reading finds nothing of the container on the GPUs.
"""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import structlog

from nodeagent.core.events import GpuReleaseChanged
from nodeagent.core.state import ContainerKey
from nodeagent.disk.atomic_json import read_json, write_json
from nodeagent.disk.container_dir import AppEndpoint, ContainerDir
from nodeagent.disk.notices import NoticeFiles
from nodeagent.host import procfs
from nodeagent.idle import jupyter_client
from nodeagent.idle.checkpoint import CudaCheckpointer, CudaLocation
from nodeagent.idle.jupyter_client import find_kernel
from nodeagent.ports import Clock, GpuPresence, Sharing, StartError
from wire.words import Device, GpuReleaseState

log = structlog.get_logger()

RELEASE_S: Final = 20.0
"""Time for processes to end and for the driver to free their memory."""
SIGTERM_S: Final = 5.0
POLL_S: Final = 0.5
CHECKPOINT: Final = "checkpoint"
KERNELS: Final = "kernels"
KERNELS_NO_MEMORY: Final = "kernels_no_memory"
"""The ways in which the GPUs were released; the portal has words for them."""
ATTEMPTS_MAX: Final = 3
"""Of a checkpoint while processes of the container end."""
NOTICE: Final = "gpus_released"
PARKED_FILE: Final = "parked.json"


class ReleaseFailedError(Exception):
    """The container keeps its GPUs; the message begins with a code."""


FindGpuPresence = Callable[[ContainerKey, Collection[str]], Awaitable[GpuPresence | None]]
"""Reads which processes and memory of a container are on the GPUs now; None if unknown."""


class GpuReleaser:
    """Releases and reacquires the GPUs of running containers."""

    def __init__(
        self,
        containers: Path,
        find_presence: FindGpuPresence,
        sharing: Sharing,
        checkpointer: CudaCheckpointer | None,
        clock: Clock,
        release_s: float = RELEASE_S,
    ) -> None:
        self._root = containers
        self._find_gpu_presence = find_presence
        self._sharing = sharing
        self._checkpointer = checkpointer
        self._clock = clock
        self._release_s = release_s

    async def release(self, key: ContainerKey, devices: Sequence[Device]) -> GpuReleaseChanged:
        """Return `AWAY` once it holds nothing on these GPUs, else `KEPT` with the reason."""
        directory = ContainerDir(self._root, key)
        try:
            way = await self._release(directory, frozenset(item.uuid for item in devices))
        except (
            ReleaseFailedError,
            StartError,
            jupyter_client.JupyterUnavailableError,
            OSError,
        ) as error:
            await self._roll_back(directory)
            detail = error.detail if isinstance(error, StartError) else str(error)
            log.warning("cards.kept", allocation=key.allocation, detail=detail)
            return GpuReleaseChanged(key, GpuReleaseState.KEPT, detail)
        log.info("cards.left", allocation=key.allocation, way=way)
        return GpuReleaseChanged(key, GpuReleaseState.AWAY, way)

    async def reacquire(self, key: ContainerKey, devices: tuple[Device, ...]) -> GpuReleaseChanged:
        """Give it these GPUs again; raises `StartError` if its share cannot be enforced."""
        directory = ContainerDir(self._root, key)
        await self._sharing.resume(key, devices)
        detail = await self._restore(directory)
        directory.write_devices(devices)
        _delete_saved(directory.path)
        log.info("cards.taken", allocation=key.allocation, detail=detail)
        return GpuReleaseChanged(key, GpuReleaseState.HELD, detail)

    async def _release(self, directory: ContainerDir, uuids: frozenset[str]) -> str:
        """Release the GPUs in the best way available, and return the name of that way."""
        endpoint = directory.read_endpoint()
        if endpoint is None:
            raise ReleaseFailedError("no_notebook")
        if (await jupyter_client.read_activity(endpoint)).is_busy:
            raise ReleaseFailedError("in_use")
        presence = await self._find_presence(directory.key, uuids)
        way = "nothing"
        if presence.pids or _read_saved(directory.path) or presence.is_simulated:
            way = await self._by_checkpoint(directory, uuids, presence)
            if way != CHECKPOINT:
                await self._shut_down(directory, endpoint, uuids)
        await self._require_clear(directory.key, uuids)
        await self._sharing.suspend(directory.key)
        directory.write_devices((), is_away=True)
        return way

    async def _find_presence(self, key: ContainerKey, uuids: frozenset[str]) -> GpuPresence:
        presence = await self._find_gpu_presence(key, uuids)
        if presence is None:
            raise ReleaseFailedError(
                "unmeasured: the driver does not tell whose processes are on the card"
            )
        return presence

    async def _by_checkpoint(
        self, directory: ContainerDir, uuids: frozenset[str], presence: GpuPresence
    ) -> str:
        """Move the CUDA state to the host; return another way if that is not possible.

        Raises `ReleaseFailedError` if a process has work on the GPU, though no cell is running.
        """
        if self._checkpointer is None:
            return KERNELS
        for _ in range(ATTEMPTS_MAX):
            pids = sorted(presence.pids.union(_running_pids(_read_saved(directory.path))))
            way = await self._checkpoint(self._checkpointer, directory, pids, presence.memory_mib)
            if way != KERNELS or all(procfs.read_start_time(pid) for pid in pids):
                return way
            # One of them has ended meanwhile: that is no reason to end the others.
            presence = await self._find_presence(directory.key, uuids)
        return KERNELS

    @staticmethod
    async def _checkpoint(
        checkpointer: CudaCheckpointer, directory: ContainerDir, pids: Sequence[int], held_mib: int
    ) -> str:
        """Move the state of these processes, which are on record meanwhile; return the way."""
        if not pids:
            return KERNELS
        if await checkpointer.locate(pids) is CudaLocation.OFF_CARD:
            return CHECKPOINT
        if not checkpointer.has_room(pids, held_mib):
            log.info("checkpoint.no_memory", allocation=directory.key.allocation, mib=held_mib)
            return KERNELS_NO_MEMORY
        _write_saved(directory.path, [_saved_process(pid) for pid in pids])
        outcome = await checkpointer.checkpoint_all(pids)
        if outcome.location is CudaLocation.OFF_CARD:
            return CHECKPOINT
        _delete_saved(directory.path)
        key = directory.key.allocation
        log.info("checkpoint.impossible", allocation=key, detail=outcome.detail)
        if outcome.is_busy:
            raise ReleaseFailedError("in_use")
        return KERNELS

    async def _shut_down(
        self, directory: ContainerDir, endpoint: AppEndpoint, uuids: frozenset[str]
    ) -> None:
        """Shut down the kernels that use the GPUs, or all kernels if that is unknown."""
        presence = await self._find_presence(directory.key, uuids)
        now = self._clock.wall_ms() // 1000
        content: dict[str, int | str] = {"reason": NOTICE, "stop_at": now, "deadline": now}
        await asyncio.to_thread(NoticeFiles(directory).write_notice, content)
        if presence.is_simulated:
            names: Collection[str] = await jupyter_client.list_kernels(endpoint)
        else:
            names = {name for pid in presence.pids if (name := find_kernel(pid)) is not None}
        await jupyter_client.shut_down_kernels(endpoint, names)
        await self._kill_remaining(directory.key, uuids)

    async def _kill_remaining(self, key: ContainerKey, uuids: frozenset[str]) -> None:
        """Kill what else of it uses the GPUs, such as a program in a terminal."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if await self._wait_until_no_pids(key, uuids, SIGTERM_S):
                return
            for pid in (await self._find_presence(key, uuids)).pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)

    async def _wait_until_no_pids(
        self, key: ContainerKey, uuids: frozenset[str], within_s: float
    ) -> bool:
        loop = asyncio.get_running_loop()
        end = loop.time() + within_s
        while (await self._find_presence(key, uuids)).pids:
            if loop.time() >= end:
                return False
            await asyncio.sleep(POLL_S)
        return True

    async def _require_clear(self, key: ContainerKey, uuids: frozenset[str]) -> None:
        """Raise unless a new reading shows no process and no memory of it on the GPUs."""
        loop = asyncio.get_running_loop()
        end = loop.time() + self._release_s
        while (
            presence := await self._find_presence(key, uuids)
        ).pids or not presence.is_memory_returned:
            if loop.time() >= end:
                raise ReleaseFailedError(
                    "still_on_card" if presence.pids else "memory_not_returned"
                )
            await asyncio.sleep(POLL_S)

    async def _roll_back(self, directory: ContainerDir) -> None:
        """Resume everything: the container keeps its GPUs."""
        await self._restore(directory)
        _delete_saved(directory.path)

    async def _restore(self, directory: ContainerDir) -> str:
        """Restore the saved processes; return a description of what was lost, or empty."""
        pids = _running_pids(_read_saved(directory.path))
        if not pids or self._checkpointer is None:
            return ""
        if await self._checkpointer.locate(pids) is CudaLocation.ON_CARD:
            return ""
        outcome = await self._checkpointer.restore_all(pids)
        return "" if outcome.location is CudaLocation.ON_CARD else f"state_lost: {outcome.detail}"


@dataclass(frozen=True, slots=True)
class _SavedProcess:
    """A process whose CUDA state is in host memory, identified by PID and start time."""

    pid: int
    started: str


def _saved_process(pid: int) -> _SavedProcess:
    """Return the record of a running process."""
    return _SavedProcess(pid, procfs.read_start_time(pid))


def _running_pids(found: Sequence[_SavedProcess]) -> tuple[int, ...]:
    """Return the PIDs of those that are still running."""
    return tuple(
        item.pid
        for item in found
        if item.started and procfs.read_start_time(item.pid) == item.started
    )


def _write_saved(folder: Path, found: Sequence[_SavedProcess]) -> None:
    """Write the list of saved processes."""
    write_json(
        folder / PARKED_FILE, {"processes": [asdict(item) for item in found]}, is_durable=True
    )


def _read_saved(folder: Path) -> tuple[_SavedProcess, ...]:
    """Read the list of saved processes; empty if there is none."""
    content = read_json(folder / PARKED_FILE) or {"processes": []}
    return tuple(_SavedProcess(**item) for item in content["processes"])


def _delete_saved(folder: Path) -> None:
    """Delete the list: everything is restored or has ended."""
    (folder / PARKED_FILE).unlink(missing_ok=True)
