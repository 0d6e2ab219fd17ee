"""The fake library seen through the real binding: it answers, refuses and hangs as NVML does."""

import ctypes
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pynvml
import pytest

from tests.fakes.nvml.machine import MIB, FakeNvml, fake_nvml, h100, t4, uuid_of

pytestmark = pytest.mark.nvml


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[FakeNvml]:
    with fake_nvml(tmp_path, [h100(0), t4(1)]) as made:
        pynvml.nvmlInit()
        yield made


def handle(number: int) -> pynvml.c_nvmlDevice_t:
    return pynvml.nvmlDeviceGetHandleByUUID(uuid_of(number).encode())


def test_answers_are_what_was_written(machine: FakeNvml) -> None:
    assert pynvml.nvmlSystemGetDriverVersion() == "615.71.05"
    assert pynvml.nvmlDeviceGetCount() == 2
    card = pynvml.nvmlDeviceGetHandleByIndex(0)
    assert pynvml.nvmlDeviceGetUUID(card) == uuid_of(0)
    assert pynvml.nvmlDeviceGetPciInfo_v3(card).busId == "00000000:19:00.0"
    memory = pynvml.nvmlDeviceGetMemoryInfo(card, version=pynvml.nvmlMemory_v2)
    assert (memory.total, memory.used, memory.reserved) == (81559 * MIB, 0, 551 * MIB)
    machine.change(0, utilisation=57, process=["4711 1048576 compute 40", "4712 - mps"])
    assert pynvml.nvmlDeviceGetUtilizationRates(card).gpu == 57
    (one,) = pynvml.nvmlDeviceGetComputeRunningProcesses_v3(card)
    assert (one.pid, one.usedGpuMemory) == (4711, MIB)
    (other,) = pynvml.nvmlDeviceGetMPSComputeRunningProcesses_v3(card)
    assert (other.pid, other.usedGpuMemory) == (4712, None)
    assert [item.smUtil for item in pynvml.nvmlDeviceGetProcessUtilization(card, 0)] == [40, 0]


def test_refusals_have_the_numbers_of_nvml(machine: FakeNvml) -> None:
    card = handle(1)
    cases: dict[int, Callable[[], object]] = {
        pynvml.NVML_ERROR_NOT_SUPPORTED: lambda: pynvml.nvmlDeviceGetMigMode(card),
        pynvml.NVML_ERROR_NOT_FOUND: lambda: pynvml.nvmlDeviceGetHandleByUUID(b"GPU-none"),
        pynvml.NVML_ERROR_INVALID_ARGUMENT: lambda: pynvml.nvmlDeviceGetHandleByIndex(2),
        pynvml.NVML_ERROR_FUNCTION_NOT_FOUND: lambda: pynvml.nvmlDeviceGetBoardId(card),
    }
    for code, call in cases.items():
        with pytest.raises(pynvml.NVMLError) as caught:
            call()
        assert caught.value.value == code


def test_lost_card_is_lost_and_failures_are_per_function(machine: FakeNvml) -> None:
    card = handle(0)
    machine.lose(0)
    with pytest.raises(pynvml.NVMLError_GpuIsLost):
        pynvml.nvmlDeviceGetUUID(card)
    machine.change(1, fail="nvmlDeviceGetName 999")
    assert pynvml.nvmlDeviceGetUUID(handle(1)) == uuid_of(1)
    with pytest.raises(pynvml.NVMLError_Unknown):
        pynvml.nvmlDeviceGetName(handle(1))


def test_a_call_hangs_until_it_is_let_go(machine: FakeNvml) -> None:
    machine.hang("nvmlDeviceGetCount_v2")
    counted = threading.Event()

    def count() -> None:
        pynvml.nvmlDeviceGetCount()
        counted.set()

    thread = threading.Thread(target=count)
    thread.start()
    assert pynvml.nvmlDeviceGetUUID(handle(0)) == uuid_of(0)
    assert not counted.is_set()
    machine.change(hang=None)
    thread.join(60)
    assert counted.is_set()


