"""Containers as supervised child processes: real work, no isolation, and said so."""

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from shutil import rmtree
from typing import Final, Literal

from nodeagent.core.state import ContainerKey, Finished
from nodeagent.disk.container_dir import ContainerDir, Endpoint, list_container_dirs
from nodeagent.disk.notices import NoticeFiles, read_checkpoints
from nodeagent.disk.start_barrier import hold_barrier
from nodeagent.host import procfs
from nodeagent.host.free_ports import find_free_port
from nodeagent.ports import (
    ApplyLimits,
    ContainerOrder,
    ContainerUsage,
    ProcessScope,
    ProgressCallback,
    RunningContainer,
    StartError,
    StopNotice,
    apply_no_limits,
)
from nodeagent.process import control
from nodeagent.process.launch import ProcessSettings, prepare_launch
from nodeagent.process.shim import LOCK_FD
from wire.words import ExitCause

POLL_S: Final = 0.02
"""Between looks at a container that is just coming up; afterwards nothing is polled."""
START_POLLS: Final = 500
PACKAGE_ROOT: Final = Path(__file__).resolve().parents[2]


class ProcessRuntime:
    """The `ContainerRuntime` port over one shim process per container."""

    name: Literal["process"] = "process"
    is_isolated = False

    def __init__(self, root: Path, settings: ProcessSettings) -> None:
        self._root = root
        self._settings = settings
        self._shims: dict[ContainerKey, int] = {}
        self._ports: set[int] = set()

    async def list_containers(self) -> tuple[RunningContainer | Finished, ...]:
        """Read every directory; a container whose shim is gone without a word has vanished."""
        return await asyncio.to_thread(self._list_containers)

    async def start(
        self,
        order: ContainerOrder,
        report_progress: ProgressCallback,
        apply_limits: ApplyLimits = apply_no_limits,
    ) -> RunningContainer:
        """Write the order down and start its shim, which lives on when the agent does not."""
        directory = ContainerDir(self._root, order.key)
        report_progress("starting")
        try:
            lock = directory.create(order.devices, order.injection.isolation)
        except OSError as error:
            raise StartError(ExitCause.START_FAILED, f"directory: {error.strerror}") from error
        with ExitStack() as held:
            barrier = None
            try:
                if order.injection.needs_barrier:
                    barrier = held.enter_context(hold_barrier(directory.barrier_path))
                self._launch(order, directory, lock)
            except (OSError, StartError) as error:
                rmtree(directory.path, ignore_errors=True)
                raise _start_error(error) from error
            finally:
                os.close(lock)
            try:
                await self._apply_limits(order, directory, apply_limits)
            except StartError:
                await self._clean_failed_start(directory)
                raise
            if barrier is not None:
                barrier.open()
        await _until(
            lambda: bool(directory.read_status().started_at) or not control.is_alive(directory)
        )
        return RunningContainer(directory.read_container(), directory.read_endpoint())

    async def mark_ready(self, key: ContainerKey) -> None:
        """Leave a mark in the container's directory."""
        ContainerDir(self._root, key).mark_ready()

    async def wait_for_end(self, key: ContainerKey) -> Finished:
        """Wait for the shim's end; its last word is then on disk."""
        directory = ContainerDir(self._root, key)
        while control.is_alive(directory):
            shim = control.open_shim(directory)
            if shim is None:
                await asyncio.sleep(POLL_S)
            else:
                await _process_end(shim)
        shim_number = self._shims.pop(key, None)
        if shim_number is not None:
            await asyncio.to_thread(os.waitpid, shim_number, 0)
        self._release_port(directory)
        end = await asyncio.to_thread(control.settle_end, directory, ExitCause.VANISHED)
        return end if end is not None else await self.wait_for_end(key)

    async def deliver_notice(self, key: ContainerKey, notice: StopNotice) -> None:
        """Write the notice; the signal is the shim's to send, because the work is its child."""
        directory = ContainerDir(self._root, key)
        await asyncio.to_thread(NoticeFiles(directory).write_notice, notice.content())
        if notice.signal and directory.exists:
            control.order_signal(directory, notice.signal)

    async def read_checkpoints(self) -> Mapping[ContainerKey, int]:
        """Look at the checkpoint file of each container."""
        return await asyncio.to_thread(lambda: read_checkpoints(list_container_dirs(self._root)))

    async def stop(self, key: ContainerKey, cause: ExitCause, grace_ms: int) -> None:
        """Leave the order beside the container; the shim obeys it, also without the agent."""
        directory = ContainerDir(self._root, key)
        if directory.exists:
            control.order_stop(directory, cause, grace_ms)

    async def remove(self, key: ContainerKey) -> None:
        """Delete the container's directory, unless it is alive."""
        directory = ContainerDir(self._root, key)
        if directory.exists and not control.is_alive(directory):
            await asyncio.to_thread(rmtree, directory.path, ignore_errors=True)

    async def read_log(self, key: ContainerKey, offset: int, limit: int) -> bytes:
        """Read the file that the work writes to."""
        return ContainerDir(self._root, key).read_log(offset, limit)

    async def measure_usage(self) -> Mapping[ContainerKey, ContainerUsage]:
        """Sum up the processes below each shim."""
        return await asyncio.to_thread(self._measure_usage)

    async def _apply_limits(
        self, order: ContainerOrder, directory: ContainerDir, apply_limits: ApplyLimits
    ) -> None:
        """Have limits set on a shim, before or while its work runs; one that has ended needs none."""
        if order.injection.isolation is None:
            return
        await _until(lambda: control.find_shim_pid(directory) or not control.is_alive(directory))
        number = control.find_shim_pid(directory)
        if number is not None:
            await apply_limits(ProcessScope(number, ""))

    async def _clean_failed_start(self, directory: ContainerDir) -> None:
        """Leave nothing of a container whose limits did not hold."""
        await asyncio.to_thread(control.kill_container, directory)
        await self.wait_for_end(directory.key)
        await self.remove(directory.key)

    def prefetch_images(self, references: tuple[str, ...]) -> None:
        """Have nothing to fetch: an image is a folder that its administrator has made."""

    async def maintain(self) -> None:
        """Have nothing to do."""
        await asyncio.Event().wait()

    def _list_containers(self) -> tuple[RunningContainer | Finished, ...]:
        return tuple(self._observe(directory) for directory in list_container_dirs(self._root))

    def _observe(self, directory: ContainerDir) -> RunningContainer | Finished:
        end = control.settle_end(directory, ExitCause.VANISHED)
        return end or RunningContainer(directory.read_container(), directory.read_endpoint())

    def _launch(self, order: ContainerOrder, directory: ContainerDir, lock: int) -> None:
        endpoint = self._plan_endpoint(order)
        if endpoint is not None:
            directory.write_endpoint(endpoint)
        directory.write_launch(prepare_launch(self._settings, order, directory, endpoint))
        self._shims[order.key] = _spawn_shim(directory, lock)

    def _plan_endpoint(self, order: ContainerOrder) -> Endpoint | None:
        if order.spec.kind != "environment":
            return None
        host = self._settings.bind_address
        return Endpoint(host, self._free_port(host), order.spec.base_path, order.spec.app_token)

    def _free_port(self, host: str) -> int:
        """Return a port that nobody listens on and that no container of ours was given."""
        while True:
            port = find_free_port(host)
            if port not in self._ports:
                self._ports.add(port)
                return port

    def _release_port(self, directory: ContainerDir) -> None:
        endpoint = directory.read_endpoint()
        if endpoint is not None:
            self._ports.discard(endpoint.port)

    def _measure_usage(self) -> dict[ContainerKey, ContainerUsage]:
        return {
            directory.key: _usage_below(pid)
            for directory in list_container_dirs(self._root)
            if (pid := control.find_shim_pid(directory)) is not None
        }


