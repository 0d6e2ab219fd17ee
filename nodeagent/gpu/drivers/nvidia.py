"""NVIDIA cards through NVML, which may hang: it is asked in a thread, one at a time, and waited
for only so long. Cards are known by UUID: their order, their device files, their size and their
partitions may all change with a reboot.
"""

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import structlog

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
from nodeagent.ports import CardReading, CardReadings
from wire.facts import AcceleratorHealth, NodeFault

log = structlog.get_logger()

DEADLINE_S: Final = 4.0
FAULTS: Final[Mapping[int, str]] = {
    **dict.fromkeys(GONE_ERRORS, "gpu_missing"),
    GPU_IS_LOST: "gpu_lost",
    RESET_REQUIRED: "reset_required",
    LIB_RM_VERSION_MISMATCH: "driver_mismatch",
}
"""Codes for NVML's errors that an operator can do something about; the rest have its number."""


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
        self._news = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._xids = XidWatcher(nvml, self._on_xid)

    async def read(self, busy_pct: Mapping[str, int], used_mib: Mapping[str, int]) -> CardReadings:
        """Return every card ever seen; while NVML does not answer, none of them can be trusted."""
        del busy_pct, used_mib  # measured here, not derived
        self._loop = asyncio.get_running_loop()
        self._news.clear()
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
        await self._news.wait()

    @property
    def watching(self) -> threading.Event:
        """Set once Xids of the present cards are waited for."""
        return self._xids.watching

    def close(self) -> None:
        """Let go of the cards; only for a driver that nobody asks any more."""
        self._xids.stop()

    def _on_xid(self) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._news.set)

    def _all_unknown(self, fault: str, detail: str) -> CardReadings:
        """Keep who the cards are; what they do is not known."""
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
        """Return the cards that could be asked or are missing; starts NVML anew if it has to."""
        try:
            if self._is_open:
                return self._read_open()
        except self._nvml.NVMLError as error:
            # Its driver may have been loaded anew: nothing of before is worth anything then.
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
        handles, places = self._handles()
        found = {}
        for uuid, handle in handles.items():
            if (card := self._read_card(uuid, handle, places[uuid])) is not None:
                found[uuid] = card
        for uuid in self._known.keys() - handles.keys():
            found[uuid] = self._missing(uuid)
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
        """Return handle and present place of each card that says which one it is."""
        handles, places, unread = {}, {}, 0
        for index in range(self._nvml.nvmlDeviceGetCount()):
            try:
                handle = self._nvml.nvmlDeviceGetHandleByIndex(index)
                uuid = self._nvml.nvmlDeviceGetUUID(handle)
            except self._nvml.NVMLError as error:
                log.warning("nvml.card_unreadable", index=index, error=str(error))
                unread += 1
                continue
            handles[uuid], places[uuid] = handle, index
        # One that is known has not become another one because it is silent now.
        self._unread = max(0, unread - len(self._known.keys() - handles.keys()))
        return handles, places

    def _read_card(self, uuid: str, handle: Any, index: int) -> CardReading | None:
        """Return a card now; None for one that never said what it is."""
        try:
            return read_card(self._nvml, handle, uuid, index, self._driver, self._mig)
        except self._nvml.NVMLError as error:
            log.warning("nvml.card_failed", uuid=uuid, error=str(error))
            known = self._known.get(uuid)
            if known is None:
                self._unread += 1
                return None
            return _with_health(known, _health(error), _fault(error))

    def _missing(self, uuid: str) -> CardReading:
        """Return what has become of a card that was there before."""
        known = self._known[uuid]
        try:
            self._nvml.nvmlDeviceGetHandleByUUID(uuid.encode())
        except self._nvml.NVMLError as error:
            return _with_health(known, _health(error), _fault(error))
        return _with_health(known, AcceleratorHealth.BAD, "card_unreadable")

    def _islands_of(self, handles: Mapping[str, Any]) -> dict[str, int]:
        """Return the islands; they are asked for again only when the cards have changed."""
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
