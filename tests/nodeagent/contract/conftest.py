"""The runtimes under contract: the fake one, real processes, real Docker containers."""

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid1

import pytest

from deploy.onebox.engine import EngineEndpoint as OwnEngine
from nodeagent.access.session import ExecAdapter
from nodeagent.card_ports import OwnerLookup
from nodeagent.core.state import Finished
from nodeagent.docker.containers.container_spec import DockerRuntimeSettings
from nodeagent.docker.containers.owners import DockerOwnerLookup
from nodeagent.docker.engine.client import DockerEngine
from nodeagent.docker.exec.exec_adapter import DockerExecAdapter
from nodeagent.docker.fence import DockerFence
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.host.secret_files import SecretFiles, root_for
from nodeagent.ports import ContainerRuntime
from nodeagent.process.exec import ProcessExecAdapter
from nodeagent.process.fence import ProcessFence
from nodeagent.process.launch import ProcessSettings
from nodeagent.process.owners import ProcessOwnerLookup
from nodeagent.process.runtime import ProcessRuntime
from tests.fakes.exec_adapter import WAIT_MARK, FakeExecAdapter
from tests.fakes.runtime import FakeContainerHost, FakeRuntime
from tests.fakes.work import MISSING_IMAGE
from tests.tiny_image import tiny_engine
from tests.waiting import wait_until_async
from wire.words import ExitCause

LOG_BYTES = 18_000
"""Kept of one log here; a whole number of lines of `work.CHATTERS`."""


@dataclass
class Node:
    """One runtime; `restarted` is what a new agent on the same node gets."""

    kind: str
    restarted: Callable[[], ContainerRuntime]
    exec_adapter: ExecAdapter
    count_sessions: Callable[[], int]
    """How many processes of `tests.fakes.exec_adapter.WAITS` run."""
    secrets: SecretFiles = field(default_factory=lambda: SecretFiles(Path()))
    """Where a runtime puts the secrets of its containers; the fake one puts them nowhere."""
    owners: OwnerLookup | None = None
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
        machine = FakeContainerHost()
        exec_adapter = FakeExecAdapter(machine)
        yield Node("fake", lambda: FakeRuntime(machine), exec_adapter, exec_adapter.count_sessions)
    elif request.param == "process":
        yield from _process_node(tmp_path)
    else:
        yield from _docker_node(tmp_path, request.getfixturevalue("docker_host"))


def _process_node(root: Path) -> Iterator[Node]:
    missing = {MISSING_IMAGE: root / "nowhere"}
    prefix = Path(sys.prefix)
    secrets = SecretFiles(root_for(root))
    settings = ProcessSettings(
        *("node", root / "storage", "127.0.0.1", missing, prefix),
        log_bytes_max=LOG_BYTES,
        secret_files=secrets,
    )
    yield Node(
        "process",
        lambda: ProcessRuntime(root / "containers", settings),
        ProcessExecAdapter(root / "containers", "127.0.0.1"),
        lambda: _count_processes(f"BERTH_CONTAINER={root}/containers/"),
        secrets,
        ProcessOwnerLookup(root / "containers"),
    )
    ProcessFence(root / "containers").kill_all()


def _docker_node(root: Path, host: str) -> Iterator[Node]:
    name = f"contract-{uuid1()}"
    network = OwnEngine(host).network()
    secrets = SecretFiles(root_for(root))
    settings = DockerRuntimeSettings(
        *(name, root / "storage", "127.0.0.1", network, 1000, 2000),
        log_bytes_max=LOG_BYTES,
        secret_files=secrets,
    )
    engines: list[DockerEngine] = []

    def restarted() -> DockerRuntime:
        engines.append(DockerEngine(host))
        return DockerRuntime(root / "containers", settings, engines[-1])

    engines.append(DockerEngine(host))
    exec_adapter = DockerExecAdapter(name, host, engines[-1])
    owners = DockerOwnerLookup(engines[-1], name)
    yield Node(
        "docker",
        restarted,
        exec_adapter,
        lambda: _count_processes(f"BERTH_NODE={name}"),
        secrets,
        owners,
    )
    DockerFence(root / "containers", host, name).stop_all(ExitCause.STOPPED, 0)
    with OwnEngine(host).client() as client:
        for left in client.containers.list(all=True, filters={"label": f"berth.node={name}"}):
            left.remove(force=True)
    for engine in engines:
        engine.close()


def _count_processes(mark: str) -> int:
    """Count the processes with this mark in their environment that a visit waits in."""
    found = 0
    for place in Path("/proc").iterdir():
        with suppress(OSError):
            if place.name.isdecimal() and WAIT_MARK in (place / "cmdline").read_bytes():
                found += mark.encode() in (place / "environ").read_bytes()
    return found


async def first_end(runtime: ContainerRuntime) -> Finished:
    """Poll until the only container has ended, without `wait_for_end` of the runtime."""

    async def has_ended() -> Finished | None:
        (container,) = await runtime.list_containers()
        return container if isinstance(container, Finished) else None

    end: Finished = await wait_until_async(has_ended)
    return end
