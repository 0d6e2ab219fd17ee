"""Reads NVIDIA cards through NVML.

NVML may hang, so it is called in a thread, one call at a time, and waited for with a deadline.
Cards are identified by UUID: their order, device files, sizes and MIG instances may change with a
reboot.
"""

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import structlog

from nodeagent.card_ports import CardReading, CardReadings
from nodeagent.gpu.drivers.mig_profiles import MigCapabilityCache
from nodeagent.gpu.drivers.nvidia_card import read_card
from nodeagent.gpu.drivers.nvlink import find_islands
from nodeagent.gpu.drivers.nvml import (
    GONE_ERRORS,
    GPU_IS_LOST,
    LIB_RM_VERSION_MISMATCH,
    RESET_REQUIRED,
    SILENT_FAULT,
    Nvml,
    error_code,
    query_optional,
)
from nodeagent.gpu.drivers.xid_watcher import XidWatcher
from nodeagent.host.threads import run_in_daemon_thread
from wire.facts import AcceleratorHealth, NodeFault

log = structlog.get_logger()

DEADLINE_S: Final = 4.0
FAULTS: Final[Mapping[int, str]] = {
    **dict.fromkeys(GONE_ERRORS, "gpu_missing"),
    GPU_IS_LOST: "gpu_lost",
    RESET_REQUIRED: "reset_required",
    LIB_RM_VERSION_MISMATCH: "driver_mismatch",
}
"""Codes for NVML errors that an operator can act on; all others have their number in the code."""


