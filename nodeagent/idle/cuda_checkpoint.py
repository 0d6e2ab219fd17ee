"""CUDA's checkpoint calls (driver 570 and later) for other processes, each with a deadline."""

import asyncio
import ctypes
from collections.abc import Callable
from enum import IntEnum
from typing import Any, Final, Protocol

from nodeagent.host.threads import run_in_daemon_thread

LIBRARY: Final = "libcuda.so.1"
CALLS: Final = ("Lock", "Checkpoint", "Restore", "Unlock", "GetState")
LOCK_WAIT_MS: Final = 10_000
"""Time for running kernels to finish; if they take longer, the process keeps the GPU."""
NOT_READY: Final = 600
"""CUDA's answer to a lock that has waited without success."""
CALL_S: Final = 300.0
"""Deadline of a call that copies memory to the host or back: 288 GB at 1.5 GB/s, as measured on an
H200 (docs/dev/cards.md); back it is 5 GB/s."""


class CudaProcessState(IntEnum):
    """`CUprocessState` of the driver API."""

    RUNNING = 0
    LOCKED = 1
    CHECKPOINTED = 2
    FAILED = 3


class CudaError(Exception):
    """The driver returned an error, whose name is the message, or timed out."""


class CudaTimeoutError(CudaError):
    """The driver did not answer in time: the call may still take effect."""


class CudaBusyError(CudaError):
    """The process has work on the GPU that did not finish in time; nothing has changed."""


class CudaCheckpointApi(Protocol):
    """The driver's checkpoint functions for a process; all raise `CudaError`."""

    async def lock(self, pid: int) -> None:
        """Wait for its running GPU work to finish, and block new CUDA calls."""

    async def checkpoint(self, pid: int) -> None:
        """Move its GPU memory to the host and release the GPU."""

    async def restore(self, pid: int) -> None:
        """Reacquire the GPU and move its memory back."""

    async def unlock(self, pid: int) -> None:
        """Unblock its CUDA calls."""

    async def state(self, pid: int) -> CudaProcessState:
        """Return its checkpoint state."""


class _LockArgs(ctypes.Structure):
    _fields_ = [
        ("timeoutMs", ctypes.c_uint),
        ("reserved0", ctypes.c_uint),
        ("reserved1", ctypes.c_uint64 * 7),
    ]


class LibCuda:
    """Implementation by `ctypes` over the driver's library: no CUDA toolkit is needed on the host."""

    def __init__(self, path: str = LIBRARY, call_s: float = CALL_S) -> None:
        """Load the library; raises `CudaError` if it is missing or too old."""
        try:
            self._library = ctypes.CDLL(path)
            for name in CALLS:
                getattr(self._library, f"cuCheckpointProcess{name}")
        except (OSError, AttributeError) as error:
            raise CudaError(f"no checkpoints: {error}") from error
        self._call_s = call_s

    async def lock(self, pid: int) -> None:
        """Wait, up to the lock timeout, for running work to finish."""
        await self._call("Lock", pid, ctypes.byref(_LockArgs(timeoutMs=LOCK_WAIT_MS)))

    async def checkpoint(self, pid: int) -> None:
        """Release the GPU."""
        await self._call("Checkpoint", pid, None)

    async def restore(self, pid: int) -> None:
        """Reacquire the GPU."""
        await self._call("Restore", pid, None)

    async def unlock(self, pid: int) -> None:
        """Resume the process."""
        await self._call("Unlock", pid, None)

    async def state(self, pid: int) -> CudaProcessState:
        """Query the driver."""
        found = ctypes.c_int(CudaProcessState.FAILED)
        await self._call("GetState", pid, ctypes.byref(found))
        return CudaProcessState(found.value)

    async def _call(self, name: str, pid: int, argument: Any) -> None:
        function: Callable[..., int] = getattr(self._library, f"cuCheckpointProcess{name}")
        answer = run_in_daemon_thread(lambda: function(pid, argument), f"cuda-{name.lower()}")
        done, _ = await asyncio.wait({answer}, timeout=self._call_s)
        if not done:
            raise CudaTimeoutError(f"{name} of {pid} did not end within {self._call_s:g} s")
        if code := answer.result():
            failed = CudaBusyError if code == NOT_READY else CudaError
            raise failed(f"{name} of {pid}: {self._name(code)}")

    def _name(self, code: int) -> str:
        """Return CUDA's name of an error."""
        name = ctypes.c_char_p()
        if self._library.cuGetErrorName(code, ctypes.byref(name)) or not name.value:
            return f"error {code}"
        return name.value.decode()
