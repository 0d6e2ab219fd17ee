"""Builds the agent's parts from its configuration; the only module that knows all adapters."""

import os
import sys
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import structlog

from nodeagent.access.session import ExecAdapter
from nodeagent.access.streams import ContainerStreams
from nodeagent.app.image_saves import ImageSaver, ImageSaves
from nodeagent.app.node_sampler import NodeSampler, SamplerChecks, StaticNodeFacts
from nodeagent.app.notebook_setup import build_notebooks
from nodeagent.app.readiness import ReadinessCheck
from nodeagent.app.runner import AgentPorts
from nodeagent.app.sharing_setup import build_probed_driver, build_sharing
from nodeagent.card_ports import GpuDriver, OwnerLookup
from nodeagent.config import MIB, AgentConfig
from nodeagent.datasets.cache import DatasetCache
from nodeagent.datasets.caching import DatasetCaching
from nodeagent.datasets.places import DatasetsInspection
from nodeagent.disk.begun_saves import BegunSavesFile
from nodeagent.disk.build_files import BuildFiles
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.declared_load import read_declared_load
from nodeagent.disk.instance import name_instance
from nodeagent.disk.layout import StateLayout
from nodeagent.disk.lease_file import LeaseFile
from nodeagent.disk.state_store import FileStateStore
from nodeagent.docker.containers.container_spec import DockerRuntimeSettings
from nodeagent.docker.containers.owners import DockerOwnerLookup
from nodeagent.docker.engine.client import DockerEngine, is_engine_answering
from nodeagent.docker.engine.versions import VersionInspection
from nodeagent.docker.exec.exec_adapter import DockerExecAdapter
from nodeagent.docker.exec.exec_probe import DockerExecProbe
from nodeagent.docker.fence import DockerFence
from nodeagent.docker.images.image_store import FetchLogin, ImageStoreSettings
from nodeagent.docker.images.ordered_pulls import ImagesPortal
from nodeagent.docker.network.container_network import ContainerNetwork, EgressScope, remove_network
from nodeagent.docker.network.egress import EgressPolicy, parse_allow_rule
from nodeagent.docker.network.gangs import HOST_NETWORK, GangSettings
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.doctor.check_reports import CheckReports
from nodeagent.gpu.declared_load import DeclaredLoads
from nodeagent.gpu.drivers.selection import SelectedDriver
from nodeagent.gpu.drivers.simulated import CardDescription, MigInstanceDescription, SimulatedDriver
from nodeagent.gpu.health.monitor import HealthMonitor
from nodeagent.gpu.health.store import HealthStore
from nodeagent.host.clock import SystemClock, read_boot_id
from nodeagent.host.disk_space import SHARED_MEMORY, DiskLimits, DiskSpaceInspection
from nodeagent.host.machine import read_machine_id
from nodeagent.host.network_interfaces import find_interface, list_interface_addresses
from nodeagent.host.secret_files import SecretFiles, root_for
from nodeagent.host.storage_check import StorageInspection, StorageMount
from nodeagent.host.usage import HostReader
from nodeagent.host.workspace_monitor import WorkspaceMonitor
from nodeagent.host.write_behind import WriteBehind
from nodeagent.link.identity import IdentityFile, NodeCredentials
from nodeagent.link.reports import PortalReports
from nodeagent.link.secrets import PortalSecrets
from nodeagent.link.websocket import WebSocketLink
from nodeagent.ports import ContainerRuntime, Fence, Inspection
from nodeagent.process.exec import ProcessExecAdapter
from nodeagent.process.fence import ProcessFence
from nodeagent.process.launch import ProcessSettings
from nodeagent.process.owners import ProcessOwnerLookup
from nodeagent.process.runtime import ProcessRuntime
from nodeagent.process.strays import end_strays
from nodeagent.sharing.exec_probe import ExecProbe, NoExecProbe
from nodeagent.sharing.records import ShareRecordsInspection
from nodeagent.telemetry.event_metrics import EventMetrics
from nodeagent.telemetry.exposition import build_registry
from nodeagent.telemetry.feed import TelemetryFeed
from nodeagent.telemetry.metrics_server import MetricsServer
from nodeagent.watchdog import WatchdogGuard

