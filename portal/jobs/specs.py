"""What a job runs, checked: command or script, and an environment without reserved names."""

import re
from collections.abc import Mapping
from typing import Final

COMMAND_ITEMS_MAX: Final = 256
"""Arguments of a command."""
COMMAND_ITEM_MAX: Final = 8 * 1024
"""Bytes of one argument."""
COMMAND_BYTES_MAX: Final = 64 * 1024
"""Bytes of a command, all arguments together."""
SCRIPT_BYTES_MAX: Final = 64 * 1024
"""Bytes of a script."""
ENV_ENTRIES_MAX: Final = 120
"""Eight fewer than the node protocol takes: the platform adds its own."""
ENV_BYTES_MAX: Final = 128 * 1024
"""Bytes of all variables, names included."""

_ENV_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_RESERVED_PREFIXES: Final = ("BERTH_", "CUDA_VISIBLE", "NVIDIA_", "LD_", "DOCKER_", "JUPYTER")
_RESERVED_NAMES: Final = frozenset(
    {
        *("PATH", "HOME", "USER", "SHELL", "PYTHONPATH", "PYTHONHOME"),
        *("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"),
    }
)


def reserved_names(env: Mapping[str, str]) -> list[str]:
    """Return the names that the platform sets, or that would change how it runs the work."""
    return sorted(
        name
        for name in env
        if name.upper() in _RESERVED_NAMES or name.upper().startswith(_RESERVED_PREFIXES)
    )


def malformed_names(env: Mapping[str, str]) -> list[str]:
    """Return the names that no environment can hold, shortened for display."""
    return sorted(name[:40] for name in env if not _ENV_NAME.fullmatch(name))


def size_of(env: Mapping[str, str]) -> int:
    """Return the bytes of all names and values."""
    return sum(len(name.encode()) + len(value.encode()) for name, value in env.items())
