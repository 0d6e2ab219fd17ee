"""The environment of a process with a clock of its own."""

from pathlib import Path
from typing import Final

from tests.fakes.c_library import build_library

SONAME: Final = "libskewed.so"


def clock_ahead(hours: int) -> dict[str, str]:
    """Return the environment of a process whose host is ahead of the time by so much."""
    library = build_library(Path(__file__).parent, SONAME)
    return {"LD_PRELOAD": str(library), "BERTH_TEST_CLOCK_AHEAD_S": str(hours * 3600)}
