"""Finds the container of a process by its cgroup, whose path contains the container's id."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from docker.errors import APIError

from nodeagent.core.state import ContainerKey
from nodeagent.docker.containers.container_spec import LABEL_NODE
from nodeagent.docker.containers.node_containers import parse_key
from nodeagent.docker.engine.client import DockerEngine
from nodeagent.ports import RuntimeUnavailableError

CONTAINER_ID: Final = re.compile(r"[0-9a-f]{64}")


class DockerOwnerLookup:
    """The `OwnerLookup` port over /proc and one engine."""

    def __init__(self, engine: DockerEngine, node: str) -> None:
        self._engine = engine
        self._filters = {"label": f"{LABEL_NODE}={node}"}
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
                lambda: self._engine.quick_client.api.containers(filters=self._filters)
            )
        except APIError as error:
            raise RuntimeUnavailableError(str(error)) from error
        self._keys = {
            row["Id"]: key for row in rows if (key := parse_key(row["Labels"])) is not None
        }


def _container_ids(pid: int) -> frozenset[str]:
    """Return what may be a container's id in the path of a process's cgroup."""
    try:
        text = Path(f"/proc/{pid}/cgroup").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return frozenset()
    return frozenset(CONTAINER_ID.findall(text))
