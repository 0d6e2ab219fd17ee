"""Reads one NVIDIA card: identity, load, processes, MIG instances."""

import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from nodeagent.card_ports import CardProcess, CardReading
from nodeagent.gpu.drivers.mig_profiles import MigCapabilities, MigCapabilityCache
from nodeagent.gpu.drivers.nvml import MIB, NOT_FOUND, Nvml, error_code, query_optional
from wire.facts import AcceleratorFacts, AcceleratorHealth, MigDevice

GPU_SENSOR: Final = 0
UNCORRECTED: Final = 1
SINCE_LOADED: Final = 0
NAME_MAX: Final = 200
RECENT_US: Final = 10_000_000
"""Maximum age of utilisation samples."""
RECOVERY_ACTION: Final = 230
"""NVML field with the recovery action that the driver advises (since R565); Xid 154 reports
changes."""
ADVISED: Final[Mapping[int, str]] = {
    1: "reset_required",
    2: "reboot_required",
    4: "reset_required",  # after it is drained
    6: "reset_required",  # reset of its bus
    7: "reboot_required",
}
"""Advice after which a card takes no more work, by NVML's value."""


def read_card(
    nvml: Nvml, handle: Any, uuid: str, index: int, driver: str, mig_cache: MigCapabilityCache
) -> CardReading:
    """Return a card's current reading; raises NVMLError if the card cannot be identified."""
    total_mib, used_mib = _memory(nvml, handle)
    rates = query_optional(nvml, lambda: nvml.nvmlDeviceGetUtilizationRates(handle))
    remapped = query_optional(nvml, lambda: nvml.nvmlDeviceGetRemappedRows(handle))
    mig = _mig_capabilities(nvml, handle, uuid, mig_cache)
    celsius = query_optional(nvml, lambda: nvml.nvmlDeviceGetTemperature(handle, GPU_SENSOR))
    fault = _recovery_fault(nvml, handle)
    facts = AcceleratorFacts(
        uuid=uuid,
        index=index,
        vendor="nvidia",
        model=nvml.nvmlDeviceGetName(handle)[:NAME_MAX],
        memory_mib=total_mib,
        memory_used_mib=used_mib,
        utilisation_pct=None if rates is None else min(100, int(rates.gpu)),
        driver=driver,
        health=AcceleratorHealth.BAD if fault else AcceleratorHealth.OK,
        fault=fault,
        mig=() if mig is None else tuple(_mig_instances(nvml, handle, mig.names)),
        profiles=() if mig is None else mig.offered,
        power_mw=query_optional(nvml, lambda: nvml.nvmlDeviceGetPowerUsage(handle)),
        energy_mj=query_optional(nvml, lambda: nvml.nvmlDeviceGetTotalEnergyConsumption(handle)),
        temperature_c=None if celsius is None else min(200, celsius),
    )
    errors = query_optional(
        nvml, lambda: nvml.nvmlDeviceGetTotalEccErrors(handle, UNCORRECTED, SINCE_LOADED)
    )
    return CardReading(
        facts=facts,
        processes=_processes(nvml, handle),
        # A card that can remap broken rows has handled an error, unless the remapping failed.
        ecc_uncorrected=(errors or 0) if remapped is None else 0,
        has_remap_failed=remapped is not None and bool(remapped[3]),
    )


def read_bus_id(nvml: Nvml, handle: Any) -> str:
    """Return the PCI bus ID of a card, in the format used for the remote end of NVLinks."""
    info = query_optional(nvml, lambda: nvml.nvmlDeviceGetPciInfo_v3(handle))
    return "" if info is None else _text(info.busId).lower()


def _recovery_fault(nvml: Nvml, handle: Any) -> str:
    """Return the fault for the driver's advised recovery action; empty if there is none."""
    values = query_optional(nvml, lambda: nvml.nvmlDeviceGetFieldValues(handle, [RECOVERY_ACTION]))
    if values is None or values[0].nvmlReturn != 0:
        return ""
    return ADVISED.get(values[0].value.uiVal, "")


