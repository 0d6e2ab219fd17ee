"""The process runtime: containers as supervised child processes, without isolation."""

import asyncio
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Literal

from nodeagent.core.state import ContainerKey, Finished
from nodeagent.core.stop_notice import StopNotice
from nodeagent.disk.container_dir import AppEndpoint, ContainerDir, list_container_dirs
from nodeagent.disk.declared_load import keep_declared_load
from nodeagent.disk.log_marks import read_marks, read_seen
from nodeagent.disk.notices import announce_stop, read_checkpoints
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
    apply_no_limits,
)
from nodeagent.process import control
from nodeagent.process.fork_server import ForkServer
from nodeagent.process.launch import ProcessSettings, prepare_launch
from wire.log_marks import LogMark
from wire.words import ExitCause

POLL_S: Final = 0.02
"""Polling interval while a container is starting; later changes are waited for, not polled."""
START_POLLS: Final = 500


class ProcessRuntime:
    """The `ContainerRuntime` port with one shim process per container."""

    name: Literal["process"] = "process"
    is_isolated = False
    makes_images = False

    def __init__(self, root: Path, settings: ProcessSettings) -> None:
        self._root = root
        self._settings = settings
        self._fork_server = ForkServer()
        self._ports: set[int] = set()

    async def list_containers(self) -> tuple[RunningContainer | Finished, ...]:
        """List the containers by their directories; one without shim and recorded end has vanished."""
        return await asyncio.to_thread(self._list_containers)

    async def start(
        self,
        order: ContainerOrder,
        report_progress: ProgressCallback,
        apply_limits: ApplyLimits = apply_no_limits,
    ) -> RunningContainer:
        """Write the order to disk and start its shim, which keeps running when the agent ends."""
        directory = ContainerDir(self._root, order.key)
        report_progress("starting")
        try:
            lock = directory.create(
                order.devices, order.injection.isolation, order.silence, order.spec.probe
            )
        except OSError as error:
            raise StartError(ExitCause.START_FAILED, f"directory: {error.strerror}") from error
        try:
            with ExitStack() as held:
                barrier = None
                try:
                    if order.injection.needs_barrier:
                        barrier = held.enter_context(hold_barrier(directory.barrier_path))
                    self._launch(order, directory, lock)
                finally:
                    os.close(lock)
                await self._apply_limits(order, directory, apply_limits)
                if barrier is not None:
                    barrier.open()
        except (OSError, StartError) as error:
            await self._clean_failed_start(directory)
            raise _start_error(error) from error
        await _poll_until(
            lambda: bool(directory.read_status().started_at) or not control.is_alive(directory)
        )
        return _running(directory)

    async def mark_ready(self, key: ContainerKey) -> None:
        """Create the ready file in the container's directory."""
        ContainerDir(self._root, key).mark_ready()

    async def wait_for_end(self, key: ContainerKey) -> Finished:
        """Wait until the shim has ended; the container's end is then on disk."""
        directory = ContainerDir(self._root, key)
        while control.is_alive(directory):
            shim = control.open_shim(directory)
            if shim is None:
                await asyncio.sleep(POLL_S)
            else:
                await _process_end(shim)
        self._release_port(directory)
        end = await asyncio.to_thread(control.ensure_end_recorded, directory, ExitCause.VANISHED)
        return end if end is not None else await self.wait_for_end(key)

    async def deliver_notice(self, key: ContainerKey, notice: StopNotice) -> None:
        """Write the notice; its signal is sent by the shim, because the work is its child."""
        directory = ContainerDir(self._root, key)
        await asyncio.to_thread(announce_stop, directory, notice)
        if notice.signal and directory.exists:
            control.request_signal(directory, notice.signal)

    async def read_checkpoints(self, keys: Collection[ContainerKey]) -> Mapping[ContainerKey, int]:
        """Look at the checkpoint files of these containers."""
        return await asyncio.to_thread(read_checkpoints, self._root, tuple(keys))

    async def stop(self, key: ContainerKey, cause: ExitCause, grace_ms: int) -> None:
        """Write the stop order beside the container; the shim obeys it even without the agent."""
        directory = ContainerDir(self._root, key)
        if directory.exists:
            control.request_stop(directory, cause, grace_ms)

    async def remove(self, key: ContainerKey) -> None:
        """Delete the container's directory, unless it is alive."""
        directory = ContainerDir(self._root, key)
        if directory.exists and not control.is_alive(directory):
            await asyncio.to_thread(directory.remove)

    async def read_log(self, key: ContainerKey, offset: int, limit: int) -> bytes:
        """Read the work's log file, while it runs only as far as its shim has noted the times of."""
        directory = ContainerDir(self._root, key)
        seen = read_seen(directory.log_path) if directory.read_status().end is None else None
        return directory.read_log(
            offset, limit if seen is None else max(0, min(limit, seen - offset))
        )

    async def read_marks(self, key: ContainerKey, begin: int, end: int) -> Sequence[LogMark]:
        """Return when the lines that begin in these bytes of its log were written."""
        return read_marks(ContainerDir(self._root, key).marks_path, begin, end)

    async def read_excess(self, key: ContainerKey, offset: int, limit: int) -> bytes:
        """Return the metrics lines that came after the beginning of its log."""
        return ContainerDir(self._root, key).read_excess(offset, limit)

    async def measure_usage(self) -> Mapping[ContainerKey, ContainerUsage]:
        """Sum up the processes below each shim."""
        return await asyncio.to_thread(self._measure_usage)

    async def _apply_limits(
        self, order: ContainerOrder, directory: ContainerDir, apply_limits: ApplyLimits
    ) -> None:
        """Apply limits to a shim before or while its work runs; skip one that has ended already."""
        if order.injection.isolation is None:
            return
        await _poll_until(
            lambda: control.find_shim_pid(directory) or not control.is_alive(directory)
        )
        number = control.find_shim_pid(directory)
        if number is not None:
            await apply_limits(ProcessScope(number, ""))

    async def _clean_failed_start(self, directory: ContainerDir) -> None:
        """Remove a container to which limits could not be applied."""
        await asyncio.to_thread(control.kill_container, directory)
        await self.wait_for_end(directory.key)
        await self.remove(directory.key)

    def prefetch_images(self, references: tuple[str, ...], login_hosts: tuple[str, ...]) -> None:
        """Do nothing: an image is a folder that the administrator provides."""

    async def maintain(self) -> None:
        """Do nothing."""
        await asyncio.Event().wait()

    def _list_containers(self) -> tuple[RunningContainer | Finished, ...]:
        found = []
        for directory in list_container_dirs(self._root):
            try:
                found.append(self._observe(directory))
            except FileNotFoundError:
                if directory.exists:
                    raise
                # Removed meanwhile.
        return tuple(found)

    def _observe(self, directory: ContainerDir) -> RunningContainer | Finished:
        end = control.ensure_end_recorded(directory, ExitCause.VANISHED)
        return end or _running(directory)

    def _launch(self, order: ContainerOrder, directory: ContainerDir, lock: int) -> None:
        endpoint = self._plan_endpoint(order)
        if endpoint is not None:
            directory.write_endpoint(endpoint)
        keep_declared_load(directory.path, order.spec.env)
        directory.write_launch(prepare_launch(self._settings, order, directory, endpoint))
        self._fork_server.start_shim(directory, lock)

    def _plan_endpoint(self, order: ContainerOrder) -> AppEndpoint | None:
        if order.spec.kind != "environment":
            return None
        host = self._settings.bind_address
        return AppEndpoint(host, self._free_port(host), order.spec.base_path, order.spec.app_token)

    def _free_port(self, host: str) -> int:
        """Return a port that is not in use and not assigned to another container of this node."""
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


def _start_error(error: OSError | StartError) -> StartError:
    if isinstance(error, StartError):
        return error
    return StartError(ExitCause.START_FAILED, error.strerror or "launch failed")


def _usage_below(shim: int) -> ContainerUsage:
    """Sum up a process tree; the shim's own times include the children that it has reaped."""
    processes, shim_process = procfs.list_family(shim), procfs.read_process(shim)
    ticks = sum(item.cpu_ticks for item in processes) + (
        shim_process.cpu_ticks if shim_process else 0
    )
    return ContainerUsage(
        cpu_ms=ticks * 1000 // procfs.TICKS_PER_S,
        memory_mib=sum(item.rss for item in processes) // procfs.MIB,
    )


async def _poll_until(condition: Callable[[], object]) -> None:
    """Poll, for a limited time, for a shim that is starting."""
    for _ in range(START_POLLS):
        if condition():
            return
        await asyncio.sleep(POLL_S)


async def _process_end(descriptor: int) -> None:
    """Wait until the process of a pidfd has ended, and close the descriptor."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_reader(descriptor, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def _running(directory: ContainerDir) -> RunningContainer:
    return RunningContainer(
        directory.read_container(), directory.read_endpoint(), directory.read_probe()
    )
