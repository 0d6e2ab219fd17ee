"""The environment variables of a container, built from scratch; pure."""

from dataclasses import dataclass

from nodeagent.launch.reserved_variables import is_reserved
from nodeagent.ports import ContainerOrder


@dataclass(frozen=True, slots=True)
class ContainerPaths:
    """Paths as the container sees them."""

    home: str
    work_dir: str
    """Workspace of an environment, output folder of a training."""
    path: str = ""
    """Search path for programs; empty leaves the image's own."""
    data_dir: str = ""
    """Where the data sets are, each in a folder of its name."""


def container_environment(
    order: ContainerOrder, places: ContainerPaths, node: str
) -> dict[str, str]:
    """Return every variable; the user's own may change the common ones, never the reserved."""
    own = {name: value for name, value in order.spec.env.items() if not is_reserved(name)}
    return {
        **({"PATH": places.path} if places.path else {}),
        "HOME": places.home,
        "LANG": "C.UTF-8",
        "SHELL": "/bin/bash",
        "TERM": "xterm-256color",
        # Logs are followed live: nothing may wait in a buffer.
        "PYTHONUNBUFFERED": "1",
        **own,
        **_identity(order, places, node),
        **_cards(order),
        **order.injection.env,
    }


def _identity(order: ContainerOrder, places: ContainerPaths, node: str) -> dict[str, str]:
    return {
        "BERTH_WORKLOAD": order.spec.workload,
        "BERTH_NAME": order.spec.name,
        "BERTH_KIND": order.spec.kind,
        "BERTH_EPOCH": str(order.key.epoch),
        "BERTH_NODE": node,
        "BERTH_CPU_MILLI": str(order.spec.cpu_milli),
        "BERTH_MEMORY_MIB": str(order.spec.memory_mib),
        "BERTH_OUTPUT_DIR": places.work_dir,
        **({"BERTH_DATA_DIR": places.data_dir} if order.spec.datasets else {}),
    }


def _cards(order: ContainerOrder) -> dict[str, str]:
    """Name the granted cards by UUID; without any, all of them are hidden."""
    uuids = ",".join(order.visible_devices)
    return {
        "CUDA_VISIBLE_DEVICES": uuids,
        "NVIDIA_VISIBLE_DEVICES": uuids or "void",
        "BERTH_GPU_SLICES": str(len(order.devices)),
        "BERTH_GPU_MEMORY_MIB": str(sum(item.memory_mib for item in order.devices)),
    }
