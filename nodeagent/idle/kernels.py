"""Which kernel a process belongs to: every kernel is started with a file of its name."""

import re
from pathlib import Path
from typing import Final

from nodeagent.cgroups import PROC

FILE: Final = re.compile(rb"kernel-([0-9a-f-]{36})\.json")
DEPTH_MAX: Final = 16


def kernel_of(pid: int, proc: Path = PROC) -> str | None:
    """Return the kernel that a process is or descends from; None when it is none of theirs."""
    for _ in range(DEPTH_MAX):
        if pid <= 1:
            return None
        try:
            found = FILE.search((proc / str(pid) / "cmdline").read_bytes())
            stat = (proc / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
        if found:
            return found[1].decode()
        pid = int(stat.rpartition(")")[2].split()[1])
    return None
