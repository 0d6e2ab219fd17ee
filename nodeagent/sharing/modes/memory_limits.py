"""Memory limits of cgroups on cards: through NVML where it knows them, else by `nvidia-smi`."""

import re
from dataclasses import dataclass
from typing import Any, Final, Protocol

from nodeagent.host.commands import Commands
from nodeagent.sharing.nvml_client import MIB, UNLIMITED, Cards, NvmlFailedError, has_limits


class LimitsError(Exception):
    """The limits could not be set or read."""


@dataclass(frozen=True, slots=True)
class Limits:
    """In MiB. `hard` None is no limit."""

    soft: int
    hard: int | None


OPEN: Final = Limits(0, None)


class MemoryLimits(Protocol):
    """Sets and reads the limits of one cgroup on one card; raises `LimitsError`."""

    async def set(self, uuid: str, namespace: str, limits: Limits) -> None:
        """Put limits in force, in place of earlier ones."""

    async def get(self, uuid: str, namespace: str) -> Limits:
        """Return what is in force."""


class NvmlLimits:
    """The port over NVML."""

    def __init__(self, cards: Cards) -> None:
        self._cards = cards

    async def set(self, uuid: str, namespace: str, limits: Limits) -> None:
        """Hand the limits over in bytes."""
        hard = UNLIMITED if limits.hard is None else limits.hard * MIB
        try:
            await self._cards.set_limits(uuid, namespace, limits.soft * MIB, hard)
        except NvmlFailedError as error:
            raise LimitsError(str(error)) from error

    async def get(self, uuid: str, namespace: str) -> Limits:
        """Read the limits back."""
        try:
            soft, hard = await self._cards.limits(uuid, namespace)
        except NvmlFailedError as error:
            raise LimitsError(str(error)) from error
        return Limits(soft // MIB, None if hard == UNLIMITED else hard // MIB)


class SmiLimits:
    """The port over `nvidia-smi memory-limits`, for a binding that is older than the driver."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    async def set(self, uuid: str, namespace: str, limits: Limits) -> None:
        """Its amounts are whole MiB; `max` is no limit."""
        hard = "max" if limits.hard is None else str(limits.hard)
        await self._run(uuid, namespace, "--soft-limit", str(limits.soft), "--hard-limit", hard)

    async def get(self, uuid: str, namespace: str) -> Limits:
        """Read the two lines that name the limits."""
        output = await self._run(uuid, namespace, "--get")
        soft, hard = (_amount(output, name) for name in ("soft", "hard"))
        return Limits(soft or 0, hard)

    async def _run(self, uuid: str, namespace: str, *rest: str) -> str:
        argv = ("nvidia-smi", "memory-limits", "-i", uuid, "-n", namespace, *rest)
        result = await self._commands.run(argv)
        if not result.is_good:
            raise LimitsError(result.words)
        return result.output


class HostLimits:
    """The port by the way that this host has at the moment: drivers come and go while it runs."""

    def __init__(self, library: Any, cards: Cards, commands: Commands) -> None:
        self._library = library
        self._by_nvml = NvmlLimits(cards)
        self._by_smi = SmiLimits(commands)

    @property
    def way(self) -> MemoryLimits:
        """NVML where binding and driver know limits, else the program."""
        return self._by_nvml if has_limits(self._library) else self._by_smi

    async def set(self, uuid: str, namespace: str, limits: Limits) -> None:
        """Put limits in force."""
        await self.way.set(uuid, namespace, limits)

    async def get(self, uuid: str, namespace: str) -> Limits:
        """Return what is in force."""
        return await self.way.get(uuid, namespace)


def _amount(output: str, name: str) -> int | None:
    """Return the MiB after a name; None where it is `max`."""
    found = re.search(rf"{name}[ _-]*limit\D*?(\d+|max)\b", output, re.IGNORECASE)
    if found is None:
        raise LimitsError(f"no {name} limit in the answer of nvidia-smi")
    return None if found[1] == "max" else int(found[1])
