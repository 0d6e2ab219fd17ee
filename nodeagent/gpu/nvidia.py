"""NVIDIA cards through NVML, which may hang: it is asked in a thread of its own."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final, Protocol

import structlog

from nodeagent.threads import in_daemon_thread
from wire.facts import AcceleratorFacts, AcceleratorHealth

log = structlog.get_logger()

DEADLINE_S: Final = 4.0
MIB: Final = 1024 * 1024


class Nvml(Protocol):
    """The part of `pynvml` that is used here."""

    NVMLError: type[Exception]
    NVML_ERROR_GPU_IS_LOST: int

    def nvmlInit(self) -> None: ...
    def nvmlDeviceGetCount(self) -> int: ...
    def nvmlDeviceGetHandleByIndex(self, index: int) -> Any: ...
    def nvmlDeviceGetUUID(self, handle: Any) -> str: ...
    def nvmlDeviceGetName(self, handle: Any) -> str: ...
    def nvmlDeviceGetMemoryInfo(self, handle: Any) -> Any: ...
    def nvmlDeviceGetUtilizationRates(self, handle: Any) -> Any: ...


class NvidiaDriver:
    """The `GpuDriver` port over NVML. Cards are known by UUID; one that is missing is gone."""

    def __init__(self, nvml: Nvml, deadline_s: float = DEADLINE_S) -> None:
        self._nvml = nvml
        self._deadline_s = deadline_s
        self._known: dict[str, AcceleratorFacts] = {}
        self._reading: asyncio.Future[dict[str, AcceleratorFacts]] | None = None

    async def read(
        self, busy_pct: Mapping[str, int], used_mib: Mapping[str, int]
    ) -> tuple[AcceleratorFacts, ...]:
        """Return every card ever seen; while NVML does not answer, all of them are bad."""
        del busy_pct, used_mib  # measured here, not derived
        if self._reading is None:
            self._reading = in_daemon_thread(self._read, "nvml")
        done, _ = await asyncio.wait({self._reading}, timeout=self._deadline_s)
        if not done:
            log.warning("nvml.silent", seconds=self._deadline_s)
            return self._all_as(AcceleratorHealth.BAD)
        reading, self._reading = self._reading, None
        try:
            found = reading.result()
        except self._nvml.NVMLError as error:
            log.warning("nvml.failed", error=str(error))
            return self._all_as(AcceleratorHealth.BAD)
        self._known = {**_marked(self._known, AcceleratorHealth.GONE), **found}
        return tuple(self._known.values())

    def _all_as(self, health: AcceleratorHealth) -> tuple[AcceleratorFacts, ...]:
        return tuple(_marked(self._known, health).values())

    def _read(self) -> dict[str, AcceleratorFacts]:
        found = {}
        for index in range(self._nvml.nvmlDeviceGetCount()):
            try:
                card = self._card(index)
            except self._nvml.NVMLError as error:
                log.warning("nvml.card_failed", index=index, error=str(error))
                lost = self._broken(index, error)
                found.update({item.uuid: item for item in lost})
            else:
                found[card.uuid] = card
        return found

    def _card(self, index: int) -> AcceleratorFacts:
        handle = self._nvml.nvmlDeviceGetHandleByIndex(index)
        memory = self._nvml.nvmlDeviceGetMemoryInfo(handle)
        return AcceleratorFacts(
            uuid=self._nvml.nvmlDeviceGetUUID(handle),
            index=index,
            vendor="nvidia",
            model=self._nvml.nvmlDeviceGetName(handle),
            memory_mib=memory.total // MIB,
            memory_used_mib=memory.used // MIB,
            utilisation_pct=self._utilisation(handle),
        )

    def _utilisation(self, handle: Any) -> int | None:
        """Return the load, or None where the card does not tell, as under MIG."""
        try:
            return int(self._nvml.nvmlDeviceGetUtilizationRates(handle).gpu)
        except self._nvml.NVMLError:
            return None

    def _broken(self, index: int, error: Exception) -> list[AcceleratorFacts]:
        """Return the card that was last seen at this place, with what has become of it."""
        is_lost = getattr(error, "value", None) == self._nvml.NVML_ERROR_GPU_IS_LOST
        health = AcceleratorHealth.GONE if is_lost else AcceleratorHealth.BAD
        last = {uuid: item for uuid, item in self._known.items() if item.index == index}
        return list(_marked(last, health).values())


def _marked(
    cards: Mapping[str, AcceleratorFacts], health: AcceleratorHealth
) -> dict[str, AcceleratorFacts]:
    """Return the cards with another health and without measurements."""
    change = {"health": health, "utilisation_pct": None, "memory_used_mib": None}
    return {uuid: item.model_copy(update=change) for uuid, item in cards.items()}
