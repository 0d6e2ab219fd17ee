"""Builds the agent's parts from its configuration; nothing else knows all adapters."""

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from nodeagent.access.session import Doors
from nodeagent.access.streams import Streams
from nodeagent.app.node_sampler import Checks, FactSampler, NodeOffer
from nodeagent.app.runner import Ports
from nodeagent.app.sharing_setup import probed, share_parts
from nodeagent.config import MIB, AgentConfig
from nodeagent.disk.layout import StateLayout
from nodeagent.disk.lease_file import LeaseFile
from nodeagent.disk.state_store import FileStateStore
from nodeagent.docker.containers.container_spec import DockerSettings
from nodeagent.docker.containers.owners import DockerOwners
from nodeagent.docker.engine.client import Engine, answers
from nodeagent.docker.engine.versions import Versions
from nodeagent.docker.exec.exec_adapter import DockerDoors
from nodeagent.docker.exec.exec_probe import DockerInside
from nodeagent.docker.fence import DockerFence
from nodeagent.docker.images.image_store import ImageSettings
from nodeagent.docker.network.container_network import Outside, WorkNetwork, clear
from nodeagent.docker.network.egress import EgressPolicy, door
from nodeagent.docker.network.gangs import HOST_NETWORK, GangSettings
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.gpu.drivers.selection import SelectedDriver
from nodeagent.gpu.drivers.simulated import PaperCard, PaperPart, SimulatedDriver
from nodeagent.gpu.health.monitor import Ward
from nodeagent.gpu.health.store import Marks
from nodeagent.host.clock import SystemClock, boot_id
from nodeagent.host.disk_space import SHARED_MEMORY, RoomCheck, RoomLimits
from nodeagent.host.network_interfaces import carried_here, interface_with
from nodeagent.host.storage_check import StorageCheck, StorageMount
from nodeagent.host.workspace_monitor import WorkspaceWatch
from nodeagent.host.write_behind import Saver
from nodeagent.idle.activity_monitor import IdleWatch
from nodeagent.idle.checkpoint import Checkpointer
from nodeagent.idle.cuda_checkpoint import CudaError, LibCuda
from nodeagent.idle.gpu_release import Parking
from nodeagent.idle.notebooks import Notebooks
from nodeagent.link.identity import Credentials
from nodeagent.link.websocket import WebSocketLink
from nodeagent.ports import ContainerRuntime, Fence, GpuDriver, Inspection, Owners, Sharing
from nodeagent.process.exec import ProcessDoors
from nodeagent.process.fence import ProcessFence
from nodeagent.process.launch import ProcessSettings
from nodeagent.process.owners import ProcessOwners
from nodeagent.process.runtime import ProcessRuntime
from nodeagent.sharing.exec_probe import Inside, Nowhere
from nodeagent.sharing.records import RecordsCheck
from nodeagent.telemetry.exposition import registry_of
from nodeagent.telemetry.feed import TelemetryFeed
from nodeagent.telemetry.metrics_server import MetricsServer
from nodeagent.watchdog import WatchdogGuard

log = structlog.get_logger()

PRIVATE: Final = 0o700


@dataclass(frozen=True, slots=True)
class RuntimeParts:
    """Everything that depends on how containers are run."""

    runtime: ContainerRuntime
    doors: Doors
    fence: Fence
    owners: Owners
    watchdog: tuple[str, ...]
    """Command line of the process that fences without the agent."""
    inside: Inside = field(default_factory=Nowhere)
    """How a container is asked from within."""
    inspections: tuple[Inspection, ...] = ()
    """What else of the host is looked at with every sample."""
    tidy: Callable[[], None] = lambda: None
    """Takes away what the node has put on its host for its work; after all of it was stopped."""


def layout_of(config: AgentConfig) -> StateLayout:
    """Return where this node's files are; only its owner may look, whoever has made the folder."""
    root = config.state_dir
    root.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
    if root.stat().st_mode & 0o077:
        root.chmod(PRIVATE)
    return StateLayout(root.resolve())