def _spawn_shim(directory: ContainerDir, lock: int) -> int:
    """Start the shim in a session of its own, handing it the container's lock.

    `posix_spawn` because nothing of this process shall cling to its child: the shim outlives it.
    """
    # -S: the shim needs the standard library only, and starts faster without the rest.
    argv = [sys.executable, "-S", "-m", "nodeagent.process.shim", str(directory.path)]
    env = {"PYTHONPATH": str(PACKAGE_ROOT), "PATH": os.defpath, "LANG": "C.UTF-8"}
    append = os.O_WRONLY | os.O_APPEND
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, str(directory.log_path), append, 0),
        (os.POSIX_SPAWN_DUP2, 1, 2),
        (os.POSIX_SPAWN_DUP2, lock, LOCK_FD),
    ]
    return os.posix_spawn(sys.executable, argv, env, file_actions=actions, setsid=True)


def _start_error(error: OSError | StartError) -> StartError:
    if isinstance(error, StartError):
        return error
    return StartError(ExitCause.START_FAILED, error.strerror or "launch failed")


def _usage_below(shim: int) -> ContainerUsage:
    """Sum up a family: ended members are counted in the shim's own time, which reaped them."""
    below, keeper = procfs.list_family(shim), procfs.read_process(shim)
    ticks = sum(item.cpu_ticks for item in below) + (keeper.cpu_ticks if keeper else 0)
    return ContainerUsage(
        cpu_ms=ticks * 1000 // procfs.TICKS_PER_S,
        memory_mib=sum(item.rss for item in below) // procfs.MIB,
    )


async def _until(is_there: Callable[[], object]) -> None:
    """Wait for a shim that is just coming up, not for ever."""
    for _ in range(START_POLLS):
        if is_there():
            return
        await asyncio.sleep(POLL_S)


async def _process_end(descriptor: int) -> None:
    """Wait until the process behind a pidfd has ended, and close the descriptor."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_reader(descriptor, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
