"""Prepares what the shim runs for an order: paths, command line, environment."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from nodeagent.datasets.cache import DatasetCache
from nodeagent.datasets.places import DatasetPlaces, link_datasets
from nodeagent.disk.container_dir import LOG_MAX, AppEndpoint, ContainerDir, LaunchSpec, WorkFolder
from nodeagent.disk.notices import HOSTFILE_NAME, NoticeFiles, notice_environment
from nodeagent.host.secret_files import SecretFiles
from nodeagent.launch.environment import ContainerPaths, container_environment
from nodeagent.launch.jupyter import LAB_FILES, PROGRAM, copy_lab_files, lab_argv, lab_environment
from nodeagent.launch.mpi import shared_host_environment
from nodeagent.launch.ranks import rank_argv, rank_environment, rank_files, rendezvous_on_nodes
from nodeagent.launch.volumes import HOME, INPUTS, VOLUMES, link_folders
from nodeagent.launch.work import script_argv, work_dir
from nodeagent.ports import ContainerOrder, StartError
from nodeagent.process.control import container_marker
from nodeagent.process.strays import NODE_MARKER
from wire.words import ExitCause

SYSTEM_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
BATCH_NICE: Final = 5
"""Batch work has lower CPU priority than interactive work."""


@dataclass(frozen=True, slots=True)
class ProcessSettings:
    """The settings of a node that the process runtime needs."""

    node: str
    storage_dir: Path
    bind_address: str
    images: dict[str, Path]
    """Image reference → prefix of a Python environment."""
    default_prefix: Path | None
    """Prefix for all other images; None makes them unavailable."""
    log_bytes_max: int = LOG_MAX
    datasets_dir: Path | None = None
    dataset_cache: DatasetCache | None = None
    secret_files: SecretFiles = field(default_factory=lambda: SecretFiles(Path()))
    node_id: str = ""
    """What the portal calls the node."""


def find_image_prefix(settings: ProcessSettings, image: str) -> Path:
    """Return the Python environment that stands for an image; raises `StartError`."""
    prefix = settings.images.get(image, settings.default_prefix)
    if prefix is None or not (prefix / "bin" / "python").exists():
        raise StartError(
            ExitCause.IMAGE_UNAVAILABLE, f"image_not_found: no local environment for {image}"
        )
    return prefix


def prepare_launch(
    settings: ProcessSettings,
    order: ContainerOrder,
    directory: ContainerDir,
    endpoint: AppEndpoint | None,
) -> LaunchSpec:
    """Create the folders that the work needs, and return how to run it; raises `StartError`."""
    _refuse_saved_image(order)
    prefix = find_image_prefix(settings, order.spec.image)
    folder = work_dir(settings.storage_dir, order.spec)
    mounts = directory.path / "mounts"
    link_folders(settings.storage_dir, order.spec, mounts)
    home = folder if endpoint else directory.path / "home"
    if order.spec.home is not None:
        home = (mounts / HOME.lstrip("/")).resolve()
    for path in (folder, home):
        path.mkdir(parents=True, exist_ok=True)
    directory.write_work_folder(WorkFolder(folder, order.spec.disk_mib))
    places = DatasetPlaces(settings.datasets_dir, settings.storage_dir, settings.dataset_cache)
    data = link_datasets(places, order.spec.datasets, directory.path)
    secrets = _write_secrets(settings, order)
    paths = ContainerPaths(
        str(home),
        str(folder),
        f"{prefix / 'bin'}:{SYSTEM_PATH}",
        str(data),
        volumes_dir=f"{mounts}{VOLUMES}",
        inputs_dir=f"{mounts}{INPUTS}",
        secrets_dir=secrets,
    )
    marker, _, value = container_marker(directory).partition("=")
    env = {
        **container_environment(order, paths, settings.node),
        marker: value,
        **({NODE_MARKER: settings.node_id} if settings.node_id else {}),
        **_rank_environment(order, directory),
    }
    if endpoint is not None:
        lab_files = copy_lab_files(directory.path, order.spec.env)
        env.update(lab_environment(endpoint, str(folder), str(lab_files)))
    return LaunchSpec(
        argv=_argv(settings, order, directory, endpoint, home),
        env=env,
        cwd=str(home if endpoint else folder),
        memory_mib=order.spec.memory_mib,
        nice=0 if endpoint else BATCH_NICE,
        log_bytes=settings.log_bytes_max,
        secrets_dir=secrets,
    )


def _write_secrets(settings: ProcessSettings, order: ContainerOrder) -> str:
    """Write the secrets for the work, which runs as the agent's user; return their folder."""
    if not order.secrets:
        return ""
    return str(settings.secret_files.write(order.key, order.secrets, None))


def _rank_environment(order: ContainerOrder, directory: ContainerDir) -> dict[str, str]:
    """Write the files of a rank and return its variables; ranks connect at their nodes' addresses."""
    notices = NoticeFiles(directory)
    notices.create()
    rendezvous = rendezvous_on_nodes(order.spec, hostfile=str(notices.notice_dir / HOSTFILE_NAME))
    for name, text in rank_files(order, rendezvous).items():
        notices.write_file(name, text)
    is_mpi = order.spec.launcher == "mpi"
    return {
        **rank_environment(order, rendezvous),
        **(shared_host_environment(rendezvous.hosts) if is_mpi else {}),
        **notice_environment(notices.notice_dir, notices.checkpoint_dir),
    }


def _refuse_saved_image(order: ContainerOrder) -> None:
    """Refuse an image of the registry: another environment would lack what was saved."""
    if order.spec.has_registry_login:
        detail = "image_not_found: a saved image needs a container engine"
        raise StartError(ExitCause.IMAGE_UNAVAILABLE, detail)


def _argv(
    settings: ProcessSettings,
    order: ContainerOrder,
    directory: ContainerDir,
    endpoint: AppEndpoint | None,
    home: Path,
) -> tuple[str, ...]:
    spec = order.spec
    if endpoint is not None:
        program = find_image_prefix(settings, spec.image) / "bin" / PROGRAM
        if not program.exists():
            raise StartError(
                ExitCause.IMAGE_UNAVAILABLE, f"image_not_found: {spec.image} has no {PROGRAM}"
            )
        return lab_argv(
            str(program),
            listen_on=settings.bind_address,
            endpoint=endpoint,
            root_dir=str(home),
            lab_files=str(directory.path / LAB_FILES),
        )
    notice_dir = str(NoticeFiles(directory).notice_dir)
    if spec.script:
        directory.script_path.write_text(spec.script, encoding="utf-8")
        directory.script_path.chmod(0o700)
        return rank_argv(order, script_argv(str(directory.script_path), spec.script), notice_dir)
    if not spec.command:
        raise StartError(ExitCause.START_FAILED, "no_command")
    return rank_argv(order, spec.command, notice_dir)
