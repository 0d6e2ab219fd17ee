"""Networks of gangs: made by whichever rank comes first, gone with the last."""

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
UNUSED_AFTER: Final = "10m"
"""A network without containers may be one whose first rank is just being created."""


class GangNetworks:
    """The own networks of gangs in one engine; several nodes may share it, and take care of them."""

    def __init__(self, engine: DockerEngine, settings: GangSettings, prefix: str) -> None:
        """`prefix` begins the names of their bridges, by which the rules of egress know them."""
        self._prefix = prefix
        self._engine = engine
        self._settings = settings

    async def ensure(self, order: ContainerOrder) -> None:
        """Have the network there that a container is created on; raises the engine's `APIError`."""
        gang = gang_network(self._settings, order)
        if gang is not None and gang.is_own:
            await self._engine.call(lambda: self._create(gang.network), WORK_S)

    async def remove_if_unused(self, key: ContainerKey) -> None:
        """Remove the network of an attempt unless another rank is on it; none is nothing to do."""
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
        """Remove what agents have left behind that did not live to do it."""
        filters = {"label": LABEL, "until": UNUSED_AFTER}
        try:
            await self._engine.call(
                lambda: self._engine.slow_client.networks.prune(filters), WORK_S
            )
        except (APIError, RuntimeUnavailableError) as error:
            log.warning("gang.prune_failed", error=str(error))

    def _create(self, name: str) -> None:
        """Make a network unless it is there; of two made at once, the older one stays."""
        networks = self._engine.slow_client.networks
        if self._list_named(name):
            return
        try:
            made = networks.create(name, **gang_network_options(name, self._prefix))
        except APIError as error:
            if error.status_code == CONFLICT or self._list_named(name):
                return
            raise
        oldest, *_ = self._list_named(name)
        if oldest["Id"] != made.id:
            made.remove()

    def _list_named(self, name: str) -> list[dict[str, Any]]:
        """Return the networks of this very name, the oldest first; the engine's filter takes parts."""
        rows: list[dict[str, Any]] = self._engine.slow_client.api.networks(names=[name])
        found = [row for row in rows if row["Name"] == name]
        return sorted(found, key=lambda row: (row["Created"], row["Id"]))
