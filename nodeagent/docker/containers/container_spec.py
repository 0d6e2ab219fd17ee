"""Create options of a container, from its order; pure, so that they can be read and tested.

Every option is chosen here and filled from a typed field: nothing that a user or an image sets can
name an option, so none can be injected.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any, Final

from docker.types import DeviceRequest, LogConfig, Ulimit
from docker.types import Mount as EngineMount

from nodeagent.core.state import ContainerKey
from nodeagent.datasets.cache import DatasetCache
from nodeagent.disk.build_files import build_environment
from nodeagent.disk.container_dir import LOG_MAX, AppEndpoint
from nodeagent.disk.notices import HOSTFILE_NAME, notice_environment
from nodeagent.docker.network.gangs import (
    HOST_NETWORK,
    GangSettings,
    gang_create_options,
    gang_rendezvous,
    is_gang,
)
from nodeagent.host.secret_files import SecretFiles
from nodeagent.launch.environment import ContainerPaths, container_environment
from nodeagent.launch.jupyter import PROGRAM, lab_argv, lab_environment
from nodeagent.launch.ranks import RankRendezvous, rank_argv, rank_environment, rendezvous_on_nodes
from nodeagent.launch.reserved_variables import names_to_unset
from nodeagent.launch.volumes import HOME, INPUTS, VOLUMES
from nodeagent.launch.work import DEFAULT_SHELL, script_argv
from nodeagent.ports import ContainerOrder, Mount

LABEL_NODE: Final = "berth.node"
LABEL_NODE_ID: Final = "berth.node-id"
LABEL_ALLOCATION: Final = "berth.allocation"
LABEL_EPOCH: Final = "berth.epoch"
LABEL_DEVICES: Final = "berth.devices"
LABEL_ENDPOINT: Final = "berth.endpoint"
LABEL_SILENCE: Final = "berth.silence"
LABEL_PROBE: Final = "berth.probe"

WORKSPACE: Final = "/workspace"
OUTPUTS: Final = "/outputs"
SCRIPT: Final = "/berth/script"
DATA: Final = "/data"
NOTICE_DIR: Final = "/berth/notices"
"""Written by the agent, read by the work: stop notice, hostfile."""
LAB_DIR: Final = "/berth/lab"
"""The platform's extension of JupyterLab and its configuration: as old as the agent, however old the image is."""
SECRETS_DIR: Final = "/berth/secrets"
"""Files of secrets, in memory of the host, for the work's user only."""
BUILD_HOME: Final = "/root"
CHECKPOINT_DIR: Final = "/berth/checkpoints"
"""Written by the work: its checkpoint file."""
APP_PORT: Final = 8888
EVERY_ADDRESS: Final = str(IPv4Address(0))
"""All addresses of the container's own network: outside, only the published port is reachable."""
BUILD_CAPABILITIES: Final = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETGID", "SETUID")
"""What package managers need to install files of other users; no network, device or mount among it."""
PIDS_MAX: Final = 4096
LOG_SIZE: Final = "80m"
"""More than the portal keeps of one log, so that rotation never loses what the portal would keep."""


@dataclass(frozen=True, slots=True)
class DockerRuntimeSettings:
    """What the Docker runtime needs to know about its node."""

    node: str
    storage_dir: Path
    bind_address: str
    network: str
    user_id: int
    cpu_milli_max: int
    """Processors of the engine's host: the engine refuses more."""
    node_id: str = ""
    """What the portal calls the node."""
    datasets_dir: Path | None = None
    dataset_cache: DatasetCache | None = None
    is_rootfs_read_only: bool = False
    """Whether an image's own files are read-only; `/tmp`, `/run` and `/var/tmp` are not."""
    open_files_max: int = 0
    """Open files of one process; 0 leaves it to the engine, whose own limit may be lower."""
    processes_max: int = PIDS_MAX
    """Processes and threads of one container."""
    log_bytes_max: int = LOG_MAX
    """Of a container's log, kept by the agent; the engine's own file is rotated."""
    resolvers: tuple[str, ...] = ()
    """Name servers of containers; none leaves them those of the host."""
    secret_files: SecretFiles = field(default_factory=lambda: SecretFiles(Path()))
    gang: GangSettings = field(default_factory=GangSettings)

    @property
    def has_own_network(self) -> bool:
        """Whether containers have addresses of their own, so that ports must be published."""
        return self.network != HOST_NETWORK


def container_name(node: str, key: ContainerKey) -> str:
    """Return the unique name of this attempt: a second create fails with a conflict."""
    return f"berth-{node}-{key.allocation}-{key.epoch}"


