"""The Docker parts of `bench.node`: an engine with one tiny image, and starts with and without us."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, Final
from uuid import uuid1

from docker import DockerClient

from deploy.onebox.engine import Engine as OwnEngine
from deploy.onebox.engine import shared_engine
from nodeagent.core.state import Cause, Key
from nodeagent.docker.container_spec import DockerSettings
from nodeagent.docker.engine import Engine
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.ports import Order
from tests.contract.conftest import _tiny_root
from tests.docker_engine import cache_dir
from wire.messages import ContainerSpec

IMAGE: Final = "berth/contract:1"
SLEEPS: Final = ("sleep", "1000")


@contextmanager
def prepared_engine() -> Iterator[OwnEngine]:
    """An engine with one tiny image."""
    with shared_engine(cache_dir() / "docker") as engine:
        with engine.client() as client:
            client.api.import_image_from_data(_tiny_root(), repository="berth/contract", tag="1")
        yield engine


async def seconds_to_start(
    engine: OwnEngine, root: Path, rounds: int
) -> tuple[list[float], list[float]]:
    """Start containers in turns, bare and by the runtime; return the seconds of each start."""
    name = f"bench-{uuid1()}"
    settings = DockerSettings(name, root / "storage", "127.0.0.1", "host", 1000, 2000)
    ours_engine = Engine(engine.url)
    runtime = DockerRuntime(root / "containers", settings, ours_engine)
    bare, ours = [], []
    try:
        with engine.client() as client:
            for number in range(rounds + 1):
                bare.append(await asyncio.to_thread(_bare, client))
                ours.append(await _by_runtime(runtime, number))
    finally:
        ours_engine.close()
    return bare[1:], ours[1:]  # the first of each finds cold caches


def _bare(client: DockerClient) -> float:
    """Create and start a container as its engine does it, with the same limits."""
    started = monotonic()
    container: Any = client.containers.create(
        IMAGE,
        list(SLEEPS),
        init=True,
        network_mode="host",
        mem_limit="64m",
        nano_cpus=500_000_000,
        pids_limit=4096,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        user="1000:1000",
    )
    container.start()
    container.reload()
    while container.status != "running":
        container.reload()
    seconds = monotonic() - started
    container.remove(force=True)
    return seconds


async def _by_runtime(runtime: DockerRuntime, number: int) -> float:
    spec = ContainerSpec(
        kind="training",
        workload="bench",
        name="bench",
        image=IMAGE,
        command=SLEEPS,
        cpu_milli=500,
        memory_mib=64,
    )
    key = Key(f"bench{number}.0", 1)
    started = monotonic()
    await runtime.start(Order(key, (), spec), lambda *_: None)
    seconds = monotonic() - started
    await runtime.stop(key, Cause.STOPPED, 0)
    await runtime.ended(key)
    await runtime.remove(key)
    return seconds