log = structlog.get_logger()

PRIVATE: Final = 0o700


@dataclass(frozen=True, slots=True)
class RuntimeParts:
    """Everything that depends on how containers are run."""

    runtime: ContainerRuntime
    exec_adapter: ExecAdapter
    fence: Fence
    owner_lookup: OwnerLookup
    watchdog: tuple[str, ...]
    """Command line of the process that fences without the agent."""
    exec_probe: ExecProbe = field(default_factory=NoExecProbe)
    """How a command is run inside a container."""
    inspections: tuple[Inspection, ...] = ()
    """What else of the host is inspected with every sample."""
    image_saver: ImageSaver | None = None
    """None where containers cannot be saved as images."""
    dataset_cache: DatasetCache | None = None
    use_portal: Callable[[FetchLogin, ImagesPortal], None] | None = None
    """Takes from where logins of registries and orders to pull come; None where nothing is pulled."""
    take_over: Callable[[], None] = lambda: None
    """Ends what the node runs outside of its folder; before anything of the folder is read."""
    clean_up: Callable[[], None] = lambda: None
    """Removes what the node has set up on its host for its work; after all of it was stopped."""


def prepare_state_dir(config: AgentConfig) -> StateLayout:
    """Make the state directory if it is missing, for its owner only, and return its layout."""
    root = config.state_dir
    root.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
    if root.stat().st_mode & 0o077:
        root.chmod(PRIVATE)
    return StateLayout(root.resolve())


def choose_runtime(config: AgentConfig, layout: StateLayout) -> RuntimeParts:
    """Choose the runtime: the configured one, else Docker when an engine answers.

    It knows its containers by the node's id, so it is chosen again after the node has joined.
    """
    kind = config.runtime
    if kind == "auto":
        kind = "docker" if is_engine_answering(config.docker.host) else "process"
        log.info("runtime.chosen", runtime=kind)
    identity = IdentityFile(layout.identity).load()
    node_id = identity.node_id if identity else ""
    choose = _docker_parts if kind == "docker" else _process_parts
    return choose(config, layout, node_id)


def build_sampler(config: AgentConfig, layout: StateLayout, parts: RuntimeParts) -> NodeSampler:
    """Return the sampler of this node's facts."""
    health_store = HealthStore(layout.card_health, read_boot_id())
    saver = WriteBehind("cards", health_store.save)
    offer = StaticNodeFacts(
        config.cpu_milli,
        config.memory_mib,
        config.advertise_address,
        config.switch,
        read_machine_id(),
    )
    return NodeSampler(
        offer,
        parts.runtime,
        build_probed_driver(config, build_driver(config), parts.exec_probe),
        SystemClock(),
        config.telemetry.sample_s,
        SamplerChecks(
            parts.owner_lookup,
            HealthMonitor(health_store.load(), saver.put),
            (
                *parts.inspections,
                _disk_space_inspection(config),
                StorageInspection(
                    StorageMount(config.storage_dir), is_shared=config.storage_shared
                ),
                ShareRecordsInspection(layout.shares),
                DatasetsInspection(_datasets_dir(config)),
            ),
            saver.run,
            HostReader().measure,
            DeclaredLoads(
                lambda key: read_declared_load(ContainerDir(layout.containers, key).path)
            ),
        ),
    )


def _disk_limits(config: AgentConfig) -> DiskLimits:
    low = config.disk_space
    return DiskLimits(
        low.pressure_mib, low.relief_mib, low.free_mib, low.free_inodes, low.shm_free_mib
    )


def _disk_space_inspection(config: AgentConfig) -> DiskSpaceInspection:
    places = {"storage": config.storage_dir, "state": config.state_dir, "memory": SHARED_MEMORY}
    return DiskSpaceInspection(places, _disk_limits(config))


def build_driver(config: AgentConfig) -> GpuDriver:
    """Return the driver of this node's cards."""
    return SelectedDriver(
        build_simulated_driver(config), config.accelerators, deadline_s=config.cards_deadline_s
    )


