"""What the whole host uses, as its kernel counts it: each byte once, and nothing where nothing is known."""

import asyncio
import os
from pathlib import Path
from typing import Final

import pytest

from nodeagent.app.node_sampler import NodeSampler, SamplerChecks, StaticNodeFacts
from nodeagent.gpu.drivers.simulated import SimulatedDriver
from nodeagent.host.procfs import TICKS_PER_S
from nodeagent.host.usage import (
    HostReader,
    RisingSums,
    parse_disks,
    parse_interfaces,
    parse_memory,
    parse_processors,
)
from nodeagent.ports import InspectionFindings
from tests.fakes.node_ports import FakeClock
from tests.fakes.runtime import FakeContainerHost, FakeRuntime
from wire.samples import HostSample
from wire.values import COUNT_MAX

TICK_MS: Final = 1000 // TICKS_PER_S
STAT: Final = """\
cpu  1882942 360640 213753 375950 1721 11 4783 3321 90000 7
cpu0 939978 182102 105231 189769 971 0 1921 1652 0 0
cpu1 942963 178537 108521 186180 749 0 2862 1669 0 0
intr 20099449 0 0 0 24
ctxt 62619919
btime 1795804000
"""
MEMINFO: Final = """\
MemTotal:       24684092 kB
MemFree:         8069276 kB
MemAvailable:   18424472 kB
HugePages_Total:       0
SwapTotal:             0 kB
"""
CONTAINER_MEMINFO: Final = (
    "MemTotal:        8388608 kB\nMemFree: 1 kB\nMemAvailable:    6291456 kB\n"
)
"""As LXCFS shows it in a machine that is a cgroup."""
OLD_MEMINFO: Final = "MemTotal:       24684092 kB\nMemFree:         8069276 kB\nBuffers: 1 kB\n"
DISKS: Final = """\
   7       0 loop0 61 0 4416 12 0 0 0 0 0 24 12 0 0 0 0 0 0
 253       0 dm-0 900 0 20000 10 800 0 30000 20 0 40 30 0 0 0 0 0 0
   9     127 md127 900 0 20000 10 800 0 30000 20 0 40 30
 254       0 zram0 5 0 40 0 5 0 40 0 0 0 0 0 0 0 0 0 0
   8       0 sda 1000 10 20000 90 900 10 30000 93 0 11 10 5 2 30 5 26 19
   8       1 sda1 990 10 19000 90 900 10 30000 93 0 11 10 5 2 30 5 26 19
 259       1 nvme0c0n1 70 0 700 9 80 0 800 9 0 12 10 0 0 0 0 0 0
 259       2 nvme0c1n1 10 0 100 9 20 0 200 9 0 12 10 0 0 0 0 0 0
 259       0 nvme0n1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
 259       3 nvme0n1p1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
"""
WHOLE_DISKS: Final = ("sda", "nvme0n1")
NETWORK: Final = """\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 4024566812 1618407    0    0    0     0          0         0 4024566812 1618407    0    0    0     0       0          0
 bond0:   30000     188    0    0    0     0          0         0     3000     675    0    0    0     0       0          0
ens1f0:   10000      94    0    0    0     0          0         0     1000     337    0    0    0     0       0          0
ens1f1:20000        94    0    0    0     0          0         0     2000     338    0    0    0     0       0          0
bond0.7:   30000     188    0    0    0     0          0         0     3000     675    0    0    0     0       0          0
docker0:     500       0    0    0    0     0          0         0    25740     234    0   59    0     0       0          0
veth69@if2:     500     630    0    0    0     0          0         0   184419     691    0    0    0     0       0          0
  eth0:     400       4    0    0    0     0          0         0      300       3    0    0    0     0       0          0
enP1s1:     400       4    0    0    0     0          0         0      300       3    0    0    0     0       0          0
"""
MASTERS: Final = {"ens1f0": "bond0", "ens1f1": "bond0", "eth0": "", "enP1s1": "eth0"}
"""The interfaces with a device, and what each serves: `enP1s1` is the fast path of `eth0`."""


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """Provide the files of a host, below `proc` and `sys`."""
    (tmp_path / "proc/net").mkdir(parents=True)
    net = tmp_path / "sys/class/net"
    for name in WHOLE_DISKS:
        (tmp_path / "sys/block" / name / "device").mkdir(parents=True)
    for name in ("bond0", *MASTERS):
        (net / name).mkdir(parents=True)
    for name, master in MASTERS.items():
        (net / name / "device").mkdir()
        if master:
            (net / name / "master").symlink_to(net / master)
    files = {"stat": STAT, "meminfo": MEMINFO, "diskstats": DISKS, "net/dev": NETWORK}
    for name, text in files.items():
        (tmp_path / "proc" / name).write_text(text)
    return tmp_path


def a_reader(host: Path) -> HostReader:
    return HostReader(host / "proc", host / "sys")


def test_processors_are_busy_but_for_idle_and_waiting_time() -> None:
    # Times of guests are in those of users already.
    busy = 1882942 + 360640 + 213753 + 11 + 4783 + 3321

    assert parse_processors(STAT) == (busy * TICK_MS, 2)


