"""Cards of other vendors, as detected by the optional package `gpustack-runtime`; Intel's by `/sys`.

Supported by the community, untested on hardware: detection, load and whole cards only. The package
is imported only when this driver is used; its only health information concerns the memory. Cards of
vendors that `nodeagent.gpu.vendors` does not list take no work: it would not see them.
"""

import asyncio
import importlib
import importlib.util
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol
from uuid import NAMESPACE_DNS, uuid5

import structlog

from nodeagent.card_ports import CardReading, CardReadings
from nodeagent.gpu.drivers.intel import detect_intel_cards
from nodeagent.gpu.drivers.nvml import SILENT_FAULT
from nodeagent.gpu.vendors import VENDORS
from nodeagent.host.threads import run_in_daemon_thread
from wire.facts import AcceleratorFacts, AcceleratorHealth, NodeFault
from wire.values import SLOT_MAX

log = structlog.get_logger()

PACKAGE: Final = "gpustack_runtime"
NVIDIA: Final = "nvidia"
UNHEALTHY: Final = "unhealthy"
BUS_ID: Final = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
SILENT: Final = NodeFault(code=SILENT_FAULT, detail="the vendor's library does not answer")


class DetectedDevice(Protocol):
    """The used attributes of `gpustack_runtime.detector.Device`; memory in MiB, power in watts."""

    manufacturer: Any
    index: int
    name: str
    uuid: str
    driver_version: str | None
    cores_utilization: float | None
    memory: int
    memory_used: int | None
    memory_status: Any
    temperature: float | None
    power_used: float | None
    appendix: Mapping[str, Any] | None
    """Further facts: `bdf` is the PCI address, `physical_id` the number of an Ascend device file."""


Detect = Callable[[], Sequence[DetectedDevice]]


def load_detector(root: Path = Path("/")) -> Detect:
    """Return the detection of all vendors: the package's, where it is installed, and Intel's.

    `root` is where the host's `/sys` is.
    """
    is_installed = importlib.util.find_spec(PACKAGE) is not None
    module = importlib.import_module(f"{PACKAGE}.detector") if is_installed else None

    def detect() -> Sequence[DetectedDevice]:
        devices = [] if module is None else module.detect_devices(fast=False)
        return [*devices, *detect_intel_cards(root)]

    return detect


class CommunityDriver:
    """The `GpuDriver` port over the package's detection."""

    def __init__(self, detect: Detect, deadline_s: float) -> None:
        self._detect = detect
        self._deadline_s = deadline_s
        self._known: dict[str, AcceleratorFacts] = {}
        self._reading: asyncio.Future[list[DetectedDevice]] | None = None

    def detect_devices(self) -> list[DetectedDevice]:
        """Return the cards of all vendors except NVIDIA, which has a driver of its own here."""
        return [item for item in self._detect() if str(item.manufacturer) != NVIDIA]

    async def read(self, busy_pct: Mapping[str, int], used_mib: Mapping[str, int]) -> CardReadings:
        """Return all cards ever detected; while the library does not answer, they are all bad."""
        del busy_pct, used_mib  # measured here, not derived
        if self._reading is None:
            self._reading = run_in_daemon_thread(self.detect_devices, "cards")
        done, _ = await asyncio.wait({self._reading}, timeout=self._deadline_s)
        if not done:
            return CardReadings(self._known_cards_as(AcceleratorHealth.BAD, SILENT.code), (SILENT,))
        reading, self._reading = self._reading, None
        try:
            cards = {card.facts.uuid: card for card in map(_reading, reading.result())}
        except Exception as error:  # vendor libraries behind this call may raise anything
            log.exception("cards.failed")
            fault = NodeFault(code="cards_unreadable", detail=str(error)[:200])
            return CardReadings(self._known_cards_as(AcceleratorHealth.BAD, fault.code), (fault,))
        missing = self._known.keys() - cards.keys()
        gone = self._known_cards_as(AcceleratorHealth.GONE, "gpu_missing", missing)
        self._known |= {uuid: card.facts for uuid, card in cards.items()}
        driver = next((card.facts.driver for card in cards.values()), "")
        return CardReadings((*cards.values(), *gone), driver=driver)

    async def wait_for_event(self) -> None:
        """Never return: this driver has no events."""
        await asyncio.Event().wait()

    def _known_cards_as(
        self, health: AcceleratorHealth, fault: str, uuids: set[str] | None = None
    ) -> tuple[CardReading, ...]:
        change = {
            "health": health,
            "fault": fault,
            "utilisation_pct": None,
            "memory_used_mib": None,
        }
        return tuple(
            CardReading(facts.model_copy(update=change))
            for uuid, facts in self._known.items()
            if uuids is None or uuid in uuids
        )


def _reading(device: DetectedDevice) -> CardReading:
    further = device.appendix or {}
    number = further.get("physical_id")
    bus_id = str(further.get("bdf") or "").lower()
    return CardReading(
        _facts(device),
        bus_id=bus_id if BUS_ID.fullmatch(bus_id) else "",
        file_number=number if isinstance(number, int) else None,
    )


def _fault(device: DetectedDevice) -> str:
    if str(device.manufacturer) not in VENDORS:
        return "vendor_unsupported"
    return "memory_unhealthy" if str(device.memory_status) == UNHEALTHY else ""


def _facts(device: DetectedDevice) -> AcceleratorFacts:
    fault = _fault(device)
    watts, celsius, busy = device.power_used, device.temperature, device.cores_utilization
    return AcceleratorFacts(
        uuid=_card_uuid(device),
        index=min(SLOT_MAX, device.index),
        vendor=str(device.manufacturer)[:200],
        model=device.name[:200],
        memory_mib=device.memory,
        memory_used_mib=device.memory_used,
        utilisation_pct=None if busy is None else max(0, min(100, round(busy))),
        health=AcceleratorHealth.BAD if fault else AcceleratorHealth.OK,
        fault=fault,
        driver=(device.driver_version or "")[:200],
        power_mw=None if watts is None else max(0, round(watts * 1000)),
        temperature_c=None if celsius is None else max(-50, min(200, round(celsius))),
    )


def _card_uuid(device: DetectedDevice) -> str:
    """Return the card's own UUID in the format of the wire, or one derived from its attributes."""
    own = device.uuid.strip()
    if own and len(own) <= 64 and all(part.isalnum() for part in own.split("-")):
        return own
    return f"CARD-{uuid5(NAMESPACE_DNS, f'{device.manufacturer}/{own or device.index}')}"
