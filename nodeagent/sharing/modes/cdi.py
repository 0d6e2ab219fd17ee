"""Updates the CDI specification of NVIDIA's cards, which must name newly created MIG instances.

The file is written at boot (`nvidia-cdi-refresh`) or by an administrator; neither notices a new MIG
instance. Without such a file, the toolkit's own runtime reads the cards at each start, and nothing
is to be done. If the update fails, the engine reports `cdi_stale` where it needs the file, and the
work is queued again. Source: NVIDIA, Support for Container Device Interface, toolkit 1.18 and
later.
"""

import asyncio
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

import structlog

from nodeagent.host.commands import CommandRunner

log = structlog.get_logger()

FOLDERS: Final = (Path("/etc/cdi"), Path("/var/run/cdi"))
"""In the order in which engines read them: the later one wins."""
KINDS: Final = frozenset({".yaml", ".json"})
GENERATE_S: Final = 30.0


class CdiFile:
    """Keeps the specification up to date; one update at a time."""

    def __init__(self, commands: CommandRunner, folders: Sequence[Path] = FOLDERS) -> None:
        self._commands = commands
        self._folders = tuple(folders)
        self._lock = asyncio.Lock()

    async def ensure_described(self, uuids: Collection[str]) -> None:
        """Make the engine know these MIG instances, if it uses a specification at all."""
        async with self._lock:
            missing = await asyncio.to_thread(self._find_missing, uuids)
            if missing is None:
                return
            path, names = missing
            result = await self._commands.run(
                ("nvidia-ctk", "cdi", "generate", f"--output={path}"), within_s=GENERATE_S
            )
            if result.is_success:
                log.info("cdi.described", path=str(path), devices=names)
            else:
                log.warning("cdi.not_described", path=str(path), error=result.last_line)

    def _find_missing(self, uuids: Collection[str]) -> tuple[Path, list[str]] | None:
        """Return the file to write and the missing names; None if nothing is to be done."""
        files = [
            path
            for folder in self._folders
            for path in sorted(folder.glob("nvidia*"))
            if path.suffix in KINDS
        ]
        if not files:
            return None
        try:
            text = "".join(path.read_text(encoding="utf-8") for path in files)
        except OSError:
            text = ""
        names = sorted(uuid for uuid in uuids if uuid not in text)
        return (files[-1], names) if names else None
