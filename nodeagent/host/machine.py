"""Which machine this is, across its boots.

A new boot of the same machine proves that nothing of the earlier boot runs; a new boot of another
machine with the same node key proves nothing.
"""

import hashlib
from pathlib import Path
from typing import Final

PRODUCT_UUID: Final = Path("/sys/class/dmi/id/product_uuid")
"""Of the board, or of the virtual machine; only root may read it."""
OS_MACHINE_ID: Final = Path("/etc/machine-id")
"""Of the installed system: copied with its disk, so it is the second choice."""


def read_machine_id(product: Path = PRODUCT_UUID, installed: Path = OS_MACHINE_ID) -> str:
    """Return the machine as `<source>:<digest>`; empty if neither source can be read.

    The digest tells nothing about the machine to other programs that use the same ids.
    """
    for source, path in (("dmi", product), ("os", installed)):
        if text := _read_line(path):
            digest = hashlib.sha256(f"berth machine {text}".encode()).hexdigest()
            return f"{source}:{digest[:32]}"
    return ""


def _read_line(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip().lower()
    except (OSError, UnicodeDecodeError):
        return ""