def create_options(
    settings: DockerRuntimeSettings,
    order: ContainerOrder,
    endpoint: AppEndpoint | None,
    mounts: Sequence[Mount],
    image_env: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the keyword arguments of `containers.create`.

    `mounts` were resolved before; `image_env` is what the image sets, as `NAME=value`.
    """
    spec = order.spec
    return {
        "image": spec.image,
        "name": container_name(settings.node, order.key),
        "command": list(_command(settings, order, endpoint)),
        "labels": _labels(settings, order, endpoint),
        "environment": _environment(settings, order, endpoint, image_env),
        "working_dir": _working_dir(order),
        "user": f"{settings.user_id}:{settings.user_id}",
        "mounts": [_bind(mount) for mount in mounts],
        "device_requests": _device_requests(order),
        "devices": [f"{item.source}:{item.target}:rw" for item in order.injection.device_files],
        "group_add": list(map(str, order.injection.groups)),
        **_limits(settings, order),
        **_hardening(settings, order),
        **_network(settings, order, endpoint),
        **(_building() if spec.builds_image else {}),
    }


def _building() -> dict[str, Any]:
    """Return what differs for a build: root of the container, over the files of the image alone.

    Everything of the host that it sees is read-only, but the folder by which it says that it is
    done; so nothing that root can make there, such as a setuid file, is left for others.
    """
    return {
        "user": "0:0",
        "cap_add": list(BUILD_CAPABILITIES),
        "entrypoint": [DEFAULT_SHELL, SCRIPT],
        "command": [],
        "working_dir": "/",
        "read_only": False,
        "tmpfs": {},
    }


def _limits(settings: DockerRuntimeSettings, order: ContainerOrder) -> dict[str, Any]:
    memory = f"{order.spec.memory_mib}m"
    return {
        "mem_limit": memory,
        "memswap_limit": memory,
        "nano_cpus": min(order.spec.cpu_milli, settings.cpu_milli_max) * 1_000_000,
        "pids_limit": settings.processes_max,
        "shm_size": f"{max(64, order.spec.memory_mib // 2)}m",
        "ulimits": _ulimits(settings),
        "log_config": LogConfig(
            type=LogConfig.types.JSON, config={"max-size": LOG_SIZE, "max-file": "2"}
        ),
    }


def _ulimits(settings: DockerRuntimeSettings) -> list[Ulimit]:
    """Return the limits: no core dumps, and open files only where they are configured."""
    found = [Ulimit(name="core", soft=0, hard=0)]
    if settings.open_files_max:
        most = settings.open_files_max
        found.append(Ulimit(name="nofile", soft=most, hard=most))
    return found


def _hardening(settings: DockerRuntimeSettings, order: ContainerOrder) -> dict[str, Any]:
    """Return the options that isolate the work; namespaces are its own unless named here.

    The engine's default seccomp filter applies: an option could only weaken it.
    """
    return {
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "privileged": False,
        # Reaps orphans of the work: zombies count against the limit of processes.
        "init": True,
        "ipc_mode": "private",
        "cgroupns": "private",
        # The agent's user may have a proxy with a password in the Docker configuration.
        "use_config_proxy": False,
        # The platform decides what is started again.
        "restart_policy": {"Name": "no"},
        "read_only": settings.is_rootfs_read_only,
        "tmpfs": _scratch(order) if settings.is_rootfs_read_only else {},
    }


def _scratch(order: ContainerOrder) -> dict[str, str]:
    """Return writable folders in memory; they count as the work's own memory."""
    options = f"rw,nosuid,nodev,mode=1777,size={max(16, order.spec.memory_mib // 2)}m"
    return dict.fromkeys(("/tmp", "/run", "/var/tmp"), options)  # noqa: S108  in the container


def _network(
    settings: DockerRuntimeSettings, order: ContainerOrder, endpoint: AppEndpoint | None
) -> dict[str, Any]:
    if not settings.has_own_network:
        return {"network_mode": HOST_NETWORK}
    if is_gang(order):
        options = gang_create_options(settings.gang, order)
        return (
            options if "network_mode" in options else {**options, "dns": list(settings.resolvers)}
        )
    ports = {f"{APP_PORT}/tcp": (settings.bind_address, None)} if endpoint else {}
    return {"network": settings.network, "ports": ports, "dns": list(settings.resolvers)}


def _command(
    settings: DockerRuntimeSettings, order: ContainerOrder, endpoint: AppEndpoint | None
) -> tuple[str, ...]:
    spec = order.spec
    if endpoint is not None:
        listen_on = EVERY_ADDRESS if settings.has_own_network else settings.bind_address
        port = APP_PORT if settings.has_own_network else endpoint.port
        inside = AppEndpoint(listen_on, port, endpoint.base_path, endpoint.token)
        return lab_argv(
            PROGRAM,
            listen_on=listen_on,
            endpoint=inside,
            root_dir=_working_dir(order),
            lab_files=LAB_DIR,
        )
    if spec.script:
        return rank_argv(order, script_argv(SCRIPT, spec.script), NOTICE_DIR)
    return rank_argv(order, spec.command, NOTICE_DIR)


def _environment(
    settings: DockerRuntimeSettings,
    order: ContainerOrder,
    endpoint: AppEndpoint | None,
    image_env: Sequence[str],
) -> dict[str, str | None]:
    """Return the variables; those without a value are removed from what the image sets."""
    home = WORKSPACE if endpoint else "/tmp"  # noqa: S108  private to the container
    paths = ContainerPaths(
        HOME if order.spec.home else home,
        work_mount_target(order),
        data_dir=DATA,
        volumes_dir=VOLUMES,
        inputs_dir=INPUTS,
        secrets_dir=SECRETS_DIR,
    )
    return {
        **dict.fromkeys(names_to_unset(image_env)),
        **container_environment(order, paths, settings.node),
        **_rank_environment(settings, order),
        **(lab_environment(endpoint, WORKSPACE, LAB_DIR) if endpoint else {}),
    }


def _rank_environment(settings: DockerRuntimeSettings, order: ContainerOrder) -> dict[str, str]:
    files = notice_environment(Path(NOTICE_DIR), Path(CHECKPOINT_DIR))
    if order.spec.builds_image:
        files |= {**build_environment(Path(NOTICE_DIR), Path(CHECKPOINT_DIR)), "HOME": BUILD_HOME}
    return {**rank_environment(order, resolve_rendezvous(settings, order)), **files}


def resolve_rendezvous(settings: DockerRuntimeSettings, order: ContainerOrder) -> RankRendezvous:
    """Return how a rank reaches the others; raises `StartError` when no network leads to them."""
    hostfile = f"{NOTICE_DIR}/{HOSTFILE_NAME}"
    if settings.has_own_network:
        return gang_rendezvous(settings.gang, order, hostfile)
    return rendezvous_on_nodes(order.spec, interface=settings.gang.interface, hostfile=hostfile)


def work_mount_target(order: ContainerOrder) -> str:
    """Return where the container sees its own folder."""
    return WORKSPACE if order.spec.kind == "environment" else OUTPUTS


def _working_dir(order: ContainerOrder) -> str:
    """Return where programs start: a notebook in the home of its owner, if it has that."""
    is_at_home = order.spec.kind == "environment" and order.spec.home is not None
    return HOME if is_at_home else work_mount_target(order)


def _bind(mount: Mount) -> EngineMount:
    """Return a bind mount; private, so that later mounts on one side are not seen on the other."""
    return EngineMount(
        mount.target,
        str(mount.source),
        type="bind",
        read_only=mount.is_read_only,
        propagation="rprivate",
    )


def _labels(
    settings: DockerRuntimeSettings, order: ContainerOrder, endpoint: AppEndpoint | None
) -> dict[str, str]:
    """Return what another agent needs to adopt the container; no secret is among it."""
    labels = {
        LABEL_NODE: settings.node,
        LABEL_NODE_ID: settings.node_id,
        LABEL_ALLOCATION: order.key.allocation,
        LABEL_EPOCH: str(order.key.epoch),
        LABEL_DEVICES: json.dumps([asdict(item) for item in order.devices]),
        LABEL_SILENCE: order.silence.value,
    }
    if endpoint is not None:
        where = {"host": endpoint.host, "port": endpoint.port, "base_path": endpoint.base_path}
        labels[LABEL_ENDPOINT] = json.dumps(where)
    if order.spec.probe is not None:
        labels[LABEL_PROBE] = json.dumps(asdict(order.spec.probe))
    return labels


def _device_requests(order: ContainerOrder) -> list[DeviceRequest]:
    """Return the request for NVIDIA cards by UUID; simulated ones exist in the environment only."""
    uuids = [uuid for uuid in order.visible_devices if uuid.startswith(("GPU-", "MIG-"))]
    if not uuids:
        return []
    return [DeviceRequest(device_ids=uuids, capabilities=[["gpu"]])]
