"""Finds the container of a process by its cgroup, whose path contains the container's id."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from docker.errors import APIError

from nodeagent.core.state import ContainerKey
from nodeagent.docker.containers.ownership import NodeOwner
from nodeagent.docker.engine.client import DockerEngine
from nodeagent.ports import RuntimeUnavailableError

CONTAINER_ID: Final = re.compile(r"[0-9a-f]{64}")


class DockerOwnerLookup:
    """The `OwnerLookup` port over /proc and one engine."""

    def __init__(
        self, engine: DockerEngine, node: str, node_id: str = "", root: Path | None = None
    ) -> None:
        """Containers without an id of their node are this node's by their directories in `root`."""
        self._engine = engine
        self._owner = NodeOwner(node, node_id, root)
        self._keys: dict[str, ContainerKey] = {}

    async def find_owners(self, pids: frozenset[int]) -> Mapping[int, ContainerKey]:
        """Return the container of each process that is in one of this node's."""
        if not pids:
            return {}
        ids = await asyncio.to_thread(lambda: {pid: _container_ids(pid) for pid in pids})
        if any(found and not found & self._keys.keys() for found in ids.values()):
            await self._refresh()
        return {
            pid: self._keys[one] for pid, found in ids.items() for one in found if one in self._keys
        }

    async def _refresh(self) -> None:
        """List the containers that exist now."""
        try:
            rows: list[dict[str, Any]] = await self._engine.call(
                lambda: self._engine.quick_client.api.containers(filters=self._owner.label_filter)
            )
        except APIError as error:
            raise RuntimeUnavailableError(str(error)) from error
        self._keys = {
            row["Id"]: key
            for row in rows
            if (key := self._owner.find_key(row["Labels"])) is not None
        }


def _container_ids(pid: int) -> frozenset[str]:
    """Return what may be a container's id in the path of a process's cgroup."""
    try:
        text = Path(f"/proc/{pid}/cgroup").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return frozenset()
    return frozenset(CONTAINER_ID.findall(text))
