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
_LAYOUT: Final = struct.Struct("=8q")


def clock_ahead(hours: int) -> dict[str, str]:
    """Return the environment of a process whose host is ahead of the time by so much."""
    library = build_library(Path(__file__).parent, SONAME)
    return {"LD_PRELOAD": str(library), "BERTH_TEST_CLOCK_AHEAD_S": str(hours * 3600)}


def fast_environment(pace: Path) -> dict[str, str]:
    """Return the environment of processes that go by the pace in a file, and make the file."""
    pace.write_bytes(bytes(8 + _LAYOUT.size))
    pace.chmod(0o644)
    # Beside the pace, because PostgreSQL runs as a user who may not read the folder of builds.
    library = Path(shutil.copy(build_library(Path(__file__).parent, SONAME), pace.parent))
    library.chmod(0o755)
    return {"LD_PRELOAD": str(library), "BERTH_TEST_PACE": str(pace)}


def quicken(pace: Path, speed: int) -> None:
    """Let time go so many times as fast from now on, in all processes that go by this file."""
    since = [0] * 8
    for clock in _CLOCKS:
        since[clock] = time.clock_gettime_ns(clock)
    with pace.open("r+b", buffering=0) as file:
        file.seek(8)
        file.write(_LAYOUT.pack(*since))
        file.seek(0)
        file.write(struct.pack("=q", speed))
