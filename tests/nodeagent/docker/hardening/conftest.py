"""Real containers of every start path, and what the probe inside each of them says."""

import asyncio
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import uuid1

import docker
import pytest
from docker.types import Mount

from deploy.onebox.engine import EngineEndpoint as OwnEngine
from deploy.onebox.engine import shared_engine
from nodeagent.core.state import ContainerKey
from nodeagent.docker.containers.container_spec import DockerRuntimeSettings, container_name
from nodeagent.docker.engine.client import DockerEngine
from nodeagent.docker.fence import DockerFence
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.ports import ContainerOrder, RunningContainer
from tests.docker_engine import cache_dir
from tests.nodeagent.docker.hardening import image
from tests.waiting import PATIENCE_S, wait_until
from wire.messages import ContainerSpec
from wire.words import ExitCause

USER: Final = 1234
PROCESSES_MAX: Final = 64
CANARY: Final = "canary-3d1f"
"""In the environment of the agent, and in a file of its host: never in a container."""


@dataclass(frozen=True)
class Seen:
    """One container as it sees itself, and as the engine describes it."""

    report: dict[str, Any]
    inspected: dict[str, Any]
    folder: Path
    """Its own folder on the host."""


@pytest.fixture(scope="session")
def engine() -> Iterator[OwnEngine]:
    """The engine of this machine or one of our own."""
    with shared_engine(cache_dir() / "docker") as found:
        yield found


@pytest.fixture(scope="session")
def client(engine: OwnEngine) -> Iterator[docker.DockerClient]:
    """A client of the engine, for what no agent would do."""
    with engine.client() as opened:
        yield opened


@pytest.fixture(scope="session")
def probe_image(client: docker.DockerClient) -> str:
    """The image of the probe."""
    return image.build(client)


@dataclass
class Node:
    """A node agent's runtime on the engine, which may be started anew."""

    name: str
    root: Path
    host: str
    settings: DockerRuntimeSettings

    def runtime(self) -> DockerRuntime:
        """Return what a freshly started agent has."""
        return DockerRuntime(self.root / "containers", self.settings, DockerEngine(self.host))

    def inspect(self, key: ContainerKey) -> dict[str, Any]:
        """Return the engine's own words about a container."""
        with OwnEngine(self.host).client() as opened:
            found: dict[str, Any] = opened.api.inspect_container(container_name(self.name, key))
        return found


@pytest.fixture(scope="session")
def node(engine: OwnEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A node whose containers are gone afterwards."""
    name, root = f"hardening-{uuid1()}", tmp_path_factory.mktemp("hardening")
    settings = DockerRuntimeSettings(
        node=name,
        storage_dir=root / "storage",
        bind_address="127.0.0.1",
        network=engine.network(),
        user_id=USER,
        cpu_milli_max=1000,
        processes_max=PROCESSES_MAX,
    )
    yield Node(name, root, engine.url, settings)
    DockerFence(root / "containers", engine.url, name).stop_all(ExitCause.STOPPED, 0)
    with engine.client() as opened:
        for left in opened.containers.list(all=True, filters={"label": f"berth.node={name}"}):
            left.remove(force=True)


def an_order(kind: str, image_name: str, workload: str, **changes: Any) -> ContainerOrder:
    """Return an order whose user asks for what he must not get."""
    hostile = {
        "LD_PRELOAD": "/evil.so",
        "NVIDIA_VISIBLE_DEVICES": "all",
        "CUDA_VISIBLE_DEVICES": "all",
        "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": "100",
        "FROM_USER": "kept",
    }
    spec = {
        "kind": kind,
        "workload": workload,
        "name": workload,
        "image": image_name,
        "command": ("jupyter-lab",) if kind == "training" else (),
        "cpu_milli": 1000,
        "memory_mib": 256,
        "env": hostile,
    }
    return ContainerOrder(
        ContainerKey(f"{workload}.0", 1), (), ContainerSpec.model_validate({**spec, **changes})
    )


@pytest.fixture(scope="session")
def seen(node: Node, probe_image: str) -> dict[str, Seen]:
    """Every start path once: a notebook, a training, and the training adopted."""
    os.environ["BERTH_AGENT_JOIN_TOKEN"] = CANARY
    try:
        orders = {kind: an_order(kind, probe_image, kind) for kind in ("environment", "training")}
        asyncio.run(_started(node.runtime(), tuple(orders.values())))
        folders = {
            "environment": node.root / "storage" / "workspaces" / "environment",
            "training": node.root / "storage" / "outputs" / "training",
        }
        found = {
            kind: Seen(_answer(folders[kind], 0), node.inspect(order.key), folders[kind])
            for kind, order in orders.items()
        }
        adopted = orders["training"].key
        assert adopted in asyncio.run(_adopted(node.runtime()))
        (folders["training"] / "ask-1").touch()
        answer = _answer(folders["training"], 1)
        found["adopted"] = Seen(answer, node.inspect(adopted), folders["training"])
    finally:
        del os.environ["BERTH_AGENT_JOIN_TOKEN"]
    return found


async def _started(runtime: DockerRuntime, orders: tuple[ContainerOrder, ...]) -> None:
    for order in orders:
        await runtime.start(order, lambda *_: None)


async def _adopted(runtime: DockerRuntime) -> set[ContainerKey]:
    return {
        item.container.key
        for item in await runtime.list_containers()
        if isinstance(item, RunningContainer)
    }


def _answer(folder: Path, number: int) -> dict[str, Any]:
    path = folder / f"probe-{number}.json"
    wait_until(path.exists, within_s=3 * PATIENCE_S)
    found: dict[str, Any] = json.loads(path.read_text())
    return found


@pytest.fixture(scope="session")
def weak(client: docker.DockerClient, probe_image: str, node: Node) -> Iterator[Seen]:
    """The same probe with the engine's own defaults, root inside; capped, for the host's sake."""
    folder = node.root / "weak"
    folder.mkdir()
    container = client.containers.run(
        probe_image,
        ["jupyter-lab"],
        environment={"PROBE_PATIENCE_S": "0"},
        detach=True,
        mem_limit="256m",
        memswap_limit="256m",
        pids_limit=PROCESSES_MAX,
        mounts=[Mount("/outputs", str(folder), type="bind")],
    )
    try:
        yield Seen(_answer(folder, 0), container.attrs, folder)
    finally:
        container.remove(force=True)
