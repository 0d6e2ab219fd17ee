"""Builds the agent's parts from its configuration; nothing else knows all adapters."""

import os
import sys
from dataclasses import dataclass

import structlog

from nodeagent.access.session import Doors
from nodeagent.access.streams import Streams
from nodeagent.clock import SystemClock, boot_id
from nodeagent.config import AgentConfig
from nodeagent.disk.layout import StateLayout
from nodeagent.disk.lease_file import LeaseFile
from nodeagent.disk.state_store import FileStateStore
from nodeagent.docker.container_spec import DockerSettings
from nodeagent.docker.engine import Engine, answers
from nodeagent.docker.exec import DockerDoors
from nodeagent.docker.fence import DockerFence
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.facts import FactSampler, NodeOffer
from nodeagent.gpu.selection import select_driver
from nodeagent.gpu.simulated import SimulatedDriver
from nodeagent.link.websocket import WebSocketLink
from nodeagent.ports import ContainerRuntime, Fence
from nodeagent.process.exec import ProcessDoors
from nodeagent.process.fence import ProcessFence
from nodeagent.process.launch import ProcessSettings
from nodeagent.process.runtime import ProcessRuntime
from nodeagent.runner import Ports
from nodeagent.watchdog import WatchdogGuard

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class RuntimeParts:
    """Everything that depends on how containers are run."""

    runtime: ContainerRuntime
    doors: Doors
    fence: Fence
    watchdog: tuple[str, ...]
    """Command line of the process that fences without the agent."""


def layout_of(config: AgentConfig) -> StateLayout:
    """Return where this node's files are; only its owner may look."""
    config.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    return StateLayout(config.state_dir.resolve())


def runtime_parts(config: AgentConfig, layout: StateLayout) -> RuntimeParts:
    """Choose the runtime: what the configuration says, else Docker when an engine answers."""
    kind = config.runtime
    if kind == "auto":
        kind = "docker" if answers(config.docker.host) else "process"
        log.info("runtime.chosen", runtime=kind)
    return _docker(config, layout) if kind == "docker" else _process(config, layout)


def sampler(config: AgentConfig, runtime: ContainerRuntime) -> FactSampler:
    """Return who knows what this node offers."""
    cards = config.simulated
    simulated = SimulatedDriver(config.name, cards.count, cards.model, cards.memory_mib)
    offer = NodeOffer(config.cpu_milli, config.memory_mib, config.advertise_address)
    return FactSampler(
        offer, runtime, select_driver(simulated), SystemClock(), config.telemetry.sample_s
    )


def ports(config: AgentConfig, layout: StateLayout, parts: RuntimeParts, node_key: str) -> Ports:
    """Return everything that a running agent uses."""
    return Ports(
        runtime=parts.runtime,
        link=WebSocketLink(str(config.portal_url), node_key),
        states=FileStateStore(layout.state),
        leases=LeaseFile(layout.lease, boot_id()),
        sampler=sampler(config, parts.runtime),
        guard=WatchdogGuard(layout, parts.watchdog),
        clock=SystemClock(),
        boot_id=boot_id(),
        streams=Streams(str(config.portal_url), node_key, parts.doors),
        telemetry_every_ms=int(config.telemetry.send_s * 1000),
    )


def _process(config: AgentConfig, layout: StateLayout) -> RuntimeParts:
    settings = ProcessSettings(
        node=config.name,
        storage_dir=config.storage_dir.resolve(),
        bind_address=str(config.bind_address),
        images=config.process_images,
        default_prefix=config.process_default_prefix,
    )
    return RuntimeParts(
        runtime=ProcessRuntime(layout.containers, settings),
        doors=ProcessDoors(layout.containers, str(config.bind_address)),
        fence=ProcessFence(layout.containers),
        watchdog=(sys.executable, "-m", "nodeagent.process.watchdog", str(layout.root)),
    )


def _docker(config: AgentConfig, layout: StateLayout) -> RuntimeParts:
    host = config.docker.host
    settings = DockerSettings(
        node=config.name,
        storage_dir=config.storage_dir.resolve(),
        bind_address=str(config.bind_address),
        network=config.docker.network,
        user_id=config.docker.user_id,
        cpu_milli_max=(os.cpu_count() or 1) * 1000,
    )
    command = (sys.executable, "-m", "nodeagent.docker.watchdog", str(layout.root), config.name)
    engine = Engine(host)
    return RuntimeParts(
        runtime=DockerRuntime(layout.containers, settings, engine),
        doors=DockerDoors(config.name, host, engine),
        fence=DockerFence(layout.containers, host, config.name),
        watchdog=(*command, host) if host else command,
    )
