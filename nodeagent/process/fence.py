"""Stops all process containers from outside the agent."""

from dataclasses import dataclass
from pathlib import Path

from nodeagent.disk.container_dir import ContainerDir, list_container_dirs
from nodeagent.process import control
from wire.words import ExitCause


@dataclass(frozen=True, slots=True)
class ProcessFence:
    """The `Fence` port for process containers."""

    root: Path

    def stop_all(self, cause: ExitCause, grace_ms: int) -> int:
        """Order every running shim to stop its work."""
        found = self._list_alive()
        for directory in found:
            control.request_stop(directory, cause, grace_ms)
        return len(found)

    def kill_all(self) -> None:
        """Kill all work, and any shim that does not respond."""
        for directory in self._list_alive():
            control.kill_container(directory)

    def count_live(self) -> int:
        """Return the number of running shims."""
        return len(self._list_alive())

    def _list_alive(self) -> list[ContainerDir]:
        return [
            directory for directory in list_container_dirs(self.root) if control.is_alive(directory)
        ]
