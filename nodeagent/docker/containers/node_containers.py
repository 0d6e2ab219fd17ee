"""Calls about this node's containers in one engine, by key instead of by name."""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from docker.errors import APIError, NotFound

from nodeagent.core.state import ContainerKey
from nodeagent.docker.containers.container_spec import container_name
from nodeagent.docker.containers.ownership import NodeOwner
from nodeagent.docker.engine.client import WORK_S, DockerEngine
from nodeagent.host.clock import SystemClock
from nodeagent.ports import RuntimeUnavailableError

STOP_MARGIN_S: Final = 10
"""What the engine may need beyond the grace, to kill and to answer."""


class NodeContainers:
    """Containers with the labels of one node; all others are invisible here."""

    def __init__(
        self, engine: DockerEngine, node: str, node_id: str = "", root: Path | None = None
    ) -> None:
        """Containers without an id of their node are this node's by their directories in `root`."""
        self.engine = engine
        self._node = node
        self._owner = NodeOwner(node, node_id, root)
        self._listing: Mapping[ContainerKey, str] = {}
        self._listed_at = 0
        self._listing_lock = asyncio.Lock()
        self._ids: dict[ContainerKey, str] = {}

    @property
    def label_filter(self) -> dict[str, str]:
        """The filter by which the engine finds them."""
        return self._owner.label_filter

    def engine_name(self, key: ContainerKey) -> str:
        """Return the engine's id for an attempt, which survives a rename; its name until known."""
        return self._ids.get(key, container_name(self._node, key))

    async def list_states(self) -> dict[ContainerKey, str]:
        """Return the engine's state of every container.

        An engine that answers with an error has not reported that they are gone.
        """
        try:
            rows: list[dict[str, Any]] = await self.engine.call(
                lambda: self.engine.quick_client.api.containers(all=True, filters=self.label_filter)
            )
        except APIError as error:
            raise RuntimeUnavailableError(str(error)) from error
        found = {
            key: row for row in rows if (key := self._owner.find_key(row["Labels"])) is not None
        }
        self._ids = {key: row["Id"] for key, row in found.items()}
        return {key: row["State"] for key, row in found.items()}

    async def list_states_since(self, since: int) -> Mapping[ContainerKey, str]:
        """Return a listing requested at `since` (ms since boot) or later; concurrent calls share."""
        async with self._listing_lock:
            if self._listed_at < since:
                asked_at = SystemClock().now_ms()
                self._listing = await self.list_states()
                self._listed_at = asked_at
            return self._listing

    async def inspect(self, key: ContainerKey) -> dict[str, Any] | None:
        """Return the engine's description; None when there is no such container."""
        name = self.engine_name(key)
        try:
            found: dict[str, Any] = await self.engine.call(
                lambda: self.engine.quick_client.api.inspect_container(name)
            )
        except NotFound:
            return None
        except APIError as error:
            raise RuntimeUnavailableError(str(error)) from error
        return found

    async def create(self, options: Mapping[str, Any]) -> None:
        """Create a container; raises the engine's `APIError`."""
        await self.engine.call(lambda: self.engine.slow_client.containers.create(**options), WORK_S)

    async def has_file(self, key: ContainerKey, path: str) -> bool:
        """Return whether a container that was created has a file; raises the engine's `APIError`."""
        name = self.engine_name(key)

        def look() -> bool:
            api = self.engine.quick_client.api
            url = f"{api.base_url}/v{api.api_version}/containers/{name}/archive"
            answer = api.head(url, params={"path": path}, timeout=api.timeout)
            if answer.status_code not in (HTTPStatus.OK, HTTPStatus.NOT_FOUND):
                raise APIError(f"archive: {answer.status_code}", answer)
            return answer.status_code == HTTPStatus.OK

        return bool(await self.engine.call(look))

    async def start(self, key: ContainerKey) -> None:
        """Start what was created; raises the engine's `APIError`."""
        name = self.engine_name(key)
        await self.engine.call(lambda: self.engine.slow_client.api.start(name), WORK_S)

    async def send_signal(self, key: ContainerKey, name: str) -> None:
        """Send a signal to the main process through its init; a missing container is no error."""
        try:
            await self.engine.call(
                lambda: self.engine.quick_client.api.kill(self.engine_name(key), name)
            )
        except APIError as error:
            raise RuntimeUnavailableError(str(error)) from error

    async def stop(self, key: ContainerKey, grace_s: int) -> None:
        """Stop a container and wait for its end, SIGKILL after the grace; a missing one has ended."""
        name = self.engine_name(key)
        try:
            # The SDK adds the grace to this client's time-out. A longer one would leave a thread
            # behind with each try, while a container that cannot be killed is stopped again and
            # again.
            await self.engine.call_long(
                lambda: self.engine.quick_client.api.stop(name, timeout=grace_s),
                grace_s + STOP_MARGIN_S,
            )
        except NotFound:
            return
        except APIError as error:
            raise RuntimeUnavailableError(str(error)) from error

    async def delete(self, key: ContainerKey) -> None:
        """Remove a container in any state; a missing one is no error."""
        name = self.engine_name(key)
        try:
            await self.engine.call(
                lambda: self.engine.slow_client.api.remove_container(name, v=True, force=True),
                WORK_S,
            )
        except NotFound:
            return
        except APIError as error:
            raise RuntimeUnavailableError(str(error)) from error
