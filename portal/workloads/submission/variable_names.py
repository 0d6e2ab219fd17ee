"""Names of environment variables that submissions may set, by value or by secret; pure."""

import re
from collections.abc import Iterable
from typing import Final

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_RESERVED_PREFIXES: Final = ("BERTH_", "CUDA_VISIBLE", "NVIDIA_", "LD_", "DOCKER_", "JUPYTER")
_RESERVED_NAMES: Final = frozenset(
    {
        *("PATH", "HOME", "USER", "SHELL", "PYTHONPATH", "PYTHONHOME"),
        *("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"),
    }
)


def find_reserved_names(names: Iterable[str]) -> list[str]:
    """Return the names that the platform sets, or that would change how it runs the work."""
    return sorted(
        name
        for name in names
        if name.upper() in _RESERVED_NAMES or name.upper().startswith(_RESERVED_PREFIXES)
    )


def find_malformed_names(names: Iterable[str]) -> list[str]:
    """Return the names that are no valid variable names, shortened for display."""
    return sorted(name[:40] for name in names if not _NAME.fullmatch(name))
