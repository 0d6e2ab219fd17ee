"""Ending Docker containers all together, from outside the agent."""

import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import docker
import requests
import structlog
from docker.errors import APIError, DockerException

from nodeagent.clock import SystemClock
from nodeagent.core.state import Cause, Key
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.docker.container_spec import (
    LABEL_ALLOCATION,
    LABEL_EPOCH,
    LABEL_NODE,
    container_name,
)
from nodeagent.docker.engine import connect

log = structlog.get_logger()

ENGINE_ERRORS: Final = (APIError, DockerException, requests.RequestException, OSError)
CALL_S: Final = 60
UNKNOWN: Final = Key("unknown", 0)


@dataclass(frozen=True, slots=True)
class DockerFence:
    """The `Fence` port over one engine."""

    root: Path
    host: str
    node: str

    def stop_all(self, cause: Cause, grace_ms: int) -> int:
        """Stop every container of this node, all at once."""
        found = self._alive()
        for key in found:
            place = ContainerDir(self.root, key)
            if place.exists:
                place.order_stop(cause, SystemClock().now_ms() + grace_ms)
        self._each(found, lambda client, name: client.api.stop(name, timeout=grace_ms // 1000))
        return len(found)

    def kill_all(self) -> None:
        """Kill every container of this node."""
        self._each(self._alive(), lambda client, name: client.api.kill(name))

    def live(self) -> int:
        """Return how many containers run; an engine that is silent may well run some."""
        return len(self._alive())

    def _alive(self) -> list[Key]:
        """Return the running ones; while the engine is silent, one that stands for all."""
        try:
            with closing(connect(self.host, CALL_S)) as client:
                rows = client.api.containers(filters={"label": f"{LABEL_NODE}={self.node}"})
        except ENGINE_ERRORS as error:
            log.warning("engine.silent", error=str(error))
            return [UNKNOWN]
        return [
            Key(row["Labels"][LABEL_ALLOCATION], int(row["Labels"][LABEL_EPOCH])) for row in rows
        ]

    def _each(self, keys: list[Key], act: Callable[[docker.DockerClient, str], object]) -> None:
        """Act on every container at the same time: the graces must not add up."""

        def one(key: Key) -> None:
            try:
                with closing(connect(self.host, CALL_S)) as client:
                    act(client, container_name(self.node, key))
            except ENGINE_ERRORS as error:
                log.warning("fence.failed", allocation=key.allocation, error=str(error))

        threads = [threading.Thread(target=one, args=(key,), daemon=True) for key in keys]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(CALL_S)