class NvidiaDriver:
    """The `GpuDriver` port over NVML."""

    def __init__(self, nvml: Nvml, deadline_s: float = DEADLINE_S) -> None:
        self._nvml = nvml
        self._deadline_s = deadline_s
        self._known: dict[str, CardReading] = {}
        self._driver = ""
        self._is_open = False
        self._unread = 0
        self._islands: tuple[frozenset[str], dict[str, int]] = (frozenset(), {})
        self._mig = MigCapabilityCache()
        self._reading: asyncio.Future[dict[str, CardReading]] | None = None
        self._has_event = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._xids = XidWatcher(nvml, self._notify_event)

    async def read(self, busy_pct: Mapping[str, int], used_mib: Mapping[str, int]) -> CardReadings:
        """Return all cards ever seen; while NVML does not answer, they are all bad."""
        del busy_pct, used_mib  # measured here, not derived
        self._loop = asyncio.get_running_loop()
        self._has_event.clear()
        if self._reading is None:
            self._reading = run_in_daemon_thread(self._read, "nvml")
        done, _ = await asyncio.wait({self._reading}, timeout=self._deadline_s)
        if not done:
            log.warning("nvml.silent", seconds=self._deadline_s)
            return self._all_unknown(SILENT_FAULT, f"no answer within {self._deadline_s:g} s")
        reading, self._reading = self._reading, None
        try:
            found = reading.result()
        except self._nvml.NVMLError as error:
            log.warning("nvml.failed", error=str(error))
            return self._all_unknown(_fault(error), str(error))
        self._known = {**self._known, **found}
        return CardReadings(tuple(self._known.values()), self._faults(), self._driver)

    async def wait_for_event(self) -> None:
        """Return when a card has reported an Xid."""
        await self._has_event.wait()

    @property
    def watching(self) -> threading.Event:
        """Set once the present cards are watched for Xids."""
        return self._xids.watching

    def close(self) -> None:
        """Stop watching the cards; only for a driver that is no longer used."""
        self._xids.stop()

    def _notify_event(self) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._has_event.set)

    def _all_unknown(self, fault: str, detail: str) -> CardReadings:
        """Return the known cards as bad or gone, without measurements."""
        cards = tuple(
            item
            if item.facts.health is AcceleratorHealth.GONE
            else _with_health(item, AcceleratorHealth.BAD, fault)
            for item in self._known.values()
        )
        return CardReadings(cards, (NodeFault(code=fault, detail=detail[:200]),), self._driver)

    def _faults(self) -> tuple[NodeFault, ...]:
        if not self._unread:
            return ()
        detail = f"{self._unread} card(s) do not say which they are"
        return (NodeFault(code="card_unreadable", detail=detail, is_blocking=False),)

    # Everything below runs in the reading thread; there is never more than one.

    def _read(self) -> dict[str, CardReading]:
        """Return the cards that could be read or are missing; reinitialises NVML if necessary."""
        try:
            if self._is_open:
                return self._read_open()
        except self._nvml.NVMLError as error:
            # The driver may have been reloaded: all earlier handles are invalid then.
            log.info("nvml.reopened", error=str(error))
            self._close()
        self._nvml.nvmlInit()
        self._is_open = True
        return self._read_open()

    def _close(self) -> None:
        self._xids.stop()
        self._is_open = False
        self._islands = (frozenset(), {})
        self._mig.forget()
        query_optional(self._nvml, self._nvml.nvmlShutdown)

    def _read_open(self) -> dict[str, CardReading]:
        self._driver = self._nvml.nvmlSystemGetDriverVersion()
        handles, indices = self._handles()
        found = {}
        for uuid, handle in handles.items():
            if (card := self._read_card(uuid, handle, indices[uuid])) is not None:
                found[uuid] = card
        for uuid in self._known.keys() - handles.keys():
            found[uuid] = self._read_missing(uuid)
        self._xids.start(handles)
        xids, numbers = self._xids.take_xids(), self._islands_of(handles)
        return {
            uuid: replace(
                item,
                facts=item.facts.model_copy(update={"island": numbers.get(uuid, 0)}),
                xids=xids.get(uuid, ()),
            )
            for uuid, item in found.items()
        }

    def _handles(self) -> tuple[dict[str, Any], dict[str, int]]:
        """Return handle and current index of each card that reports its UUID."""
        handles, indices, unread = {}, {}, 0
        for index in range(self._nvml.nvmlDeviceGetCount()):
            try:
                handle = self._nvml.nvmlDeviceGetHandleByIndex(index)
                uuid = self._nvml.nvmlDeviceGetUUID(handle)
            except self._nvml.NVMLError as error:
                log.warning("nvml.card_unreadable", index=index, error=str(error))
                unread += 1
                continue
            handles[uuid], indices[uuid] = handle, index
        # A known card that does not answer now is not an additional unreadable card.
        self._unread = max(0, unread - len(self._known.keys() - handles.keys()))
        return handles, indices

    def _read_card(self, uuid: str, handle: Any, index: int) -> CardReading | None:
        """Return a card's reading; None for one that has never been read successfully."""
        try:
            return read_card(self._nvml, handle, uuid, index, self._driver, self._mig)
        except self._nvml.NVMLError as error:
            log.warning("nvml.card_failed", uuid=uuid, error=str(error))
            known = self._known.get(uuid)
            if known is None:
                self._unread += 1
                return None
            return _with_health(known, _health(error), _fault(error))

    def _read_missing(self, uuid: str) -> CardReading:
        """Return the state of a card that was there before."""
        known = self._known[uuid]
        try:
            self._nvml.nvmlDeviceGetHandleByUUID(uuid.encode())
        except self._nvml.NVMLError as error:
            return _with_health(known, _health(error), _fault(error))
        return _with_health(known, AcceleratorHealth.BAD, "card_unreadable")

    def _islands_of(self, handles: Mapping[str, Any]) -> dict[str, int]:
        """Return the NVLink islands; they are computed again only when the cards have changed."""
        cards, numbers = self._islands
        if cards != handles.keys():
            numbers = query_optional(self._nvml, lambda: find_islands(self._nvml, handles)) or {}
            self._islands = (frozenset(handles), numbers)
        return numbers


def _health(error: Exception) -> AcceleratorHealth:
    return AcceleratorHealth.GONE if error_code(error) in GONE_ERRORS else AcceleratorHealth.BAD


def _fault(error: Exception) -> str:
    code = error_code(error)
    return FAULTS.get(code, f"nvml_error_{code}")


def _with_health(card: CardReading, health: AcceleratorHealth, fault: str) -> CardReading:
    """Return the card with another health and without measurements."""
    change = {
        "health": health,
        "fault": fault,
        "utilisation_pct": None,
        "memory_used_mib": None,
        "power_mw": None,
        "temperature_c": None,
    }
    return CardReading(card.facts.model_copy(update=change))
