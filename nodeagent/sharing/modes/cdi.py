"""The engine's description of NVIDIA's cards (CDI), which must name a partition that was just made.

Whoever installs the toolkit has the file written at boot (`nvidia-cdi-refresh`) or by hand; neither
sees that a card was cut anew. Where there is no such file, the toolkit's own runtime looks at the
cards with each start, and nothing is to be described. What cannot be described is left to the engine:
it says `cdi_stale` where it needs the file, and the work is queued again.
Source: NVIDIA, Support for Container Device Interface, toolkit 1.18 and later.
"""

import asyncio
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

import structlog

from nodeagent.host.commands import CommandRunner

log = structlog.get_logger()

FOLDERS: Final = (Path("/etc/cdi"), Path("/var/run/cdi"))
"""As engines read them: what the later one says wins."""
KINDS: Final = frozenset({".yaml", ".json"})
GENERATE_S: Final = 30.0


class CdiFile:
    """Keeps the description up to date; one change at a time."""

    def __init__(self, commands: CommandRunner, folders: Sequence[Path] = FOLDERS) -> None:
        self._commands = commands
        self._folders = tuple(folders)
        self._lock = asyncio.Lock()

    async def ensure_described(self, uuids: Collection[str]) -> None:
        """Have the engine know these partitions, if it goes by a description at all."""
        async with self._lock:
            missing = await asyncio.to_thread(self._missing, uuids)
            if missing is None:
                return
            path, names = missing
            made = await self._commands.run(
                ("nvidia-ctk", "cdi", "generate", f"--output={path}"), within_s=GENERATE_S
            )
            if made.is_success:
                log.info("cdi.described", path=str(path), devices=names)
            else:
                log.warning("cdi.not_described", path=str(path), error=made.last_line)

    def _missing(self, uuids: Collection[str]) -> tuple[Path, list[str]] | None:
        """Return the file to write and what no file names; None when nothing is to be done."""
        files = [
            path
            for folder in self._folders
            for path in sorted(folder.glob("nvidia*"))
            if path.suffix in KINDS
        ]
        if not files:
            return None
        try:
            said = "".join(path.read_text(encoding="utf-8") for path in files)
        except OSError:
            said = ""
        names = sorted(uuid for uuid in uuids if uuid not in said)
        return (files[-1], names) if names else None
