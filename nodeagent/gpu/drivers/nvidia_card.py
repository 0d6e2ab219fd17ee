"""One NVIDIA card, asked once: what it is, what it does, who uses it, how it is cut."""

import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from nodeagent.gpu.drivers.mig_profiles import MigCapabilities, MigCapabilityCache
from nodeagent.gpu.drivers.nvml import MIB, NOT_FOUND, Nvml, error_code, query_optional
from nodeagent.ports import CardProcess, CardReading
from wire.facts import AcceleratorFacts, AcceleratorHealth, MigDevice

GPU_SENSOR: Final = 0
UNCORRECTED: Final = 1
SINCE_LOADED: Final = 0
NAME_MAX: Final = 200
RECENT_US: Final = 10_000_000
"""Older samples say nothing about now."""
RECOVERY_ACTION: Final = 230
"""The field of NVML that holds what the driver advises, since R565; Xid 154 tells of its changes."""
ADVISED: Final[Mapping[int, str]] = {
    1: "reset_required",
    2: "reboot_required",
    4: "reset_required",  # once it is drained
    6: "reset_required",  # of its bus
    7: "reboot_required",
}
"""Advice after which a card takes no more work, by NVML's number."""


def read_card(
    nvml: Nvml, handle: Any, uuid: str, index: int, driver: str, book: MigCapabilityCache
) -> CardReading:
    """Return a card as it is now; raises NVMLError when it does not say what it is."""
    total_mib, used_mib = _memory(nvml, handle)
    rates = query_optional(nvml, lambda: nvml.nvmlDeviceGetUtilizationRates(handle))
    remapped = query_optional(nvml, lambda: nvml.nvmlDeviceGetRemappedRows(handle))
    cuts = _mig_capabilities(nvml, handle, uuid, book)
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
        mig=() if cuts is None else tuple(_partitions(nvml, handle, cuts.names)),
        profiles=() if cuts is None else cuts.offered,
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
        # A card that remaps its broken rows has coped with an error, unless it says otherwise.
        ecc_uncorrected=(errors or 0) if remapped is None else 0,
        has_remap_failed=remapped is not None and bool(remapped[3]),
    )


def read_bus_id(nvml: Nvml, handle: Any) -> str:
    """Return where a card is plugged in, in the way that other cards' links name it."""
    info = query_optional(nvml, lambda: nvml.nvmlDeviceGetPciInfo_v3(handle))
    return "" if info is None else _text(info.busId).lower()


def _recovery_fault(nvml: Nvml, handle: Any) -> str:
    """Return the fault that the driver's own advice amounts to; empty when it advises nothing."""
    values = query_optional(nvml, lambda: nvml.nvmlDeviceGetFieldValues(handle, [RECOVERY_ACTION]))
    if values is None or values[0].nvmlReturn != 0:
        return ""
    return ADVISED.get(values[0].value.uiVal, "")


def _memory(nvml: Nvml, handle: Any) -> tuple[int, int]:
    """Return size and use in MiB; what the driver keeps for itself is not use, where it says so."""
    exact = query_optional(
        nvml, lambda: nvml.nvmlDeviceGetMemoryInfo(handle, version=nvml.nvmlMemory_v2)
    )
    memory = nvml.nvmlDeviceGetMemoryInfo(handle) if exact is None else exact
    return memory.total // MIB, memory.used // MIB


def _processes(nvml: Nvml, handle: Any) -> tuple[CardProcess, ...] | None:
    """Return everyone on the card, clients of an MPS server included; None if it does not tell."""
    asked = (
        nvml.nvmlDeviceGetComputeRunningProcesses_v3,
        nvml.nvmlDeviceGetGraphicsRunningProcesses_v3,
        nvml.nvmlDeviceGetMPSComputeRunningProcesses_v3,
    )
    answers = [query_optional(nvml, partial(ask, handle)) for ask in asked]
    if answers[0] is None:
        return None
    used: dict[int, int | None] = {}
    for item in (item for answer in answers for item in answer or ()):
        bytes_used = item.usedGpuMemory
        mib = None if bytes_used is None else bytes_used // MIB
        before = used.get(item.pid)
        used[item.pid] = mib if before is None else max(before, mib or 0)
    busy = _busy(nvml, handle) if used else {}
    return tuple(
        CardProcess(pid, mib, None if busy is None else busy.get(pid, 0))
        for pid, mib in used.items()
    )


def _busy(nvml: Nvml, handle: Any) -> dict[int, int] | None:
    """Return how busy processes kept the card lately, in percent; None where nobody can tell."""
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
    nvml: Nvml, handle: Any, uuid: str, book: MigCapabilityCache
) -> MigCapabilities | None:
    """Return the ways to cut a card; None unless it is switched to MIG."""
    mode = query_optional(nvml, lambda: nvml.nvmlDeviceGetMigMode(handle))
    if mode is None or not mode[0]:
        return None
    return query_optional(nvml, lambda: book.lookup(nvml, uuid, handle)) or MigCapabilities()


def _partitions(nvml: Nvml, handle: Any, names: Mapping[int, str]) -> Iterator[MigDevice]:
    """Yield how the card is cut now; what is taken away meanwhile is left out."""
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