def runtime_parts(config: AgentConfig, layout: StateLayout) -> RuntimeParts:
    """Choose the runtime: what the configuration says, else Docker when an engine answers."""
    kind = config.runtime
    if kind == "auto":
        kind = "docker" if answers(config.docker.host) else "process"
        log.info("runtime.chosen", runtime=kind)
    return _docker(config, layout) if kind == "docker" else _process(config, layout)


def sampler(config: AgentConfig, layout: StateLayout, parts: RuntimeParts) -> FactSampler:
    """Return who knows what this node offers."""
    marks = Marks(layout.card_marks, boot_id())
    saver = Saver("cards", marks.save)
    offer = NodeOffer(config.cpu_milli, config.memory_mib, config.advertise_address, config.switch)
    return FactSampler(
        offer,
        parts.runtime,
        probed(config, driver(config), parts.inside),
        SystemClock(),
        config.telemetry.sample_s,
        Checks(
            parts.owners,
            Ward(marks.load(), saver.put),
            (
                *parts.inspections,
                _room(config),
                StorageCheck(StorageMount(config.storage_dir), is_shared=config.storage_shared),
                RecordsCheck(layout.shares),
            ),
            saver.run,
        ),
    )


def _limits(config: AgentConfig) -> RoomLimits:
    room = config.room
    return RoomLimits(
        room.pressure_mib, room.relief_mib, room.free_mib, room.free_inodes, room.shm_free_mib
    )


def _room(config: AgentConfig) -> RoomCheck:
    places = {"storage": config.storage_dir, "state": config.state_dir, "memory": SHARED_MEMORY}
    return RoomCheck(places, _limits(config))


def driver(config: AgentConfig) -> GpuDriver:
    """Return who knows the cards of this node."""
    return SelectedDriver(
        simulated_cards(config), config.accelerators, deadline_s=config.cards_deadline_s
    )


def simulated_cards(config: AgentConfig) -> SimulatedDriver:
    """Return the cards that this node pretends to have."""
    cards = [
        PaperCard(
            kind.model,
            kind.memory_mib,
            kind.island,
            tuple(PaperPart(part.profile, part.memory_mib, part.start) for part in kind.mig),
            kind.profiles,
        )
        for kind in config.simulated.kinds()
    ]
    return SimulatedDriver(config.name, cards, config.simulated.control)


def ports(
    config: AgentConfig, layout: StateLayout, parts: RuntimeParts, credentials: Credentials
) -> Ports:
    """Return everything that a running agent uses."""
    samples = sampler(config, layout, parts)
    shares = share_parts(
        config, layout, parts.inside, lambda: samples.facts().accelerators, samples.occupied
    )
    return Ports(
        runtime=parts.runtime,
        link=WebSocketLink(str(config.portal_url), credentials),
        states=FileStateStore(layout.state),
        leases=LeaseFile(layout.lease, boot_id()),
        sampler=samples,
        sharing=shares.sharing,
        storage_gone=StorageMount(config.storage_dir).gone,
        shares=shares.watch,
        notebooks=notebooks(config, layout, samples, shares.sharing),
        guard=WatchdogGuard(layout, parts.watchdog),
        clock=SystemClock(),
        boot_id=boot_id(),
        streams=Streams(str(config.portal_url), credentials, parts.doors),
        workspaces=WorkspaceWatch(layout.containers),
        telemetry_every_ms=int(config.telemetry.send_s * 1000),
        metrics=_metrics(config) if config.telemetry.metrics_port else None,
    )


def notebooks(
    config: AgentConfig, layout: StateLayout, samples: FactSampler, sharing: Sharing
) -> Notebooks:
    """Return who looks after idle notebooks; with CUDA checkpoints where the driver has them."""
    clock = SystemClock()
    try:
        checkpointer = Checkpointer(LibCuda(config.idle.cuda_library))
    except CudaError as error:
        log.info("checkpoint.unsupported", error=str(error))
        checkpointer = None
    parking = Parking(layout.containers, samples.see_cards, sharing, checkpointer, clock)
    return Notebooks(
        IdleWatch(layout.containers, clock, config.idle.look_s), parking, samples.strays
    )


