"""The card that is tried, and what was measured of it.

`BERTH_CARDS_REPORT`: a file for the measurements, as JSON. Nobody else may use the card meanwhile.
"""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pynvml
import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.sharing.grants import grants_by_card
from nodeagent.sharing.records import EnforcedShare, ShareRecord
from wire.facts import AcceleratorFacts
from wire.words import Device, Isolation

MIB = 1024 * 1024
collect_ignore = [
    *([] if os.environ.get("BERTH_CARDS_HAMI") else ["test_hami.py"]),
    *([] if find_spec("torch") else ["test_torch.py"]),
]


@dataclass(frozen=True)
class RealCard:
    """The first card of this machine."""

    uuid: str
    model: str
    driver: str

    def used_mib(self) -> int:
        """Return the memory in use, without the driver's own."""
        handle = pynvml.nvmlDeviceGetHandleByUUID(self.uuid)
        return int(pynvml.nvmlDeviceGetMemoryInfo(handle, version=pynvml.nvmlMemory_v2).used) // MIB

    def pids(self) -> set[int]:
        """Return the processes on it."""
        handle = pynvml.nvmlDeviceGetHandleByUUID(self.uuid)
        return {item.pid for item in pynvml.nvmlDeviceGetComputeRunningProcesses(handle)}

    def facts(self, *isolation: Isolation) -> AcceleratorFacts:
        """Return what a node says of it that enforces these modes."""
        return AcceleratorFacts(
            uuid=self.uuid,
            index=0,
            vendor="nvidia",
            model=self.model,
            memory_mib=80_000,
            driver=self.driver,
            isolation=isolation,
        )

    def share(self, mib: int, percent: int = 25, slot: int = 0) -> Device:
        """Return a share of it."""
        return Device(self.uuid, mib, slot=slot, slices=8, compute_milli=percent * 10)


def share_record(device: Device, mode: Isolation) -> ShareRecord:
    """Return the record of a container with a share in this mode."""
    (grant,) = grants_by_card((device,))
    return ShareRecord(ContainerKey("job.0", 1), "lab", (EnforcedShare(grant, mode),))


@pytest.fixture(scope="session")
def card() -> Iterator[RealCard]:
    """Return the card, which must be unused."""
    pynvml.nvmlInit()
    handle = pynvml.nvmlDeviceGetHandleByIndex(0)
    found = RealCard(
        pynvml.nvmlDeviceGetUUID(handle),
        pynvml.nvmlDeviceGetName(handle),
        pynvml.nvmlSystemGetDriverVersion(),
    )
    assert not found.pids(), "the card is in use"
    yield found
    pynvml.nvmlShutdown()


@pytest.fixture(scope="session")
def measured(card: RealCard) -> Iterator[Callable[..., None]]:
    """Return a function that keeps measurements by name."""
    found: dict[str, Any] = {"card": card.model, "driver": card.driver}
    yield found.update
    if path := os.environ.get("BERTH_CARDS_REPORT"):
        Path(path).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
