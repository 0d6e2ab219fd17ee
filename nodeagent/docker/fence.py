"""Ends all Docker containers of a node from outside the agent."""

import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final

import docker
import structlog

from nodeagent.core.lease import ContainerFilter, any_container
from nodeagent.core.state import ContainerKey, PendingStop
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.forward_compat import parse_silence
from nodeagent.docker.containers.container_spec import LABEL_SILENCE
from nodeagent.docker.containers.direct_kill import is_init_alive, list_unended, signal_init
from nodeagent.docker.containers.observer import to_whole_seconds, write_stop_order
from nodeagent.docker.containers.ownership import NodeOwner
from nodeagent.docker.engine.client import ENGINE_ERRORS, connect_engine
from wire.words import ExitCause

log = structlog.get_logger()

CALL_S: Final = 60
LIST_S: Final = 2
"""After this the engine counts as silent: the portal waits only for seconds."""
STOP_S: Final = 5
"""For containers to end that were asked to, before the others are looked at again."""
KILL_S: Final = 2
"""For the engine to kill, before the processes are signalled directly."""


@dataclass(frozen=True, slots=True)
class DockerFence:
    """The `Fence` port over one engine."""

    root: Path
    host: str
    node: str
    node_id: str = ""
    list_s: int = LIST_S
    kill_s: float = KILL_S
    stop_s: float = STOP_S
    _asked: set[str] = field(default_factory=set)
    """Containers whose stop the engine has not answered yet: more requests would only pile up."""

    def stop_all(
        self, cause: ExitCause, grace_ms: int, is_meant: ContainerFilter = any_container
    ) -> int:
        """Stop every container that is meant, all at once; directly when the engine is silent.

        Returns soon, however long the grace is, and even when the engine answers nothing.
        """
        found = self._listed(is_meant)
        keys = (
            [directory.key for directory in self._list_unended(is_meant)]
            if found is None
            else list(found)
        )
        for key in keys:
            directory = ContainerDir(self.root, key)
            if directory.exists:
                write_stop_order(directory, cause, grace_ms)
        if found is None:
            self._send_all(signal.SIGTERM, is_meant)
            return self._count_unlisted(is_meant)
        fresh = {key: name for key, name in found.items() if name not in self._asked}
        self._each(
            fresh,
            lambda client, name: client.api.stop(name, timeout=to_whole_seconds(grace_ms)),
            max(min(grace_ms / 1000, self.stop_s), self.kill_s),
        )
        return len(found)

    def kill_all(self, is_meant: ContainerFilter = any_container) -> None:
        """Kill every container that is meant; what the engine leaves alive, directly."""
        found = self._listed(is_meant)
        if found is not None:
            self._each(found, lambda client, name: client.api.kill(name), self.kill_s)
        self._send_all(signal.SIGKILL, is_meant)

    def read_stop(self, key: ContainerKey) -> PendingStop | None:
        """Return the stop under way, by the container's directory."""
        return ContainerDir(self.root, key).stops.read_pending()

    def count_live(self) -> int:
        """Return how many containers run; at least one for a silent engine, which may hide one."""
        found = self._listed(any_container)
        return self._count_unlisted(any_container) if found is None else len(found)

    def _count_unlisted(self, is_meant: ContainerFilter) -> int:
        return max(1, sum(is_init_alive(directory) for directory in self._list_unended(is_meant)))

    def _list_unended(self, is_meant: ContainerFilter) -> list[ContainerDir]:
        return [
            directory
            for directory in list_unended(self.root)
            if is_meant(directory.key, directory.read_silence())
        ]

    def _listed(self, is_meant: ContainerFilter) -> Mapping[ContainerKey, str] | None:
        """Return the ids of the running ones, which survive a rename; None while it is silent."""
        owner = NodeOwner(self.node, self.node_id, self.root)
        try:
            with closing(connect_engine(self.host, self.list_s)) as client:
                rows = client.api.containers(filters=owner.label_filter)
        except ENGINE_ERRORS as error:
            log.warning("engine.silent", error=str(error))
            return None
        return {
            key: row["Id"]
            for row in rows
            if (key := owner.find_key(row["Labels"])) is not None
            and is_meant(key, parse_silence(row["Labels"].get(LABEL_SILENCE)))
        }

    def _send_all(self, number: signal.Signals, is_meant: ContainerFilter) -> None:
        for directory in self._list_unended(is_meant):
            signal_init(directory, number)

    def _each(
        self,
        found: Mapping[ContainerKey, str],
        act: Callable[[docker.DockerClient, str], object],
        within_s: float,
    ) -> None:
        """Act on every container at the same time; an answer that does not come is not waited for."""

        def one(key: ContainerKey, name: str) -> None:
            try:
                with closing(connect_engine(self.host, CALL_S)) as client:
                    act(client, name)
            except ENGINE_ERRORS as error:
                log.warning("fence.failed", allocation=key.allocation, error=str(error))
            finally:
                self._asked.discard(name)

        self._asked.update(found.values())
        threads = [threading.Thread(target=one, args=item, daemon=True) for item in found.items()]
        for thread in threads:
            thread.start()
        deadline = monotonic() + within_s
        for thread in threads:
            thread.join(max(0.0, deadline - monotonic()))
