"""Reads what the whole host uses: processors, memory, disks, network. What cannot be read is a gap.

Disks and interfaces count only as far as they are devices of the host: what is built on top of them
(partitions, loops, volumes, bonds, bridges) would be counted twice.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, TypeVar

from nodeagent.host.procfs import KIB, MIB, PROC, TICKS_PER_S
from nodeagent.host.threads import run_in_shared_thread
from wire.samples import HostSample
from wire.values import COUNT_MAX

SYS: Final = Path("/sys")
READ_TIMEOUT_S: Final = 3.0
SECTOR: Final = 512
"""Bytes that the kernel counts by, whatever the sectors of a disk."""
IDLE: Final = slice(3, 5)
"""`idle` and `iowait` among the times of a processor."""
TIMES: Final = 8
"""Times of a processor, without those of guests, which `user` and `nice` have already."""
NVME_PATH: Final = re.compile(r"(nvme\d+)c\d+(n\d+)")
"""One of the paths to a drive; newer kernels count at the drive, too."""

Pair = tuple[int, int]
"""Bytes in and bytes out."""
T = TypeVar("T")


def parse_processors(text: str) -> Pair | None:
    """Return the busy milliseconds of all processors since boot, and their number, of `/proc/stat`.

    None if it counts nothing at all, as in a sandbox.
    """
    times: list[int] = []
    cpus = 0
    for line in text.splitlines():
        if not line.startswith("cpu"):
            break
        name, *values = line.split()
        if name == "cpu":
            times = [int(value) for value in values[:TIMES]]
        else:
            cpus += 1
    busy = sum(times) - sum(times[IDLE])
    return (busy * 1000 // TICKS_PER_S, cpus) if sum(times) and cpus else None


def parse_memory(text: str) -> Pair | None:
    """Return the MiB of `/proc/meminfo` that are used and that there are; None if it does not say."""
    kib: dict[str, int] = {}
    for line in text.splitlines():
        name, _, amount = line.partition(":")
        if name in ("MemTotal", "MemAvailable"):
            kib[name] = int(amount.split()[0])
    if len(kib) < 2:
        return None
    total = kib["MemTotal"]
    return max(0, total - kib["MemAvailable"]) * KIB // MIB, total * KIB // MIB


def parse_disks(text: str) -> dict[str, Pair]:
    """Return the bytes that were read from and written to each block device of `/proc/diskstats`."""
    disks: dict[str, Pair] = {}
    paths: dict[str, Pair] = {}
    for fields in map(str.split, text.splitlines()):
        name, counted = fields[2], (int(fields[5]) * SECTOR, int(fields[9]) * SECTOR)
        if path := NVME_PATH.fullmatch(name):
            drive = path[1] + path[2]
            paths[drive] = _added(paths.get(drive, (0, 0)), counted)
        else:
            disks[name] = counted
    for drive, (read, written) in paths.items():
        own = disks.get(drive, (0, 0))
        disks[drive] = max(own[0], read), max(own[1], written)
    return disks


def parse_interfaces(text: str) -> dict[str, Pair]:
    """Return the bytes that each interface of `/proc/net/dev` has received and sent."""
    found: dict[str, Pair] = {}
    for line in text.splitlines()[2:]:
        name, _, counters = line.partition(":")
        fields = counters.split()
        found[name.strip()] = int(fields[0]), int(fields[8])
    return found


def find_disks(names: Iterable[str], sys: Path) -> frozenset[str]:
    """Return which of these are whole disks of the host."""
    return frozenset(name for name in names if (sys / "block" / name / "device").exists())


def find_interfaces(names: Iterable[str], sys: Path) -> frozenset[str]:
    """Return which of these are interfaces of the host itself.

    One that serves another device is left out: a virtual machine's fast path, whose traffic the other
    counts as well. One that serves a bond or a bridge counts.
    """
    net = sys / "class" / "net"
    return frozenset(
        name
        for name in names
        if (net / name / "device").exists() and not (net / name / "master" / "device").exists()
    )


class RisingSums:
    """The sums of what some devices count; a device that comes, goes or begins again is no jump."""

    def __init__(self) -> None:
        self._last: dict[str, Pair] = {}
        self._sums: Pair | None = None

    def add(self, counted: Mapping[str, Pair]) -> Pair | None:
        """Take what they have counted by now; return the sums, or None if there is no device."""
        if not counted:
            return None
        rises: Iterable[Pair] = counted.values()
        if self._sums is not None:
            rises = [_rise(self._last.get(name, now), now) for name, now in counted.items()]
        for rise in rises:
            self._sums = _added(self._sums or (0, 0), rise)
        self._last = dict(counted)
        return self._sums


class HostReader:
    """Measures the host; it keeps what its devices have counted, so that there is one of it."""

    def __init__(self, proc: Path = PROC, sys: Path = SYS) -> None:
        """Read these file systems, which tests replace."""
        self._proc, self._sys = proc, sys
        self._disks, self._interfaces = RisingSums(), RisingSums()
        self._devices: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    async def measure(self) -> HostSample | None:
        """Read once, in a thread: on a host of many processors the kernel takes milliseconds."""
        try:
            async with asyncio.timeout(READ_TIMEOUT_S):
                return await run_in_shared_thread(self.read, f"host {self._proc}")
        except OSError:  # includes `TimeoutError`
            return None

    def read(self) -> HostSample:
        """Read once; what is missing or in another form than expected stays empty."""
        cpu_ms, cpus = self._parsed("stat", parse_processors) or (None, None)
        used_mib, memory_mib = self._parsed("meminfo", parse_memory) or (None, None)
        disks = self._counted("diskstats", parse_disks, find_disks)
        interfaces = self._counted("net/dev", parse_interfaces, find_interfaces)
        read, written = self._disks.add(disks) or (None, None)
        received, sent = self._interfaces.add(interfaces) or (None, None)
        return HostSample(
            cpus=cpus,
            cpu_ms=cpu_ms,
            memory_used_mib=used_mib,
            memory_mib=memory_mib,
            read_bytes=read,
            written_bytes=written,
            rx_bytes=received,
            tx_bytes=sent,
        )

    def _parsed(self, name: str, parse: Callable[[str], T]) -> T | None:
        try:
            return parse((self._proc / name).read_text(encoding="utf-8", errors="replace"))
        except (OSError, ValueError, IndexError):
            return None

    def _counted(
        self,
        name: str,
        parse: Callable[[str], dict[str, Pair]],
        find: Callable[[Iterable[str], Path], frozenset[str]],
    ) -> dict[str, Pair]:
        """Return what the host's own devices count; which these are is looked up when others come."""
        counted = self._parsed(name, parse) or {}
        names = frozenset(counted)
        if names != self._devices.get(name, (None, None))[0]:
            self._devices[name] = names, find(names, self._sys)
        return {device: counted[device] for device in self._devices[name][1]}


def _added(one: Pair, other: Pair) -> Pair:
    """Return the sums, which begin again above the largest count that a message holds."""
    return (one[0] + other[0]) % (COUNT_MAX + 1), (one[1] + other[1]) % (COUNT_MAX + 1)


def _rise(before: Pair, now: Pair) -> Pair:
    return max(0, now[0] - before[0]), max(0, now[1] - before[1])
