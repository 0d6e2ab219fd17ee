"""The folder with one container's secrets: its names, its variables, its removal.

Standard library only: the shim imports this.
"""

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ENV_FILE: Final = ".env"
"""Variables, as lines that a shell reads; the names of secrets that are files begin otherwise."""


def render_variables(variables: Mapping[str, str]) -> str:
    """Return variables as lines that a shell, or `read_variables`, reads."""
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in variables.items())


def read_variables(folder: str) -> dict[str, str]:
    """Return the variables in a folder of secrets; none where there is no folder or no such file."""
    try:
        text = (Path(folder) / ENV_FILE).read_text(encoding="utf-8") if folder else ""
    except FileNotFoundError:
        return {}
    pairs = (assignment.partition("=") for assignment in shlex.split(text))
    return {name: value for name, _, value in pairs}


def remove_folder(folder: Path) -> None:
    """Remove a folder of secrets, if it is there."""
    if folder.is_dir():
        folder.chmod(0o700)
        shutil.rmtree(folder)