def test_xids_reach_who_waits_for_them(machine: FakeNvml) -> None:
    machine.xid(0, 31)
    events = pynvml.nvmlEventSetCreate()
    pynvml.nvmlDeviceRegisterEvents(handle(0), pynvml.nvmlEventTypeXidCriticalError, events)
    with pytest.raises(pynvml.NVMLError_Timeout):
        pynvml.nvmlEventSetWait_v2(events, 1)
    machine.xid(0, 79)
    event = pynvml.nvmlEventSetWait_v2(events, 60_000)
    assert (pynvml.nvmlDeviceGetUUID(event.device), event.eventData) == (uuid_of(0), 79)
    pynvml.nvmlEventSetFree(events)


def test_reloaded_driver_needs_a_new_start(machine: FakeNvml) -> None:
    machine.reload_driver()
    with pytest.raises(pynvml.NVMLError_Unknown):
        pynvml.nvmlDeviceGetCount()
    pynvml.nvmlShutdown()
    pynvml.nvmlInit()
    assert pynvml.nvmlDeviceGetCount() == 2


def test_memory_limits_are_kept_and_read_back(machine: FakeNvml) -> None:
    wanted = pynvml.c_nvmlSetMemoryLimits_v1_t(b"/sys/fs/cgroup/a", 4096 * MIB, 8192 * MIB)
    pynvml.nvmlDeviceSetMemoryLimits_v1(handle(0), wanted)
    machine.change(0, limit_used=[f"/sys/fs/cgroup/a {100 * MIB}"])
    read = pynvml.c_nvmlGetMemoryLimits_v1_t(b"/sys/fs/cgroup/a")
    pynvml.nvmlDeviceGetMemoryLimits_v1(handle(0), read)
    assert (read.softLimit, read.hardLimit, read.currentUsed) == (
        4096 * MIB,
        8192 * MIB,
        100 * MIB,
    )
    assert machine.set_by_callers(0, "limit") == [f"/sys/fs/cgroup/a {4096 * MIB} {8192 * MIB}"]
    with pytest.raises(pynvml.NVMLError_NotSupported):
        pynvml.nvmlDeviceSetMemoryLimits_v1(handle(1), wanted)


def test_mig_instances_are_created_placed_and_destroyed(machine: FakeNvml) -> None:
    card = handle(0)
    pynvml.nvmlDeviceSetMigMode(card, pynvml.NVML_DEVICE_MIG_ENABLE)
    three = pynvml.nvmlDeviceGetGpuInstanceProfileInfo(
        card, pynvml.NVML_GPU_INSTANCE_PROFILE_3_SLICE
    )
    assert (three.name, three.memorySizeMB) == ("MIG 3g.40gb", 40448)
    place = pynvml.c_nvmlGpuInstancePlacement_t(4, 4)
    instance = pynvml.nvmlDeviceCreateGpuInstanceWithPlacement(card, three.id, ctypes.byref(place))
    with pytest.raises(pynvml.NVMLError_InsufficientResources):
        pynvml.nvmlDeviceCreateGpuInstanceWithPlacement(card, three.id, ctypes.byref(place))
    compute = pynvml.nvmlGpuInstanceCreateComputeInstance(
        instance, pynvml.NVML_COMPUTE_INSTANCE_PROFILE_3_SLICE
    )
    mig = pynvml.nvmlDeviceGetMigDeviceHandleByIndex(card, 0)
    uuid = pynvml.nvmlDeviceGetUUID(mig)
    assert uuid.startswith("MIG-")
    assert pynvml.nvmlDeviceGetAttributes_v2(mig).memorySizeMB == 40448
    with pytest.raises(pynvml.NVMLError_InUse):
        pynvml.nvmlGpuInstanceDestroy(instance)
    pynvml.nvmlComputeInstanceDestroy(compute)
    pynvml.nvmlGpuInstanceDestroy(instance)
    with pytest.raises(pynvml.NVMLError_NotFound):
        pynvml.nvmlDeviceGetMigDeviceHandleByIndex(card, 0)
    again = pynvml.nvmlDeviceCreateGpuInstance(card, three.id)
    assert pynvml.nvmlGpuInstanceGetInfo(again).placement.start == 0


def test_other_processes_find_it_by_its_name(machine: FakeNvml) -> None:
    program = "import pynvml; pynvml.nvmlInit(); print(pynvml.nvmlDeviceGetCount())"
    command = [sys.executable, "-c", program]
    told = subprocess.run(
        command, env=machine.environment, check=True, capture_output=True, text=True
    )
    assert told.stdout == "2\n"
