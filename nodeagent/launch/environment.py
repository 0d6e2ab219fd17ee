"""The environment variables of a container, built from scratch; pure."""

from dataclasses import dataclass

from nodeagent.launch.reserved_variables import is_reserved
from nodeagent.ports import ContainerOrder
from wire.messages import ArrayTask


@dataclass(frozen=True, slots=True)
class ContainerPaths:
    """Paths as seen from inside the container."""

    home: str
    work_dir: str
    """The workspace of a notebook, or the output folder of a training."""
    path: str = ""
    """The search path for programs; empty keeps the image's own."""
    data_dir: str = ""
    """The folder with the data sets, each in a subfolder of its name."""
    volumes_dir: str = ""
    """The folder with the group volumes, each in a subfolder of its name."""
    inputs_dir: str = ""
    """The folder with the outputs of earlier jobs, each in a subfolder of its name."""
    secrets_dir: str = ""
    """The folder with the secrets that are files."""


def container_environment(
    order: ContainerOrder, paths: ContainerPaths, node: str
) -> dict[str, str]:
    """Return all variables; the user's own may override the common ones, never the reserved ones."""
    own = {name: value for name, value in order.spec.env.items() if not is_reserved(name)}
    return {
        **({"PATH": paths.path} if paths.path else {}),
        "HOME": paths.home,
        "LANG": "C.UTF-8",
        "SHELL": "/bin/bash",
        "TERM": "xterm-256color",
        # Logs are followed live, so output must not be buffered.
        "PYTHONUNBUFFERED": "1",
        **_tracking_variables(order, paths),
        **own,
        **_berth_variables(order, paths, node),
        **_gpu_variables(order),
        **order.injection.env,
    }


def _tracking_variables(order: ContainerOrder, paths: ContainerPaths) -> dict[str, str]:
    """Return where MLflow logs unless the work says otherwise: into the outputs, which its app shows.

    A folder needs no server that runs beside the job, and none that the job must be let out to.
    """
    if order.spec.kind != "training":
        return {}
    return {
        "MLFLOW_TRACKING_URI": f"file:{paths.work_dir}/mlruns",
        # Since version 3, MLflow logs to folders only where that is allowed.
        "MLFLOW_ALLOW_FILE_STORE": "true",
    }


def _berth_variables(order: ContainerOrder, paths: ContainerPaths, node: str) -> dict[str, str]:
    return {
        "BERTH_WORKLOAD": order.spec.workload,
        "BERTH_NAME": order.spec.name,
        "BERTH_KIND": order.spec.kind,
        "BERTH_EPOCH": str(order.key.epoch),
        "BERTH_NODE": node,
        "BERTH_CPU_MILLI": str(order.spec.cpu_milli),
        "BERTH_MEMORY_MIB": str(order.spec.memory_mib),
        "BERTH_OUTPUT_DIR": paths.work_dir,
        **_dataset_variables(order, paths),
        **({"BERTH_VOLUMES_DIR": paths.volumes_dir} if order.spec.volumes else {}),
        **({"BERTH_INPUTS_DIR": paths.inputs_dir} if order.spec.inputs else {}),
        **({"BERTH_SECRETS_DIR": paths.secrets_dir} if order.secrets else {}),
        **_array_variables(order.spec.array),
    }


def _dataset_variables(order: ContainerOrder, paths: ContainerPaths) -> dict[str, str]:
    """Return where the data sets are, and which versions: what a result rests on."""
    if not order.spec.datasets:
        return {}
    names = (f"{it.name}@{it.version}" if it.version else it.name for it in order.spec.datasets)
    return {"BERTH_DATA_DIR": paths.data_dir, "BERTH_DATASETS": " ".join(names)}


def _array_variables(task: ArrayTask | None) -> dict[str, str]:
    """Return which task of a job array this is (Slurm: SLURM_ARRAY_TASK_ID and its like)."""
    if task is None:
        return {}
    return {
        "BERTH_ARRAY_ID": task.id,
        "BERTH_ARRAY_INDEX": str(task.index),
        "BERTH_ARRAY_SIZE": str(task.size),
    }


def _gpu_variables(order: ContainerOrder) -> dict[str, str]:
    """Return the variables that name the granted cards by UUID; without any, all cards are hidden."""
    uuids = ",".join(order.visible_devices)
    return {
        "CUDA_VISIBLE_DEVICES": uuids,
        "NVIDIA_VISIBLE_DEVICES": uuids or "void",
        "BERTH_GPU_SLICES": str(len(order.devices)),
        "BERTH_GPU_MEMORY_MIB": str(sum(item.memory_mib for item in order.devices)),
    }
