"""From an order to what the engine is asked to create; pure, so that it can be read and tested."""

import json
from dataclasses import asdict, dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any, Final

from docker.types import DeviceRequest, LogConfig, Mount

from nodeagent.core.state import Key
from nodeagent.disk.container_dir import ContainerDir, Endpoint
from nodeagent.launch.environment import Places, container_environment
from nodeagent.launch.jupyter import PROGRAM, lab_argv, lab_environment
from nodeagent.launch.work import script_argv, work_dir
from nodeagent.ports import Order

LABEL_NODE: Final = "berth.node"
LABEL_ALLOCATION: Final = "berth.allocation"
LABEL_EPOCH: Final = "berth.epoch"
LABEL_DEVICES: Final = "berth.devices"

WORKSPACE: Final = "/workspace"
OUTPUTS: Final = "/outputs"
SCRIPT: Final = "/berth/script"
APP_PORT: Final = 8888
EVERY_ADDRESS: Final = str(IPv4Address(0))
"""Of the container's own network: outside, only the published port is reachable."""
HOST_NETWORK: Final = "host"
PIDS_MAX: Final = 4096
LOG_SIZE: Final = "80m"
"""More than the portal keeps of one log, so that rotation never loses what it wants."""


@dataclass(frozen=True, slots=True)
class DockerSettings:
    """What the Docker runtime needs to know about its node."""

    node: str
    storage_dir: Path
    bind_address: str
    network: str
    user_id: int
    cpu_milli_max: int
    """Processors of the engine's host: it refuses to promise more."""

    @property
    def has_own_network(self) -> bool:
        """Whether containers have addresses of their own, so that ports must be published."""
        return self.network != HOST_NETWORK


def container_name(node: str, key: Key) -> str:
    """Return the one name of this attempt: a second create meets a conflict."""
    return f"berth-{node}-{key.allocation}-{key.epoch}"


def create_options(
    settings: DockerSettings, order: Order, place: ContainerDir, endpoint: Endpoint | None
) -> dict[str, Any]:
    """Return the keyword arguments of `containers.create`."""
    spec = order.spec
    return {
        "image": spec.image,
        "name": container_name(settings.node, order.key),
        "command": list(_command(settings, order, endpoint)),
        "labels": _labels(settings, order),
        "environment": _environment(settings, order, endpoint),
        "working_dir": _inside(order),
        "user": f"{settings.user_id}:{settings.user_id}",
        "init": True,
        "mounts": _mounts(settings, order, place),
        "device_requests": _device_requests(order),
        **_limits(settings, order),
        **_hardening(),
        **_network(settings, endpoint),
    }


def _limits(settings: DockerSettings, order: Order) -> dict[str, Any]:
    memory = f"{order.spec.memory_mib}m"
    return {
        "mem_limit": memory,
        "memswap_limit": memory,
        "nano_cpus": min(order.spec.cpu_milli, settings.cpu_milli_max) * 1_000_000,
        "pids_limit": PIDS_MAX,
        "shm_size": f"{max(64, order.spec.memory_mib // 2)}m",
        "log_config": LogConfig(
            type=LogConfig.types.JSON, config={"max-size": LOG_SIZE, "max-file": "2"}
        ),
    }


def _hardening() -> dict[str, Any]:
    return {
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "privileged": False,
        "restart_policy": {"Name": "no"},
    }


def _network(settings: DockerSettings, endpoint: Endpoint | None) -> dict[str, Any]:
    if not settings.has_own_network:
        return {"network_mode": HOST_NETWORK}
    ports = {f"{APP_PORT}/tcp": (settings.bind_address, None)} if endpoint else {}
    return {"network": settings.network, "ports": ports}


def _command(settings: DockerSettings, order: Order, endpoint: Endpoint | None) -> tuple[str, ...]:
    spec = order.spec
    if endpoint is not None:
        listen_on = EVERY_ADDRESS if settings.has_own_network else settings.bind_address
        port = APP_PORT if settings.has_own_network else endpoint.port
        inside = Endpoint(listen_on, port, endpoint.base_path, endpoint.token)
        return lab_argv(PROGRAM, listen_on=listen_on, endpoint=inside, root_dir=WORKSPACE)
    if spec.script:
        return script_argv(SCRIPT, spec.script)
    return spec.command


def _environment(
    settings: DockerSettings, order: Order, endpoint: Endpoint | None
) -> dict[str, str]:
    home = WORKSPACE if endpoint else "/tmp"  # noqa: S108  private to the container
    env = container_environment(order, Places(home, _inside(order)), settings.node)
    return {**env, **lab_environment(endpoint)} if endpoint else env


def _inside(order: Order) -> str:
    return WORKSPACE if order.spec.kind == "environment" else OUTPUTS


def _mounts(settings: DockerSettings, order: Order, place: ContainerDir) -> list[Mount]:
    mounts = [Mount(_inside(order), str(work_dir(settings.storage_dir, order.spec)), type="bind")]
    if order.spec.script:
        mounts.append(Mount(SCRIPT, str(place.script_path), type="bind", read_only=True))
    return mounts


def _labels(settings: DockerSettings, order: Order) -> dict[str, str]:
    return {
        LABEL_NODE: settings.node,
        LABEL_ALLOCATION: order.key.allocation,
        LABEL_EPOCH: str(order.key.epoch),
        LABEL_DEVICES: json.dumps([asdict(item) for item in order.devices]),
    }


def _device_requests(order: Order) -> list[DeviceRequest]:
    """Hand NVIDIA cards in by UUID; simulated ones exist in the environment only."""
    uuids = [item.uuid for item in order.devices if item.uuid.startswith(("GPU-", "MIG-"))]
    if not uuids:
        return []
    return [DeviceRequest(device_ids=list(dict.fromkeys(uuids)), capabilities=[["gpu"]])]