@pytest.mark.parametrize("text", ["cpu 0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0\n", "", "intr 1\n"])
def test_a_kernel_that_counts_nothing_has_measured_nothing(text: str) -> None:
    assert parse_processors(text) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [(MEMINFO, (6112, 24105)), (CONTAINER_MEMINFO, (2048, 8192)), (OLD_MEMINFO, None), ("", None)],
)
def test_memory_is_used_that_is_not_available(text: str, found: tuple[int, int] | None) -> None:
    assert parse_memory(text) == found


def test_paths_to_a_drive_count_once_at_the_drive() -> None:
    disks = parse_disks(DISKS)

    assert disks["sda"] == (20000 * 512, 30000 * 512)
    assert disks["nvme0n1"] == (800 * 512, 1000 * 512)
    assert parse_disks(DISKS.replace("nvme0n1 0 0 0 0 0 0 0", "nvme0n1 80 0 801 0 100 0 1001"))[
        "nvme0n1"
    ] == (801 * 512, 1001 * 512)


def test_interfaces_are_read_whatever_their_name() -> None:
    found = parse_interfaces(NETWORK)

    assert found["ens1f1"] == (20000, 2000)
    assert found["veth69@if2"] == (500, 184419)


def test_only_devices_of_the_host_are_added_up(host: Path) -> None:
    found = a_reader(host).read()

    assert (found.read_bytes, found.written_bytes) == (20800 * 512, 31000 * 512)
    assert (found.rx_bytes, found.tx_bytes) == (30400, 3300)
    assert (found.cpus, found.memory_used_mib, found.memory_mib) == (2, 6112, 24105)


@pytest.mark.parametrize("name", ["stat", "meminfo", "diskstats", "net/dev"])
@pytest.mark.parametrize("text", [None, "cpu what\nMemTotal: a\nMemAvailable: b\n"])
def test_what_cannot_be_read_is_a_gap_and_hides_nothing_else(
    host: Path, name: str, text: str | None
) -> None:
    whole, path = a_reader(host).read(), host / "proc" / name
    path.unlink()
    if text is not None:
        path.write_text(text)

    found = a_reader(host).read()

    empty = {field for field in HostSample.model_fields if getattr(found, field) is None}
    assert (
        empty - {"disk_used_mib", "disk_mib"}
        == {
            "stat": {"cpus", "cpu_ms"},
            "meminfo": {"memory_used_mib", "memory_mib"},
            "diskstats": {"read_bytes", "written_bytes"},
            "net/dev": {"rx_bytes", "tx_bytes"},
        }[name]
    )
    assert found == whole.model_copy(update=dict.fromkeys(empty))


def test_a_host_without_devices_of_its_own_is_a_gap(host: Path) -> None:
    reader = HostReader(host / "proc", host / "elsewhere")

    assert (reader.read().read_bytes, reader.read().rx_bytes) == (None, None)


def test_a_disk_that_is_plugged_in_counts_from_then_on(host: Path) -> None:
    reader, path = a_reader(host), host / "proc/diskstats"
    before = reader.read().read_bytes or 0
    (host / "sys/block/sdb/device").mkdir(parents=True)
    line = "   8      16 sdb 1 0 {} 1 1 0 0 1 0 1 1\n"
    path.write_text(DISKS + line.format(5000))
    assert reader.read().read_bytes == before
    path.write_text(DISKS + line.format(5010))
    assert reader.read().read_bytes == before + 10 * 512
    path.write_text(DISKS)
    assert reader.read().read_bytes == before + 10 * 512


def test_a_counter_that_wraps_or_begins_anew_is_no_jump() -> None:
    sums = RisingSums()

    found = [sums.add({"a": (count, 0), "b": (7, 7)}) for count in (4_294_967_290, 10, 30)]

    assert found == [(4_294_967_297, 7), (4_294_967_297, 7), (4_294_967_317, 7)]


def test_sums_stay_what_a_message_can_hold() -> None:
    sums = RisingSums()

    assert sums.add({"a": (COUNT_MAX, 1), "b": (5, 2)}) == (4, 3)


async def test_the_loop_goes_on_while_the_kernel_is_slow(host: Path) -> None:
    path = host / "proc/stat"
    path.unlink()
    os.mkfifo(path)

    measured, _ = await asyncio.gather(
        a_reader(host).measure(), asyncio.to_thread(path.write_text, STAT)
    )

    assert measured is not None
    assert measured.cpus == 2


class Disk:
    """Finds a disk of which a quarter is free."""

    async def inspect(self) -> InspectionFindings:
        return InspectionFindings(disk_mib=4000, disk_free_mib=1000)


async def test_a_reading_has_the_host_with_its_disk_space(host: Path) -> None:
    sampler = NodeSampler(
        StaticNodeFacts(1000, 1024, "x"),
        FakeRuntime(FakeContainerHost()),
        SimulatedDriver("n", []),
        FakeClock(),
        checks=SamplerChecks(inspections=(Disk(),), measure_host=a_reader(host).measure),
    )

    reading = await sampler.sample(())

    assert reading.host is not None
    assert (reading.host.disk_used_mib, reading.host.disk_mib) == (3000, 4000)
    assert reading.host.cpus == 2
