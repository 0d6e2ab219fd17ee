"""A daemon for faults, a registry, and nodes on them."""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid1

import pytest

from nodeagent.datasets.cache import DatasetCache
from nodeagent.docker.containers.container_spec import PIDS_MAX, DockerRuntimeSettings
from nodeagent.docker.engine.client import DockerEngine, LivenessTimings
from nodeagent.docker.images.image_store import ImageStoreSettings
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.ports import StartError
from tests.docker_registry import DockerRegistry, docker_registry
from tests.nodeagent.docker.daemon.daemon import Daemon
from tests.nodeagent.docker.daemon.registry import Registry, a_registry
from tests.tiny_image import bring_tiny_image
from wire.words import ExitCause

QUICK = LivenessTimings(ping_s=2, ping_every_s=0.2, silent_ms=1_000)
"""For engines that hang: the same steps in less time."""
HASTY = ImageStoreSettings(backoff_s=0.01)


def cause_and_code(error: StartError) -> tuple[ExitCause, str]:
    """Return the cause of a failed start and the code that its detail begins with."""
    return error.cause, error.detail.split(":")[0]


@dataclass
class FaultyNode:
    """A node on the daemon; each `runtime()` is a new agent's."""

    daemon: Daemon
    root: Path
    name: str = field(default_factory=lambda: f"engine-{uuid1()}")
    engines: list[DockerEngine] = field(default_factory=list)

    @property
    def labels(self) -> dict[str, str | list[str] | bool]:
        """Return the filter that finds its containers."""
        return {"label": f"berth.node={self.name}"}

    def runtime(
        self,
        pace: LivenessTimings | None = None,
        images: ImageStoreSettings = HASTY,
        processes_max: int = PIDS_MAX,
        dataset_cache: DatasetCache | None = None,
    ) -> DockerRuntime:
        """Return the runtime of a new agent."""
        self.engines.append(DockerEngine(self.daemon.url, pace or LivenessTimings()))
        settings = DockerRuntimeSettings(
            node=self.name,
            storage_dir=self.root / "storage",
            bind_address="127.0.0.1",
            network="host",
            user_id=1000,
            cpu_milli_max=2000,
            processes_max=processes_max,
            dataset_cache=dataset_cache,
        )
        return DockerRuntime(self.root / "containers", settings, self.engines[-1], images)

    def ids(self) -> set[str]:
        """Return all containers of this node that the engine knows."""
        with self.daemon.client() as client:
            rows = client.api.containers(all=True, filters=self.labels)
        return {str(row["Id"]) for row in rows}

    def close(self) -> None:
        """Leave nothing behind."""
        with self.daemon.client() as client:
            for left in self.ids():
                client.api.remove_container(left, force=True)
        for engine in self.engines:
            engine.close()


@pytest.fixture(scope="module")
def hub() -> Iterator[DockerRegistry]:
    """The platform's registry, for images that nodes save and build."""
    with docker_registry() as registry:
        yield registry


@pytest.fixture(scope="session")
def daemon() -> Iterator[Daemon]:
    """A daemon with one image, in a folder with a short name: sockets need that."""
    home = Path(tempfile.mkdtemp(prefix="berth-engine-"))
    daemon = Daemon(home)
    daemon.mount()
    daemon.start()
    with daemon.client() as client:
        bring_tiny_image(client)
    yield daemon
    daemon.close()
    shutil.rmtree(home)


@pytest.fixture
def node(daemon: Daemon, tmp_path: Path) -> Iterator[FaultyNode]:
    """A node of its own on the daemon."""
    node = FaultyNode(daemon, tmp_path)
    yield node
    node.close()


@pytest.fixture(scope="session")
def registry() -> Iterator[Registry]:
    """A registry without any image."""
    with a_registry() as registry:
        yield registry
