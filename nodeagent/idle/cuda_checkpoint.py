"""CUDA's checkpoint calls (driver 570 and later) for other processes; each may hang, none for ever."""

import asyncio
import ctypes
from collections.abc import Callable
from enum import IntEnum
from typing import Any, Final, Protocol

from nodeagent.host.threads import run_in_daemon_thread

LIBRARY: Final = "libcuda.so.1"
CALLS: Final = ("Lock", "Checkpoint", "Restore", "Unlock", "GetState")
LOCK_WAIT_MS: Final = 10_000
"""For work on the card to come to a halt; kernels that run longer keep the card."""
CALL_S: Final = 60.0
"""Memory is copied to the host and back: 80 GB at a few GB a second."""


class CudaProcessState(IntEnum):
    """`CUprocessState` of the driver API."""

    RUNNING = 0
    LOCKED = 1
    CHECKPOINTED = 2
    FAILED = 3


class CudaError(Exception):
    """The driver refused, or did not answer in time; the words are its name for it."""


class CudaTimeoutError(CudaError):
    """The driver did not answer in time: the call may still take effect."""


class CudaCheckpointApi(Protocol):
    """What the driver can do with the CUDA state of a process; all raise `CudaError`."""

    async def lock(self, pid: int) -> None:
        """Bring its work on the card to a halt; new calls of it wait."""

    async def checkpoint(self, pid: int) -> None:
        """Move its memory from the card to the host, and let go of the card."""

    async def restore(self, pid: int) -> None:
        """Take the card again, and move its memory back."""

    async def unlock(self, pid: int) -> None:
        """Let its work go on."""

    async def state(self, pid: int) -> CudaProcessState:
        """Return where it is."""


class _LockArgs(ctypes.Structure):
    _fields_ = [
        ("timeoutMs", ctypes.c_uint),
        ("reserved0", ctypes.c_uint),
        ("reserved1", ctypes.c_uint64 * 7),
    ]


class LibCuda:
    """The port over the driver's library, by `ctypes`: no toolkit is needed on the host."""

    def __init__(self, path: str = LIBRARY, call_s: float = CALL_S) -> None:
        """Load the library; raises `CudaError` where it is not there or too old."""
        try:
            self._library = ctypes.CDLL(path)
            for name in CALLS:
                getattr(self._library, f"cuCheckpointProcess{name}")
        except (OSError, AttributeError) as error:
            raise CudaError(f"no checkpoints: {error}") from error
        self._call_s = call_s

    async def lock(self, pid: int) -> None:
        """Wait for the card's work to halt, not for ever."""
        await self._call("Lock", pid, ctypes.byref(_LockArgs(timeoutMs=LOCK_WAIT_MS)))

    async def checkpoint(self, pid: int) -> None:
        """Let go of the card."""
        await self._call("Checkpoint", pid, None)

    async def restore(self, pid: int) -> None:
        """Take the card again."""
        await self._call("Restore", pid, None)

    async def unlock(self, pid: int) -> None:
        """Let the work go on."""
        await self._call("Unlock", pid, None)

    async def state(self, pid: int) -> CudaProcessState:
        """Ask the driver."""
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
            raise CudaError(f"{name} of {pid}: {self._name(code)}")

    def _name(self, code: int) -> str:
        """Return CUDA's name of an error."""
        name = ctypes.c_char_p()
        if self._library.cuGetErrorName(code, ctypes.byref(name)) or not name.value:
            return f"error {code}"
        return name.value.decode()
