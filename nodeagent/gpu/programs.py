"""Which processes may be on a card without being in one of our containers."""

import os
from pathlib import Path
from typing import Final

SYSTEM: Final = frozenset(
    {"nvidia-cuda-mps", "nvidia-persiste", "nv-hostengine", "dcgm-exporter", "Xorg"}
)
"""As the kernel shortens them, to 15 characters. They count only when root runs them."""


def belongs_to_system(pid: int) -> bool:
    """Tell whether a process is this agent, or a service of the host's own."""
    if pid == os.getpid():
        return True
    place = Path("/proc") / str(pid)
    try:
        name = (place / "comm").read_text(encoding="utf-8", errors="replace").strip()
        return name in SYSTEM and place.stat().st_uid == 0
    except OSError:
        return False
