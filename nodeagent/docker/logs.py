"""Copies a container's log from the engine into its directory, for as long as it lives."""

import threading
from collections.abc import Callable
from contextlib import closing

import docker
import requests
import structlog
from docker.errors import APIError, DockerException

from nodeagent.disk.container_dir import ContainerDir

log = structlog.get_logger()


class LogCopy:
    """One daemon thread per container. After a restart it goes on where the file ends."""

    def __init__(
        self, place: ContainerDir, name: str, client: Callable[[], docker.DockerClient]
    ) -> None:
        self._place = place
        self._name = name
        self._client = client
        self._thread = threading.Thread(target=self._run, name=f"log {name}", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Tell whether more may be copied; an engine that was restarted ends every copy."""
        return self._thread.is_alive()

    def finish(self, timeout_s: float) -> None:
        """Wait until the end of the log has been copied, or no longer."""
        self._thread.join(timeout_s)

    def _run(self) -> None:
        try:
            self._copy()
        except (APIError, DockerException, requests.RequestException, OSError) as error:
            log.info("log.copy_ended", container=self._name, error=str(error))

    def _copy(self) -> None:
        skip = self._place.log_path.stat().st_size
        stream = self._client().api.logs(
            self._name, stdout=True, stderr=True, stream=True, follow=True
        )
        with closing(stream), self._place.log_path.open("ab", buffering=0) as target:
            for piece in stream:
                target.write(piece[skip:])
                skip = max(0, skip - len(piece))