def build_simulated_driver(config: AgentConfig) -> SimulatedDriver:
    """Return the cards that this node simulates."""
    cards = [
        CardDescription(
            kind.model,
            kind.memory_mib,
            kind.island,
            tuple(
                MigInstanceDescription(part.profile, part.memory_mib, part.start)
                for part in kind.mig
            ),
            kind.profiles,
        )
        for kind in config.simulated.expand()
    ]
    return SimulatedDriver(config.name, cards, config.simulated.control)


def build_ports(
    config: AgentConfig, layout: StateLayout, parts: RuntimeParts, credentials: NodeCredentials
) -> AgentPorts:
    """Return everything that a running agent uses."""
    samples = build_sampler(config, layout, parts)
    shares = build_sharing(config, layout, parts.exec_probe, samples)
    secrets = PortalSecrets(str(config.portal_url), credentials, build_secret_files(config, layout))
    reports = PortalReports(str(config.portal_url), credentials)
    boot_id, instance = read_boot_id(), name_instance(layout.root, layout.instance)
    if parts.use_portal is not None:
        parts.use_portal(secrets.fetch_registry_login, reports)
    return AgentPorts(
        runtime=parts.runtime,
        link=WebSocketLink(str(config.portal_url), credentials, boot_id, instance),
        states=FileStateStore(layout.state),
        leases=LeaseFile(layout.lease, boot_id),
        sampler=samples,
        sharing=shares.sharing,
        readiness=ReadinessCheck(parts.exec_adapter),
        secrets=secrets,
        describe_missing_storage=StorageMount(config.storage_dir).describe_missing,
        share_monitor=shares.monitor,
        notebooks=build_notebooks(config, layout, samples, shares.sharing),
        image_saves=None
        if parts.image_saver is None
        else ImageSaves(
            parts.image_saver,
            secrets,
            BegunSavesFile(layout.image_saves),
            BuildFiles(layout.containers),
        ),
        background=_background(config, parts, samples, reports),
        watchdog_guard=WatchdogGuard(layout, parts.watchdog),
        clock=SystemClock(),
        boot_id=boot_id,
        instance=instance,
        event_metrics=EventMetrics(layout.containers),
        streams=ContainerStreams(str(config.portal_url), credentials, parts.exec_adapter),
        workspace_monitor=WorkspaceMonitor(layout.containers),
        telemetry_every_ms=int(config.telemetry.send_s * 1000),
        metrics=_metrics_factory(config) if config.telemetry.metrics_port else None,
    )


def _background(
    config: AgentConfig, parts: RuntimeParts, samples: NodeSampler, reports: PortalReports
) -> dict[str, Callable[[], Coroutine[Any, Any, None]]]:
    storage, cache = config.storage_dir.resolve(), parts.dataset_cache
    works = {
        "card health": samples.save_forever,
        "checks": CheckReports.of_host(config, reports).run,
        "data sets": None if cache is None else DatasetCaching(cache, storage, reports).run,
    }
    return {name: work for name, work in works.items() if work is not None}


def _metrics_factory(config: AgentConfig) -> Callable[[TelemetryFeed], MetricsServer]:
    address, port = str(config.telemetry.metrics_address), config.telemetry.metrics_port
    return lambda feed: MetricsServer(build_registry(config.name, feed), address, port)


def build_secret_files(config: AgentConfig, layout: StateLayout) -> SecretFiles:
    """Return where this node puts the secrets of its containers."""
    parent = (config.secrets_dir,) if config.secrets_dir else ()
    return SecretFiles(root_for(layout.root, *parent))


def _datasets_dir(config: AgentConfig) -> Path | None:
    return None if config.datasets_dir is None else config.datasets_dir.resolve()


def build_dataset_cache(config: AgentConfig, layout: StateLayout) -> DatasetCache | None:
    """Return the cache of data sets; None where none is configured."""
    cache = config.dataset_cache
    if cache.dir is None:
        return None
    free_mib = config.disk_space.relief_mib
    return DatasetCache(cache.dir.resolve(), cache.size_mib, layout.containers, free_mib)


