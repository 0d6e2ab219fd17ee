"""Networks of gangs: created by the first rank that starts, removed with the last."""

import asyncio
from typing import Any, Final

import structlog
from docker.errors import APIError, NotFound

from nodeagent.core.state import ContainerKey
from nodeagent.docker.engine.client import WORK_S, DockerEngine
from nodeagent.docker.network.gangs import (
    LABEL,
    GangSettings,
    gang_network,
    gang_network_name,
    gang_network_options,
)
from nodeagent.ports import ContainerOrder, RuntimeUnavailableError

log = structlog.get_logger()

CONFLICT: Final = 409
APPEAR_TRIES: Final = 20
APPEAR_S: Final = 0.1
UNUSED_AFTER: Final = "10m"
"""A network without containers may be one whose first rank is just being created."""


class GangNetworks:
    """The networks of gangs in one engine; nodes that share it may do this concurrently."""

    def __init__(self, engine: DockerEngine, settings: GangSettings, prefix: str) -> None:
        """`prefix` begins the names of their bridges, which the egress rules match."""
        self._prefix = prefix
        self._engine = engine
        self._settings = settings

    async def ensure(self, order: ContainerOrder) -> None:
        """Create the network of a container if it is missing; raises the engine's `APIError`."""
        gang = gang_network(self._settings, order)
        if gang is None or not gang.is_own:
            return
        try:
            await self._engine.call(lambda: self._create(gang.network), WORK_S)
        except APIError:
            if not await self._appears(gang.network):
                raise

    async def remove_if_unused(self, key: ContainerKey) -> None:
        """Remove the network of an attempt unless another rank is on it; a missing one is no error."""
        name = gang_network_name(key)
        try:
            await self._engine.call(
                lambda: self._engine.slow_client.api.remove_network(name), WORK_S
            )
        except NotFound:
            return
        except (APIError, RuntimeUnavailableError) as error:
            log.info("gang.network_kept", network=name, error=str(error))

    async def prune(self) -> None:
        """Remove networks that agents have left behind because they were killed."""
        filters = {"label": LABEL, "until": UNUSED_AFTER}
        try:
            await self._engine.call(
                lambda: self._engine.slow_client.networks.prune(filters), WORK_S
            )
        except (APIError, RuntimeUnavailableError) as error:
            log.warning("gang.prune_failed", error=str(error))

    async def _appears(self, name: str) -> bool:
        """Wait for a network that another node creates: its bridge is taken before it can be seen."""
        for _ in range(APPEAR_TRIES):
            if await self._engine.call(lambda: self._list_named(name), WORK_S):
                return True
            await asyncio.sleep(APPEAR_S)
        return False

    def _create(self, name: str) -> None:
        """Create a network unless it exists; of two created at once, the older one stays."""
        networks = self._engine.slow_client.networks
        if self._list_named(name):
            return
        try:
            made = networks.create(name, **gang_network_options(name, self._prefix))
        except APIError as error:
            if error.status_code == CONFLICT:
                return
            raise
        oldest, *_ = self._list_named(name)
        if oldest["Id"] != made.id:
            made.remove()

    def _list_named(self, name: str) -> list[dict[str, Any]]:
        """Return the networks of exactly this name, oldest first; the engine matches parts."""
        rows: list[dict[str, Any]] = self._engine.slow_client.api.networks(names=[name])
        found = [row for row in rows if row["Name"] == name]
        return sorted(found, key=lambda row: (row["Created"], row["Id"]))
