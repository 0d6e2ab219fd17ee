"""Intel's discrete GPUs, as the kernel lists them in `/sys`: no library of the vendor is called.

The package that detects the other vendors does not know them. Integrated graphics are not reported.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import NAMESPACE_DNS, uuid5

INTEL: Final = "intel"
_VENDOR_ID: Final = "0x8086"
_MIB: Final = 1024 * 1024
_MEMORY_BAR: Final = 2
"""The PCI region through which the local memory of a card is seen, whole where it can be resized."""
_WHOLE_MIB: Final = 1024
"""A smaller region is a window; then the memory is the model's."""
_MODELS: Final[Mapping[str, tuple[str, int]]] = {
    "0x0bd5": ("Intel Data Center GPU Max 1550", 128),
    "0x0bda": ("Intel Data Center GPU Max 1100", 48),
    "0x56c0": ("Intel Data Center GPU Flex 170", 16),
    "0x56a0": ("Intel Arc A770", 16),
    "0xe20b": ("Intel Arc B580", 12),
}
"""Name and GiB by PCI device id (pci-ids.ucw.cz)."""


@dataclass(frozen=True, slots=True)
class IntelCard:
    """A card in the form of the other vendors' detection; the kernel reports no load."""

    index: int
    name: str
    uuid: str
    memory: int
    appendix: Mapping[str, str]
    manufacturer: str = INTEL
    driver_version: str | None = None
    cores_utilization: float | None = None
    memory_used: int | None = None
    memory_status: str = "unknown"
    temperature: float | None = None
    power_used: float | None = None


def detect_intel_cards(root: Path = Path("/")) -> list[IntelCard]:
    """Return the discrete GPUs that a kernel driver serves, by PCI address."""
    devices = root / "sys/bus/pci/devices"
    found = sorted(devices.iterdir()) if devices.is_dir() else []
    served = [item for item in found if _is_served(item)]
    machine = _read(root / "etc/machine-id")
    return [_card(index, item, machine) for index, item in enumerate(served)]


def _is_served(device: Path) -> bool:
    is_known = _read(device / "vendor") == _VENDOR_ID and _read(device / "device") in _MODELS
    return is_known and (device / "drm").is_dir()


def _card(index: int, device: Path, machine: str) -> IntelCard:
    name, gib = _MODELS[_read(device / "device")]
    memory_mib = _region_mib(device / "resource")
    return IntelCard(
        index=index,
        name=name,
        uuid=f"INTEL-{uuid5(NAMESPACE_DNS, f'{machine}/{device.name}')}",
        memory=memory_mib if memory_mib > _WHOLE_MIB else gib * 1024,
        appendix={"bdf": device.name},
    )


def _region_mib(resource: Path) -> int:
    """Return the size of the memory region; each line is a region's start, end and flags."""
    lines = _read(resource).splitlines()
    if len(lines) <= _MEMORY_BAR:
        return 0
    start, end, *_ = (int(number, 16) for number in lines[_MEMORY_BAR].split())
    return (end - start + 1) // _MIB if end > start else 0


def _read(path: Path) -> str:
    with suppress(OSError):
        return path.read_text(encoding="utf-8").strip()
    return ""
