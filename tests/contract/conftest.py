"""The runtimes under contract: the fake one, real processes, real Docker containers."""

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid1

import pytest

from deploy.onebox.engine import EngineEndpoint as OwnEngine
from nodeagent.access.session import Doors
from nodeagent.core.state import Cause
from nodeagent.docker.container_spec import DockerSettings
from nodeagent.docker.engine import Engine
from nodeagent.docker.exec import DockerDoors
from nodeagent.docker.fence import DockerFence
from nodeagent.docker.owners import DockerOwners
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.ports import ContainerRuntime, Owners
from nodeagent.process.exec import ProcessDoors
from nodeagent.process.fence import ProcessFence
from nodeagent.process.launch import ProcessSettings
from nodeagent.process.owners import ProcessOwners
from nodeagent.process.runtime import ProcessRuntime
from tests.fakes.doors import WAIT_MARK, FakeDoors
from tests.fakes.runtime import FakeMachine, FakeRuntime
from tests.fakes.work import MISSING_IMAGE
from tests.tiny_image import tiny_engine

LOG_BYTES = 18_000
"""Kept of one log here; a whole number of lines of `work.CHATTERS`."""


@dataclass
class Node:
    """One runtime; `restarted` is what a new agent on the same node gets."""

    kind: str
    restarted: Callable[[], ContainerRuntime]
    doors: Doors
    visitors: Callable[[], int]
    """How many processes of `tests.fakes.doors.WAITS` run."""
    owners: Owners | None = None
    """Who knows whose a process is; the fake runtime has none."""

    def __post_init__(self) -> None:
        self.runtime = self.restarted()


@pytest.fixture(scope="session")
def docker_host() -> Iterator[str]:
    """An engine with the tiny image."""
    with tiny_engine() as engine:
        yield engine.url


@pytest.fixture(params=["fake", "process", pytest.param("docker", marks=pytest.mark.docker)])
def node(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Node]:
    """A node of each kind; nothing runs on it afterwards."""
    if request.param == "fake":
        machine = FakeMachine()
        doors = FakeDoors(machine)
        yield Node("fake", lambda: FakeRuntime(machine), doors, doors.visitors)
    elif request.param == "process":
        yield from _process_node(tmp_path)
    else:
        yield from _docker_node(tmp_path, request.getfixturevalue("docker_host"))


def _process_node(root: Path) -> Iterator[Node]:
    missing = {MISSING_IMAGE: root / "nowhere"}
    prefix = Path(sys.prefix)
    settings = ProcessSettings(
        "node", root / "storage", "127.0.0.1", missing, prefix, log_bytes_max=LOG_BYTES
    )
    yield Node(
        "process",
        lambda: ProcessRuntime(root / "containers", settings),
        ProcessDoors(root / "containers", "127.0.0.1"),
        lambda: _visitors(f"BERTH_CONTAINER={root}/containers/"),
        ProcessOwners(root / "containers"),
    )
    ProcessFence(root / "containers").kill_all()


def _docker_node(root: Path, host: str) -> Iterator[Node]:
    name = f"contract-{uuid1()}"
    network = OwnEngine(host).network()
    settings = DockerSettings(
        name, root / "storage", "127.0.0.1", network, 1000, 2000, log_bytes_max=LOG_BYTES
    )
    engines: list[Engine] = []

    def restarted() -> DockerRuntime:
        engines.append(Engine(host))
        return DockerRuntime(root / "containers", settings, engines[-1])

    engines.append(Engine(host))
    doors = DockerDoors(name, host, engines[-1])
    owners = DockerOwners(engines[-1], name)
    yield Node("docker", restarted, doors, lambda: _visitors(f"BERTH_NODE={name}"), owners)
    DockerFence(root / "containers", host, name).stop_all(Cause.STOPPED, 0)
    with OwnEngine(host).client() as client:
        for left in client.containers.list(all=True, filters={"label": f"berth.node={name}"}):
            left.remove(force=True)
    for engine in engines:
        engine.close()


def _visitors(mark: str) -> int:
    """Count the processes with this mark in their environment that a visit waits in."""
    found = 0
    for place in Path("/proc").iterdir():
        with suppress(OSError):
            if place.name.isdecimal() and WAIT_MARK in (place / "cmdline").read_bytes():
                found += mark.encode() in (place / "environ").read_bytes()
    return found
