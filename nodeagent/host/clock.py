"""The system clocks. Decisions use the boot clock, which cannot be set."""

import time
from pathlib import Path
from typing import Final

BOOT_ID_FILE: Final = Path("/proc/sys/kernel/random/boot_id")


class SystemClock:
    """The `Clock` port over the system's clocks."""

    def now_ms(self) -> int:
        """Return milliseconds since boot, including time in suspend."""
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000

    def wall_ms(self) -> int:
        """Return UTC in milliseconds; for reports only."""
        return time.time_ns() // 1_000_000


def read_boot_id() -> str:
    """Return the kernel's ID of the current boot."""
    return BOOT_ID_FILE.read_text(encoding="ascii").strip()