def _memory(nvml: Nvml, handle: Any) -> tuple[int, int]:
    """Return size and use in MiB; the driver's own reservation does not count, if it is known."""
    exact = query_optional(
        nvml, lambda: nvml.nvmlDeviceGetMemoryInfo(handle, version=nvml.nvmlMemory_v2)
    )
    memory = nvml.nvmlDeviceGetMemoryInfo(handle) if exact is None else exact
    return memory.total // MIB, memory.used // MIB


def _processes(nvml: Nvml, handle: Any) -> tuple[CardProcess, ...] | None:
    """Return all processes on the card, including clients of an MPS server; None if unsupported."""
    queries = (
        nvml.nvmlDeviceGetComputeRunningProcesses_v3,
        nvml.nvmlDeviceGetGraphicsRunningProcesses_v3,
        nvml.nvmlDeviceGetMPSComputeRunningProcesses_v3,
    )
    answers = [query_optional(nvml, partial(ask, handle)) for ask in queries]
    if answers[0] is None:
        return None
    used: dict[int, int | None] = {}
    for item in (item for answer in answers for item in answer or ()):
        bytes_used = item.usedGpuMemory
        mib = None if bytes_used is None else bytes_used // MIB
        before = used.get(item.pid)
        used[item.pid] = mib if before is None else max(before, mib or 0)
    utilisation = _process_utilisation(nvml, handle) if used else {}
    return tuple(
        CardProcess(pid, mib, None if utilisation is None else utilisation.get(pid, 0))
        for pid, mib in used.items()
    )


def _process_utilisation(nvml: Nvml, handle: Any) -> dict[int, int] | None:
    """Return the recent utilisation by each process in percent; None if unsupported."""
    since = time.time_ns() // 1000 - RECENT_US
    try:
        samples = nvml.nvmlDeviceGetProcessUtilization(handle, since)
    except nvml.NVMLError as error:
        return {} if error_code(error) == NOT_FOUND else None
    newest: dict[int, Any] = {}
    for sample in samples:
        if sample.pid not in newest or sample.timeStamp > newest[sample.pid].timeStamp:
            newest[sample.pid] = sample
    return {pid: min(100, int(sample.smUtil)) for pid, sample in newest.items()}


def _mig_capabilities(
    nvml: Nvml, handle: Any, uuid: str, mig_cache: MigCapabilityCache
) -> MigCapabilities | None:
    """Return the MIG profiles of a card; None unless MIG is enabled."""
    mode = query_optional(nvml, lambda: nvml.nvmlDeviceGetMigMode(handle))
    if mode is None or not mode[0]:
        return None
    return query_optional(nvml, lambda: mig_cache.lookup(nvml, uuid, handle)) or MigCapabilities()


def _mig_instances(nvml: Nvml, handle: Any, names: Mapping[int, str]) -> Iterator[MigDevice]:
    """Yield the card's MIG instances; one that is destroyed meanwhile is left out."""
    for index in range(
        query_optional(nvml, lambda: nvml.nvmlDeviceGetMaxMigDeviceCount(handle)) or 0
    ):
        part = query_optional(
            nvml, partial(nvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, index)
        )
        found = (
            None
            if part is None
            else query_optional(nvml, partial(_partition, nvml, handle, part, names))
        )
        if found is not None:
            yield found


def _partition(nvml: Nvml, handle: Any, part: Any, names: Mapping[int, str]) -> MigDevice:
    number = nvml.nvmlDeviceGetGpuInstanceId(part)
    info = nvml.nvmlGpuInstanceGetInfo(nvml.nvmlDeviceGetGpuInstanceById(handle, number))
    return MigDevice(
        uuid=nvml.nvmlDeviceGetUUID(part),
        profile=names.get(info.profileId, ""),
        memory_mib=nvml.nvmlDeviceGetAttributes_v2(part).memorySizeMB,
        start=min(15, info.placement.start),
    )


def _text(value: bytes | str) -> str:
    return value.decode("ascii", "replace") if isinstance(value, bytes) else value
