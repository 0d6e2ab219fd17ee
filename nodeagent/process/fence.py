"""Stops all process containers from outside the agent."""

from dataclasses import dataclass
from pathlib import Path

from nodeagent.core.lease import ContainerFilter, any_container
from nodeagent.core.state import ContainerKey, PendingStop
from nodeagent.disk.container_dir import ContainerDir, list_container_dirs
from nodeagent.process import control
from wire.words import ExitCause


@dataclass(frozen=True, slots=True)
class ProcessFence:
    """The `Fence` port for process containers."""

    root: Path

    def stop_all(
        self, cause: ExitCause, grace_ms: int, is_meant: ContainerFilter = any_container
    ) -> int:
        """Order every running shim that is meant to stop its work."""
        found = self._list_alive(is_meant)
        for directory in found:
            control.request_stop(directory, cause, grace_ms)
        return len(found)

    def kill_all(self, is_meant: ContainerFilter = any_container) -> None:
        """Kill all work that is meant, and any shim that does not respond."""
        for directory in self._list_alive(is_meant):
            control.kill_container(directory)

    def read_stop(self, key: ContainerKey) -> PendingStop | None:
        """Return the stop under way, by the container's directory."""
        return ContainerDir(self.root, key).stops.read_pending()

    def count_live(self) -> int:
        """Return the number of running shims."""
        return len(self._list_alive(any_container))

    def _list_alive(self, is_meant: ContainerFilter) -> list[ContainerDir]:
        return [
            directory
            for directory in list_container_dirs(self.root)
            if control.is_alive(directory) and is_meant(directory.key, directory.read_silence())
        ]
