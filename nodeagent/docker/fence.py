"""Ending Docker containers all together, from outside the agent."""

import signal
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import docker
import structlog

from nodeagent.clock import SystemClock
from nodeagent.core.state import Cause, Key
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.docker.bypass import is_alive, send, unended
from nodeagent.docker.container_spec import (
    LABEL_ALLOCATION,
    LABEL_EPOCH,
    LABEL_NODE,
    container_name,
)
from nodeagent.docker.engine import ENGINE_ERRORS, connect

log = structlog.get_logger()

CALL_S: Final = 60
LIST_S: Final = 2
"""Longer than that is silence: the lease has ended, and the portal waits for seconds only."""


@dataclass(frozen=True, slots=True)
class DockerFence:
    """The `Fence` port over one engine."""

    root: Path
    host: str
    node: str
    list_s: int = LIST_S

    def stop_all(self, cause: Cause, grace_ms: int) -> int:
        """Stop every container of this node, all at once; without the engine if need be."""
        found = self._listed()
        keys = [place.key for place in unended(self.root)] if found is None else found
        for key in keys:
            place = ContainerDir(self.root, key)
            if place.exists:
                place.order_stop(cause, SystemClock().now_ms() + grace_ms)
        if found is None:
            self._send_all(signal.SIGTERM)
            return self.live()
        self._each(found, lambda client, name: client.api.stop(name, timeout=grace_ms // 1000))
        return len(found)

    def kill_all(self) -> None:
        """Kill every container of this node."""
        found = self._listed()
        if found is None:
            self._send_all(signal.SIGKILL)
        else:
            self._each(found, lambda client, name: client.api.kill(name))

    def live(self) -> int:
        """Return how many containers run; an engine that is silent may always run one unseen."""
        found = self._listed()
        if found is None:
            return max(1, sum(is_alive(place) for place in unended(self.root)))
        return len(found)

    def _listed(self) -> list[Key] | None:
        """Return the running ones; None while the engine is silent."""
        try:
            with closing(connect(self.host, self.list_s)) as client:
                rows = client.api.containers(filters={"label": f"{LABEL_NODE}={self.node}"})
        except ENGINE_ERRORS as error:
            log.warning("engine.silent", error=str(error))
            return None
        return [
            Key(row["Labels"][LABEL_ALLOCATION], int(row["Labels"][LABEL_EPOCH])) for row in rows
        ]

    def _send_all(self, number: signal.Signals) -> None:
        for place in unended(self.root):
            send(place, number)

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
