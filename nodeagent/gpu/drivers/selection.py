"""Selects the driver for the cards of this machine."""

import asyncio
from collections.abc import Mapping
from typing import Literal

import pynvml
import structlog

from nodeagent.card_ports import CardReadings, GpuDriver
from nodeagent.gpu.drivers.community import CommunityDriver, load_detector
from nodeagent.gpu.drivers.nvidia import DEADLINE_S, NvidiaDriver
from nodeagent.gpu.drivers.nvml import NO_DRIVER_ERRORS, SILENT_FAULT, Nvml, error_code
from nodeagent.gpu.drivers.simulated import SimulatedDriver
from nodeagent.host.threads import run_in_daemon_thread
from wire.facts import NodeFault

log = structlog.get_logger()

DriverChoice = Literal["auto", "nvidia", "community", "simulated"]
"""Which driver to use. `auto`: NVIDIA if its driver is loaded, else another vendor's if any of its
cards are detected, else simulated ones."""


class SelectedDriver:
    """The `GpuDriver` port over the driver that was found on this machine.

    The search runs in a thread with the first reading: a library that hangs must not keep the agent
    from starting. If no driver is found, each reading searches again.
    """

    def __init__(
        self,
        simulated: SimulatedDriver,
        choice: DriverChoice = "auto",
        nvml: Nvml | None = None,
        deadline_s: float = DEADLINE_S,
    ) -> None:
        self._simulated = simulated
        self._choice = choice
        self._nvml: Nvml = nvml or pynvml
        self._deadline_s = deadline_s
        self._driver: GpuDriver | None = None
        self._search: asyncio.Future[GpuDriver | None] | None = None
        self._is_selected = asyncio.Event()

    async def read(self, busy_pct: Mapping[str, int], used_mib: Mapping[str, int]) -> CardReadings:
        """Read the cards, after selecting the driver if necessary."""
        if self._driver is None:
            if self._search is None:
                self._search = run_in_daemon_thread(self._find, "nvml-find")
            done, _ = await asyncio.wait({self._search}, timeout=self._deadline_s)
            if not done:
                log.warning("nvml.silent", seconds=self._deadline_s)
                return CardReadings(faults=(NodeFault(code=SILENT_FAULT, detail="at the start"),))
            search, self._search = self._search, None
            self._driver = search.result()
        if self._driver is None:
            return CardReadings()
        self._is_selected.set()
        return await self._driver.read(busy_pct, used_mib)

    async def wait_for_event(self) -> None:
        """Return when the selected driver has an event."""
        await self._is_selected.wait()
        if self._driver is not None:
            await self._driver.wait_for_event()

    def _find(self) -> GpuDriver | None:
        is_auto = self._choice == "auto"
        if self._choice == "nvidia" or (is_auto and self._has_nvidia()):
            log.info("gpu.nvidia")
            return NvidiaDriver(self._nvml, self._deadline_s)
        if is_auto or self._choice == "community":
            community = CommunityDriver(load_detector(), self._deadline_s)
            if not is_auto or community.detect_devices():
                log.info("gpu.community")
                return community
        if not is_auto or self._simulated.count:
            log.info("gpu.simulated", cards=self._simulated.count)
            return self._simulated
        return None

    def _has_nvidia(self) -> bool:
        """Return whether the NVIDIA driver is loaded; a failing one counts: its fault is reported."""
        try:
            self._nvml.nvmlInit()
            count = self._nvml.nvmlDeviceGetCount()
            self._nvml.nvmlShutdown()
        except self._nvml.NVMLError as error:
            return error_code(error) not in NO_DRIVER_ERRORS
        return count > 0
