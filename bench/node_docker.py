"""The Docker parts of `bench.node`: an engine with one tiny image, and starts with and without us."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Final
from uuid import uuid1

from docker import DockerClient

from deploy.onebox.engine import EngineEndpoint as OwnEngine
from nodeagent.core.state import ContainerKey
from nodeagent.docker.containers.container_spec import (
    CHECKPOINT_DIR,
    NOTICE_DIR,
    DockerRuntimeSettings,
    create_options,
    work_mount_target,
)
from nodeagent.docker.engine.client import DockerEngine
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.ports import ContainerOrder, Mount
from tests.tiny_image import IMAGE
from wire.messages import ContainerSpec
from wire.words import ExitCause

SLEEPS: Final = ("sleep", "1000")


def clear(engine: OwnEngine, node: str) -> None:
    """Remove what a node leaves behind that never meets its portal again."""
    with engine.client() as client:
        for left in client.containers.list(all=True, filters={"label": f"berth.node={node}"}):
            left.remove(force=True)


ORDINARY: Final = ("image", "name", "command", "network_mode", "mem_limit", "nano_cpus", "init")
"""The options behind an ordinary `docker run -m --cpus --init -v`."""


@dataclass
class Starts:
    """Seconds of each start, in turns."""

    ordinary: list[float] = field(default_factory=list)
    """By the engine alone, with ordinary options and one folder."""
    same: list[float] = field(default_factory=list)
    """By the engine alone, the very container that the runtime makes."""
    ours: list[float] = field(default_factory=list)


async def seconds_to_start(engine: OwnEngine, root: Path, rounds: int) -> Starts:
    """Start containers in turns, bare and by the runtime; return the seconds of each start."""
    name = f"bench-{uuid1()}"
    settings = DockerRuntimeSettings(name, root / "storage", "127.0.0.1", "host", 1000, 2000)
    ours_engine = DockerEngine(engine.url)
    runtime = DockerRuntime(root / "containers", settings, ours_engine)
    found = Starts()
    try:
        with engine.client() as client:
            for number in range(rounds + 1):
                for name, seconds in (("ordinary", found.ordinary), ("same", found.same)):
                    options = _options(settings, _an_order(f"{name}{number}"))
                    if name == "ordinary":
                        options = {key: options[key] for key in ORDINARY} | {
                            "mounts": options["mounts"][:1]
                        }
                    seconds.append(await asyncio.to_thread(_bare, client, options))
                found.ours.append(await _by_runtime(runtime, _an_order(f"ours{number}")))
    finally:
        ours_engine.close()
    # The first of each finds cold caches.
    return Starts(found.ordinary[1:], found.same[1:], found.ours[1:])


def _options(settings: DockerRuntimeSettings, order: ContainerOrder) -> dict[str, Any]:
    """Return what the runtime would ask for, its folders already there."""
    folders = settings.storage_dir / order.key.allocation
    mounts = []
    for target in (work_mount_target(order), NOTICE_DIR, CHECKPOINT_DIR):
        source = folders / target.strip("/")
        source.mkdir(parents=True)
        mounts.append(Mount(source, target, is_read_only=target == NOTICE_DIR))
    return create_options(settings, order, None, mounts)


def _bare(client: DockerClient, options: dict[str, Any]) -> float:
    """Have the engine alone create and start a container."""
    started = monotonic()
    container: Any = client.containers.create(**options)
    container.start()
    container.reload()
    while container.status != "running":
        container.reload()
    seconds = monotonic() - started
    container.remove(force=True)
    return seconds


async def _by_runtime(runtime: DockerRuntime, order: ContainerOrder) -> float:
    started = monotonic()
    await runtime.start(order, lambda *_: None)
    seconds = monotonic() - started
    await runtime.stop(order.key, ExitCause.STOPPED, 0)
    await runtime.wait_for_end(order.key)
    await runtime.remove(order.key)
    return seconds


def _an_order(name: str) -> ContainerOrder:
    spec = ContainerSpec(
        kind="training",
        workload=name,
        name="bench",
        image=IMAGE,
        command=SLEEPS,
        cpu_milli=500,
        memory_mib=64,
    )
    return ContainerOrder(ContainerKey(f"{name}.0", 1), (), spec)
