"""The file of fence commands, which only the operator of the server can write.

```toml
[pools.training]
command = ["ipmitool", "-H", "{node}-bmc", "-U", "fence", "-f", "/etc/berth/bmc", "power", "off"]
timeout_s = 60

[nodes.gpu-07]
command = ["/usr/local/sbin/fence-gpu-07"]
```
"""

import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from portal.common.site_config import FenceCommand, FenceCommands

TIMEOUT_S_MAX = 80
"""Longest run of one fence command: shorter than what a task may take."""
AFTER_S = (60, 7 * 24 * 3600)
"""Least and most seconds of silence before a fence command is run."""
ATTEMPTS_MAX = 10
"""How often a fence command may be run during one silence."""
ARGUMENTS_MAX = 64
"""Arguments of a fence command."""

Argument = Annotated[str, StringConstraints(min_length=1, max_length=1000)]


class _Entry(BaseModel):
    """One command."""

    model_config = ConfigDict(extra="forbid")

    command: Annotated[tuple[Argument, ...], Field(min_length=1, max_length=ARGUMENTS_MAX)]
    timeout_s: Annotated[float, Field(ge=1, le=TIMEOUT_S_MAX)] = 60
    after_s: Annotated[float, Field(ge=AFTER_S[0], le=AFTER_S[1])] = 300
    attempts_max: Annotated[int, Field(ge=1, le=ATTEMPTS_MAX)] = 3

    def as_command(self) -> FenceCommand:
        """Return it as the fencing task takes it."""
        return FenceCommand(self.command, self.timeout_s, self.after_s, self.attempts_max)


class _File(BaseModel):
    """All commands."""

    model_config = ConfigDict(extra="forbid")

    nodes: dict[str, _Entry] = {}
    pools: dict[str, _Entry] = {}


def read_fence_file(path: Path | None) -> FenceCommands:
    """Return the commands in a file; raises `ValueError` or `OSError` where it is wrong."""
    if path is None:
        return FenceCommands()
    found = _File.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    return FenceCommands(
        {name: entry.as_command() for name, entry in found.nodes.items()},
        {name: entry.as_command() for name, entry in found.pools.items()},
    )
