"""Reads the versions of what this node runs its containers with: an `Inspection`."""

import asyncio
import platform
import re
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

from nodeagent.docker.engine.client import DockerEngine
from nodeagent.docker.engine.min_versions import check_versions, version_faults
from nodeagent.host.clock import SystemClock
from nodeagent.ports import InspectionFindings

FRESH_MS: Final = 60_000
"""Versions change rarely, and reading them costs several calls."""
TOOL_S: Final = 3
DRIVER: Final = Path("/proc/driver/nvidia/version")
_MODULE: Final = re.compile(r"Kernel Module\D*?(?:for \S+\s+)?(\d+(?:\.\d+)+)")
_TOOLKIT: Final = re.compile(r"version:?\s+v?(\S+)")
_COMPONENTS: Final = {"Engine": "engine", "runc": "runc"}


class VersionInspection:
    """Versions of one node, and whether they are sufficient."""

    def __init__(self, engine: DockerEngine, accepted: Collection[str]) -> None:
        """`accepted` names the components that an operator accepts below their minimum version."""
        self._engine = engine
        self._accepted = frozenset(accepted)
        self._found = InspectionFindings()
        self._looked_at: int | None = None

    async def inspect(self) -> InspectionFindings:
        """Return versions and faults."""
        now = SystemClock().now_ms()
        if self._looked_at is None or now - self._looked_at > FRESH_MS:
            versions = {**parse_engine_versions(await self._engine.read_version())}
            versions.update(await asyncio.to_thread(read_host_versions))
            self._found = InspectionFindings(
                faults=version_faults(check_versions(versions), self._accepted),
                versions={name: texts[0][:200] for name, texts in versions.items() if texts},
            )
            self._looked_at = now
        return self._found


def parse_engine_versions(answer: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the engine's version and runc's; packages report theirs as a "commit"."""
    found: dict[str, tuple[str, ...]] = {}
    for part in answer.get("Components") or ():
        name = _COMPONENTS.get(part.get("Name", ""))
        if name is not None:
            texts = (part.get("Version"), (part.get("Details") or {}).get("GitCommit"))
            # A real commit may begin with digits: only a text with dots is a version.
            found[name] = tuple(str(text) for text in texts if text and "." in str(text))
    return found


def read_host_versions() -> dict[str, tuple[str, ...]]:
    """Return the versions of what the engine does not report; what is not installed is left out."""
    found = {"kernel": (platform.release(),), "toolkit": _toolkit(), "driver": _driver(DRIVER)}
    return {name: texts for name, texts in found.items() if texts}


def _toolkit() -> tuple[str, ...]:
    try:
        done = subprocess.run(
            ["nvidia-ctk", "--version"], capture_output=True, text=True, timeout=TOOL_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = _TOOLKIT.search(done.stdout)
    return (found[1],) if found else ()


def _driver(path: Path) -> tuple[str, ...]:
    try:
        found = _MODULE.search(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ()
    return (found[1],) if found else ()