def _metrics(config: AgentConfig) -> Callable[[TelemetryFeed], MetricsServer]:
    address, port = str(config.telemetry.metrics_address), config.telemetry.metrics_port
    return lambda feed: MetricsServer(registry_of(config.name, feed), address, port)


def _datasets_dir(config: AgentConfig) -> Path | None:
    return None if config.datasets_dir is None else config.datasets_dir.resolve()


def _process(config: AgentConfig, layout: StateLayout) -> RuntimeParts:
    settings = ProcessSettings(
        node=config.name,
        storage_dir=config.storage_dir.resolve(),
        datasets_dir=_datasets_dir(config),
        bind_address=str(config.bind_address),
        images=config.process_images,
        default_prefix=config.process_default_prefix,
    )
    return RuntimeParts(
        runtime=ProcessRuntime(layout.containers, settings),
        doors=ProcessDoors(layout.containers, str(config.bind_address)),
        fence=ProcessFence(layout.containers),
        owners=ProcessOwners(layout.containers),
        watchdog=(sys.executable, "-m", "nodeagent.process.watchdog", str(layout.root)),
    )


def _images(config: AgentConfig) -> ImageSettings:
    images = config.images
    return ImageSettings(
        bytes_max=images.size_mib * MIB,
        clean_above_pct=images.clean_above_pct,
        clean_below_pct=images.clean_below_pct,
        room=_limits(config),
    )


def _docker(config: AgentConfig, layout: StateLayout) -> RuntimeParts:
    host = config.docker.host
    command = (sys.executable, "-m", "nodeagent.docker.watchdog", str(layout.root), config.name)
    engine = Engine(host)
    network = WorkNetwork(engine, config.docker.network, outside(config))
    runtime = DockerRuntime(
        layout.containers, docker_settings(config), engine, _images(config), network
    )
    return RuntimeParts(
        runtime=runtime,
        doors=DockerDoors(config.name, host, engine),
        inside=DockerInside(config.name, engine),
        fence=DockerFence(layout.containers, host, config.name),
        owners=DockerOwners(engine, config.name),
        watchdog=(*command, host) if host else command,
        inspections=(
            engine,
            runtime.images,
            network,
            Versions(engine, config.docker.accept_versions),
        ),
        tidy=partial(clear, host, config.docker.network),
    )


def docker_settings(config: AgentConfig) -> DockerSettings:
    """Return what the Docker runtime needs to know about its node."""
    docker = config.docker
    return DockerSettings(
        node=config.name,
        storage_dir=config.storage_dir.resolve(),
        datasets_dir=_datasets_dir(config),
        bind_address=str(config.bind_address),
        network=docker.network,
        gang=GangSettings(docker.gang_network, gang_interface(config, carried_here())),
        user_id=docker.user_id,
        cpu_milli_max=(os.cpu_count() or 1) * 1000,
        is_rootfs_read_only=docker.read_only_rootfs,
        open_files_max=docker.open_files_max,
        processes_max=docker.processes_max,
        resolvers=tuple(map(str, docker.egress.resolvers)),
    )


def gang_interface(config: AgentConfig, carried: Mapping[str, str]) -> str:
    """Return the interface of ranks on the hosts' own network; elsewhere they have one, and find it."""
    docker = config.docker
    if docker.gang_interface or HOST_NETWORK not in (docker.gang_network, docker.network):
        return docker.gang_interface
    return interface_with(config.advertise_address, carried)


def outside(config: AgentConfig) -> Outside:
    """Return where work may connect to."""
    egress = config.docker.egress
    policy = EgressPolicy(
        doors=tuple(map(door, egress.allow)),
        hidden=egress.deny,
        resolvers=tuple(map(str, egress.resolvers)),
        is_internet_open=egress.internet,
    )
    return Outside(policy, egress.enforce, config.portal_url.host or "")
