"""Keeps what a container declares of its simulated cards; `nodeagent.gpu.declared_load` reads it as a curve."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

VARIABLE: Final = "SIMULATED_GPU"
"""Environment variable of a container, as its submission sets it."""
DECLARATION_MAX: Final = 200
"""Characters of a declaration."""
_FILE: Final = "simulated_gpu"


def keep_declared_load(container: Path, env: Mapping[str, str]) -> None:
    """Write the declaration into the container's directory, if there is one; raises `OSError`."""
    if text := env.get(VARIABLE, ""):
        (container / _FILE).write_text(text[:DECLARATION_MAX], encoding="utf-8")


def read_declared_load(container: Path) -> str:
    """Return the declaration of a container; empty without one."""
    try:
        return (container / _FILE).read_text(encoding="utf-8")
    except OSError:
        return ""
