"""Which driver knows the cards of this machine."""

import pynvml
import structlog

from nodeagent.gpu.nvidia import NvidiaDriver, Nvml
from nodeagent.gpu.simulated import SimulatedDriver
from nodeagent.ports import GpuDriver

log = structlog.get_logger()


def select_driver(simulated: SimulatedDriver, nvml: Nvml | None = None) -> GpuDriver:
    """Return the real cards when NVML finds any, else the described ones."""
    library: Nvml = nvml or pynvml
    try:
        library.nvmlInit()
        count = library.nvmlDeviceGetCount()
    except library.NVMLError as error:
        log.info("gpu.simulated", cards=simulated.count, reason=str(error))
        return simulated
    if count == 0:
        return simulated
    log.info("gpu.nvidia", cards=count)
    return NvidiaDriver(library)
