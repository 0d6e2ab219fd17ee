"""The environment of processes whose clock is ahead, or goes faster by what a file says."""

import shutil
import struct
import time
from pathlib import Path
from typing import Final

from tests.fakes.c_library import build_library

SONAME: Final = "libclock.so"
_CLOCKS: Final = (time.CLOCK_REALTIME, time.CLOCK_MONOTONIC, 5, 6, time.CLOCK_BOOTTIME)
"""By the numbers of Linux; the coarse ones of the first two are 5 and 6."""
_PACE: Final = struct.Struct("=17q")
"""A speed, and of each clock what it was and what programs saw when the speed began."""


def clock_ahead(hours: int) -> dict[str, str]:
    """Return the environment of a process whose host is ahead of the time by so much."""
    library = build_library(Path(__file__).parent, SONAME)
    return {"LD_PRELOAD": str(library), "BERTH_TEST_CLOCK_AHEAD_S": str(hours * 3600)}


def fast_environment(pace: Path) -> dict[str, str]:
    """Return the environment of processes that go by the pace in a file, and make the file."""
    pace.write_bytes(bytes(8 + 2 * _PACE.size))
    pace.chmod(0o644)
    # Beside the pace, because PostgreSQL runs as a user who may not read the folder of builds.
    library = Path(shutil.copy(build_library(Path(__file__).parent, SONAME), pace.parent))
    library.chmod(0o755)
    return {"LD_PRELOAD": str(library), "BERTH_TEST_PACE": str(pace)}


def quicken(pace: Path, speed: int) -> None:
    """Let time go so many times as fast from now on, in all processes that go by this file; it may change later."""
    with pace.open("r+b", buffering=0) as file:
        (current,) = struct.unpack("=q", file.read(8))
        file.seek(8 + current * _PACE.size)
        before, *since = _PACE.unpack(file.read(_PACE.size))
        real, shown = [0] * 8, [0] * 8
        for clock in _CLOCKS:
            shown[clock] = time.clock_gettime_ns(clock)
            real[clock] = since[clock] + (shown[clock] - since[8 + clock]) // (before or 1)
        file.seek(8 + (1 - current) * _PACE.size)
        file.write(_PACE.pack(speed, *real, *shown))
        file.seek(0)
        file.write(struct.pack("=q", 1 - current))