def _process_parts(config: AgentConfig, layout: StateLayout, node_id: str) -> RuntimeParts:
    cache = build_dataset_cache(config, layout)
    settings = ProcessSettings(
        node=config.name,
        node_id=node_id,
        storage_dir=config.storage_dir.resolve(),
        datasets_dir=_datasets_dir(config),
        dataset_cache=cache,
        bind_address=str(config.bind_address),
        images=config.process_images,
        default_prefix=config.process_default_prefix,
        secret_files=build_secret_files(config, layout),
    )
    return RuntimeParts(
        runtime=ProcessRuntime(layout.containers, settings),
        exec_adapter=ProcessExecAdapter(layout.containers, str(config.bind_address)),
        fence=ProcessFence(layout.containers),
        owner_lookup=ProcessOwnerLookup(layout.containers),
        watchdog=(sys.executable, "-m", "nodeagent.process.watchdog", str(layout.root)),
        take_over=partial(_end_strays, layout.containers, node_id),
        dataset_cache=cache,
    )


def _end_strays(root: Path, node_id: str) -> None:
    if count := end_strays(root, node_id):
        log.warning("agent.strays_ended", processes=count)


def _image_store_settings(config: AgentConfig) -> ImageStoreSettings:
    images = config.images
    return ImageStoreSettings(
        bytes_max=images.size_mib * MIB,
        clean_above_pct=images.clean_above_pct,
        clean_below_pct=images.clean_below_pct,
        disk_limits=_disk_limits(config),
    )


def _docker_parts(config: AgentConfig, layout: StateLayout, node_id: str) -> RuntimeParts:
    host, root = config.docker.host, layout.containers
    program = (sys.executable, "-m", "nodeagent.docker.watchdog")
    command = (*program, str(layout.root), config.name, node_id)
    engine, cache = DockerEngine(host), build_dataset_cache(config, layout)
    network = ContainerNetwork(engine, config.docker.network, egress_scope(config))
    runtime = DockerRuntime(
        root,
        replace(
            docker_runtime_settings(config),
            node_id=node_id,
            secret_files=build_secret_files(config, layout),
            dataset_cache=cache,
        ),
        engine,
        _image_store_settings(config),
        network,
    )
    return RuntimeParts(
        runtime=runtime,
        exec_adapter=DockerExecAdapter(config.name, host, engine),
        exec_probe=DockerExecProbe(config.name, engine),
        fence=DockerFence(root, host, config.name, node_id),
        owner_lookup=DockerOwnerLookup(engine, config.name, node_id, root),
        watchdog=(*command, host) if host else command,
        inspections=(
            engine,
            runtime.images,
            network,
            VersionInspection(engine, config.docker.accept_versions),
        ),
        image_saver=runtime.image_saver,
        use_portal=runtime.use_portal,
        dataset_cache=cache,
        clean_up=partial(remove_network, host, config.docker.network),
    )


def docker_runtime_settings(config: AgentConfig) -> DockerRuntimeSettings:
    """Return what the Docker runtime needs to know about its node."""
    docker = config.docker
    return DockerRuntimeSettings(
        node=config.name,
        storage_dir=config.storage_dir.resolve(),
        datasets_dir=_datasets_dir(config),
        bind_address=str(config.bind_address),
        network=docker.network,
        gang=GangSettings(
            docker.gang_network, find_gang_interface(config, list_interface_addresses())
        ),
        user_id=docker.user_id,
        cpu_milli_max=(os.cpu_count() or 1) * 1000,
        is_rootfs_read_only=docker.read_only_rootfs,
        open_files_max=docker.open_files_max,
        processes_max=docker.processes_max,
        resolvers=tuple(map(str, docker.egress.resolvers)),
    )


def find_gang_interface(config: AgentConfig, interfaces: Mapping[str, str]) -> str:
    """Return the interface for ranks on the hosts' own network; not needed in gang networks."""
    docker = config.docker
    if docker.gang_interface or HOST_NETWORK not in (docker.gang_network, docker.network):
        return docker.gang_interface
    return find_interface(config.advertise_address, interfaces)


def egress_scope(config: AgentConfig) -> EgressScope:
    """Return where work may connect to."""
    egress = config.docker.egress
    policy = EgressPolicy(
        allowed=tuple(map(parse_allow_rule, egress.allow)),
        hidden=egress.deny,
        resolvers=tuple(map(str, egress.resolvers)),
        is_internet_open=egress.internet,
    )
    return EgressScope(policy, egress.enforce, config.portal_url.host or "")
