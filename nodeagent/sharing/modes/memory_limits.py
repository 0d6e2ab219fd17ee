"""Sets GPU memory limits of cgroups: by NVML if it supports them, else by `nvidia-smi`."""

import re
from dataclasses import dataclass
from typing import Any, Final, Protocol

from nodeagent.host.commands import CommandRunner
from nodeagent.sharing.nvml_client import (
    MIB,
    UNLIMITED,
    NvmlClient,
    NvmlFailedError,
    supports_memory_limits,
)


class MemoryLimitError(Exception):
    """The limits could not be set or read."""


@dataclass(frozen=True, slots=True)
class CgroupMemoryLimits:
    """In MiB. `hard_mib` None is no limit."""

    soft_mib: int
    hard_mib: int | None


NO_LIMITS: Final = CgroupMemoryLimits(0, None)


class MemoryLimiter(Protocol):
    """Sets and reads the limits of a cgroup on a card; raises `MemoryLimitError`."""

    async def set_limits(self, uuid: str, namespace: str, limits: CgroupMemoryLimits) -> None:
        """Set limits, replacing earlier ones."""

    async def read_limits(self, uuid: str, namespace: str) -> CgroupMemoryLimits:
        """Return the current limits."""


class NvmlMemoryLimiter:
    """The port over NVML."""

    def __init__(self, cards: NvmlClient) -> None:
        self._nvml = cards

    async def set_limits(self, uuid: str, namespace: str, limits: CgroupMemoryLimits) -> None:
        """Set the limits, in bytes."""
        hard = UNLIMITED if limits.hard_mib is None else limits.hard_mib * MIB
        try:
            await self._nvml.set_limits(uuid, namespace, limits.soft_mib * MIB, hard)
        except NvmlFailedError as error:
            raise MemoryLimitError(str(error)) from error

    async def read_limits(self, uuid: str, namespace: str) -> CgroupMemoryLimits:
        """Read the limits back."""
        try:
            soft, hard = await self._nvml.limits(uuid, namespace)
        except NvmlFailedError as error:
            raise MemoryLimitError(str(error)) from error
        return CgroupMemoryLimits(soft // MIB, None if hard == UNLIMITED else hard // MIB)


class SmiMemoryLimiter:
    """The port over `nvidia-smi memory-limits`, for a binding that is older than the driver."""

    def __init__(self, commands: CommandRunner) -> None:
        self._commands = commands

    async def set_limits(self, uuid: str, namespace: str, limits: CgroupMemoryLimits) -> None:
        """Set the limits in whole MiB; `max` is no limit."""
        hard = "max" if limits.hard_mib is None else str(limits.hard_mib)
        await self._run(uuid, namespace, "--soft-limit", str(limits.soft_mib), "--hard-limit", hard)

    async def read_limits(self, uuid: str, namespace: str) -> CgroupMemoryLimits:
        """Parse the two lines with the limits."""
        output = await self._run(uuid, namespace, "--get")
        soft, hard = (_parse_mib(output, name) for name in ("soft", "hard"))
        return CgroupMemoryLimits(soft or 0, hard)

    async def _run(self, uuid: str, namespace: str, *rest: str) -> str:
        argv = ("nvidia-smi", "memory-limits", "-i", uuid, "-n", namespace, *rest)
        result = await self._commands.run(argv)
        if not result.is_success:
            raise MemoryLimitError(result.last_line)
        return result.output


class HostMemoryLimiter:
    """Selects the port at each call: drivers may be loaded and unloaded while the agent runs."""

    def __init__(self, library: Any, cards: NvmlClient, commands: CommandRunner) -> None:
        self._library = library
        self._by_nvml = NvmlMemoryLimiter(cards)
        self._by_smi = SmiMemoryLimiter(commands)

    @property
    def limiter(self) -> MemoryLimiter:
        """NVML if binding and driver support limits, else `nvidia-smi`."""
        return self._by_nvml if supports_memory_limits(self._library) else self._by_smi

    async def set_limits(self, uuid: str, namespace: str, limits: CgroupMemoryLimits) -> None:
        """Set limits."""
        await self.limiter.set_limits(uuid, namespace, limits)

    async def read_limits(self, uuid: str, namespace: str) -> CgroupMemoryLimits:
        """Return the current limits."""
        return await self.limiter.read_limits(uuid, namespace)


def _parse_mib(output: str, name: str) -> int | None:
    """Return the MiB after a name; None for `max`."""
    found = re.search(rf"{name}[ _-]*limit\D*?(\d+|max)\b", output, re.IGNORECASE)
    if found is None:
        raise MemoryLimitError(f"no {name} limit in the answer of nvidia-smi")
    return None if found[1] == "max" else int(found[1])
