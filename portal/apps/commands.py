"""The command of a web app as the script that its container runs; pure.

An app listens on the loopback interface of its container, at the port that the gateway connects to.
"""

import re
import shlex
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

PORT: Final = "{port}"
"""In a command: the port on which it must listen, at 127.0.0.1."""
PROGRAM_MISSING: Final = 127
"""Exit code where the image has no such program, as shells have it."""


class ServedAt(StrEnum):
    """Where the gateway serves a web app, and which paths the app sees."""

    PATH = "path"
    """Below a path of the apps origin, which is removed: the app sees paths from its root."""
    BASE_PATH = "base_path"
    """Below a path of the apps origin, which the app knows by `{base_path}` and sees, too."""
    HOST = "host"
    """At the root of a host name of its own."""


_PLACEHOLDERS: Final = re.compile(r"(\{folder\}|\{port\}|\{base_path\})")
_VARIABLES: Final = {"{folder}": '"$folder"', PORT: '"$port"', "{base_path}": '"$base_path"'}
"""The folder that it shows, its port, and the path of its address without a slash at the end: empty on a host of its own."""
_SCRIPT: Final = """#!/bin/sh
if ! command -v {program} > /dev/null 2>&1; then
  echo "berth: this image has no "{program} >&2
  exit {missing}
fi
folder={folder}
port={port}
base_path={base_path}
{last}"""


def render_script(command: Sequence[str], *, folder: str, port: int, base_path: str) -> str:
    """Return the script that runs an app; folder and path are expressions of the shell."""
    return _SCRIPT.format(
        program=shlex.quote(command[0]),
        missing=PROGRAM_MISSING,
        folder=folder,
        port=port,
        base_path=base_path,
        last=_last_line(command),
    )


def is_script_of(script: str, command: Sequence[str]) -> bool:
    """Return whether a script runs this command, on whatever folder and port."""
    return script.endswith(f"\n{_last_line(command)}")


def _last_line(command: Sequence[str]) -> str:
    return f"exec {' '.join(map(_quote, command))}\n"


def _quote(argument: str) -> str:
    """Return one argument for the shell, with variables in the place of its placeholders."""
    parts = _PLACEHOLDERS.split(argument)
    return "".join(_VARIABLES.get(part) or shlex.quote(part) for part in parts if part) or "''"
