"""NVML calls for this package: by UUID, in a thread, with a deadline."""

import asyncio
import ctypes
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from nodeagent.host.threads import run_in_daemon_thread

T = TypeVar("T")

DEADLINE_S: Final = 4.0
MIB: Final = 1024 * 1024
SET_LIMITS: Final = "nvmlDeviceSetMemoryLimits_v1"


class NvmlFailedError(Exception):
    """The library returned an error, which is the message, or did not answer in time."""


class NvmlClient:
    """Calls NVML, which may hang. A call that never returns blocks a thread, not the agent."""

    def __init__(self, library: Any, deadline_s: float = DEADLINE_S) -> None:
        self.library = library
        self._deadline_s = deadline_s
        self._hanging: asyncio.Future[Any] | None = None
        """A call that has not returned: no other is made meanwhile, so that threads do not pile up."""

    async def call(self, call: Callable[[], T]) -> T:
        """Return the result of a call; raises `NvmlFailedError`."""
        if self._hanging is not None and not self._hanging.done():
            raise NvmlFailedError("NVML is still silent")
        answer = run_in_daemon_thread(call, "nvml-sharing")
        done, _ = await asyncio.wait({answer}, timeout=self._deadline_s)
        if not done:
            self._hanging = answer
            raise NvmlFailedError(f"NVML did not answer within {self._deadline_s:g} s")
        try:
            return answer.result()
        except (self.library.NVMLError, AttributeError) as error:
            raise NvmlFailedError(str(error)) from error

    def handle(self, uuid: str) -> Any:
        """Return the library's handle of a card; only for use inside `call`."""
        return self.library.nvmlDeviceGetHandleByUUID(uuid)

    async def used_mib(self, uuid: str) -> Mapping[int, int]:
        """Return the memory in MiB that each process uses on a card, by its PID on the host."""

        def read() -> Mapping[int, int]:
            rows = self.library.nvmlDeviceGetComputeRunningProcesses(self.handle(uuid))
            return {row.pid: (row.usedGpuMemory or 0) // MIB for row in rows}

        return await self.call(read)

    async def free_mib(self, uuid: str) -> int:
        """Return the free memory of a card."""
        return await self.call(
            lambda: int(self.library.nvmlDeviceGetMemoryInfo(self.handle(uuid)).free) // MIB
        )

    async def set_limits(self, uuid: str, namespace: str, soft: int, hard: int) -> None:
        """Set the memory limits of a cgroup on a card, in bytes."""

        def write() -> None:
            limits = self.library.c_nvmlSetMemoryLimits_v1_t(namespace.encode(), soft, hard)
            self.library.nvmlDeviceSetMemoryLimits_v1(self.handle(uuid), limits)

        await self.call(write)

    async def limits(self, uuid: str, namespace: str) -> tuple[int, int]:
        """Return the limits in bytes, as read from the driver."""

        def read() -> tuple[int, int]:
            limits = self.library.c_nvmlGetMemoryLimits_v1_t(namespace.encode())
            self.library.nvmlDeviceGetMemoryLimits_v1(self.handle(uuid), limits)
            return int(limits.softLimit), int(limits.hardLimit)

        return await self.call(read)


def supports_memory_limits(library: Any) -> bool:
    """Return whether both the binding and the loaded driver support memory limits of cgroups."""
    loaded = getattr(library, "nvmlLib", None)
    return hasattr(library, SET_LIMITS) and hasattr(loaded, SET_LIMITS)


UNLIMITED: Final = ctypes.c_ulonglong(-1).value
"""NVML's value for no limit."""
