"""What a container gets from its host: its own folder, its script, what its cards need."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nodeagent.datasets.places import DatasetPlaces, resolve_dataset
from nodeagent.disk.container_dir import ContainerDir, WorkFolder
from nodeagent.disk.notices import NoticeFiles
from nodeagent.docker.containers.container_spec import (
    CHECKPOINT_DIR,
    DATA,
    LAB_DIR,
    NOTICE_DIR,
    SCRIPT,
    SECRETS_DIR,
    DockerRuntimeSettings,
    resolve_rendezvous,
    work_mount_target,
)
from nodeagent.docker.start.user_map import UserMap
from nodeagent.host.quotas.project_quotas import ProjectQuotas
from nodeagent.host.secure_paths import (
    FileIdentity,
    ResolvedPath,
    UnsafePathError,
    make_folder_beneath,
    resolve_beneath,
    verify_mounts,
)
from nodeagent.launch.jupyter import copy_lab_files
from nodeagent.launch.ranks import rank_files
from nodeagent.launch.volumes import StorageFolder, resolve_folder, storage_folders
from nodeagent.launch.work import work_dir
from nodeagent.ports import ContainerOrder, Mount, StartError
from wire.mounts import DatasetMount
from wire.words import ExitCause


@dataclass(frozen=True, slots=True)
class ResolvedMounts:
    """The mounts of one container, and how to recognise each of them once it runs."""

    mounts: tuple[Mount, ...]
    identities: tuple[tuple[str, FileIdentity], ...]
    """Target inside, and the file that must be there."""

    def verify(self, pid: int) -> None:
        """Compare with the live container; raises `StartError` when a source was swapped.

        Only root can inspect it; `doctor` warns where the agent is not root.
        """
        if pid <= 0 or os.geteuid() != 0:
            return
        try:
            verify_mounts(pid, self.identities)
        except UnsafePathError as error:
            raise StartError(ExitCause.START_FAILED, f"mount_swapped: {error}") from error


def resolve_mounts(
    settings: DockerRuntimeSettings,
    order: ContainerOrder,
    directory: ContainerDir,
    users: UserMap | None,
) -> ResolvedMounts:
    """Make and resolve all mounts; raises `StartError`. Without `users`, owners are not changed."""
    try:
        found = [_own_folder(settings, order, directory, users)]
        if order.spec.script:
            found.append(_script(order, directory))
        if order.spec.kind == "environment":
            found.append(_lab_files(order, directory))
        found += _notice_dirs(settings, order, directory, users)
        if order.secrets:
            found.append(_secrets(settings, order, users))
        found += [_dataset(settings, item, directory) for item in order.spec.datasets]
        found += [_storage(settings, item, users) for item in storage_folders(order.spec)]
        found += [_injected(mount) for mount in order.injection.mounts]
    except UnsafePathError as error:
        raise StartError(ExitCause.START_FAILED, f"mount_refused: {error}") from error
    return ResolvedMounts(
        tuple(mount for mount, _ in found),
        tuple((mount.target, source.identity) for mount, source in found),
    )


def _own_folder(
    settings: DockerRuntimeSettings,
    order: ContainerOrder,
    directory: ContainerDir,
    users: UserMap | None,
) -> tuple[Mount, ResolvedPath]:
    folder = work_dir(settings.storage_dir, order.spec)
    owner = None if users is None else users.host_owner(settings.user_id)
    source = make_folder_beneath(
        settings.storage_dir, str(folder.relative_to(settings.storage_dir)), owner
    )
    ProjectQuotas().set_limit(source.path, order.spec.disk_mib)
    directory.write_work_folder(WorkFolder(folder, order.spec.disk_mib))
    is_read_only = order.spec.builds_image  # it is root, and the host's users can reach the folder
    return Mount(source.path, work_mount_target(order), is_read_only=is_read_only), source


def _script(order: ContainerOrder, directory: ContainerDir) -> tuple[Mount, ResolvedPath]:
    directory.script_path.write_text(order.spec.script, encoding="utf-8")
    directory.script_path.chmod(0o755)
    source = resolve_beneath(directory.path, directory.script_path.name)
    return Mount(source.path, SCRIPT), source


def _lab_files(order: ContainerOrder, directory: ContainerDir) -> tuple[Mount, ResolvedPath]:
    """Copy them beside the container: the engine may see the agent's data folder only."""
    copy = copy_lab_files(directory.path, order.spec.env)
    source = resolve_beneath(directory.path, copy.name)
    return Mount(source.path, LAB_DIR), source


def _notice_dirs(
    settings: DockerRuntimeSettings,
    order: ContainerOrder,
    directory: ContainerDir,
    users: UserMap | None,
) -> list[tuple[Mount, ResolvedPath]]:
    """Make the folders of stop notice and checkpoint, and the files that a rank reads there."""
    notices = NoticeFiles(directory)
    notices.create()
    for name, text in rank_files(order, resolve_rendezvous(settings, order)).items():
        notices.write_file(name, text)
    owner = None if users is None else users.host_owner(settings.user_id)
    notice_mount = resolve_beneath(directory.path, notices.notice_dir.name)
    checkpoint_mount = make_folder_beneath(directory.path, notices.checkpoint_dir.name, owner)
    return [
        (Mount(notice_mount.path, NOTICE_DIR), notice_mount),
        (Mount(checkpoint_mount.path, CHECKPOINT_DIR, is_read_only=False), checkpoint_mount),
    ]


def _secrets(
    settings: DockerRuntimeSettings, order: ContainerOrder, users: UserMap | None
) -> tuple[Mount, ResolvedPath]:
    """Write the secrets to memory of the host, for the user of the work."""
    owner = None if users is None else users.host_owner(settings.user_id)
    folder = settings.secret_files.write(order.key, order.secrets, owner)
    source = resolve_beneath(folder.parent, folder.name)
    return Mount(source.path, SECRETS_DIR), source


def _dataset(
    settings: DockerRuntimeSettings, item: DatasetMount, directory: ContainerDir
) -> tuple[Mount, ResolvedPath]:
    places = DatasetPlaces(settings.datasets_dir, settings.storage_dir, settings.dataset_cache)
    source = resolve_dataset(places, item, directory.path)
    return Mount(source.path, f"{DATA}/{item.name}"), source


def _storage(
    settings: DockerRuntimeSettings, folder: StorageFolder, users: UserMap | None
) -> tuple[Mount, ResolvedPath]:
    """Mount a home, a group volume, or what an earlier job has left; all work has one user."""
    owner = None if users is None else users.host_owner(settings.user_id)
    source = resolve_folder(settings.storage_dir, folder, owner)
    if folder.is_volume:
        ProjectQuotas().set_limit(source.path, folder.limit_mib)
    return Mount(source.path, folder.target, is_read_only=folder.is_read_only), source


def _injected(mount: Mount) -> tuple[Mount, ResolvedPath]:
    """Resolve a mount of the sharing mode; its source comes from the operator's own settings."""
    source = resolve_beneath(mount.source.parent, mount.source.name)
    return mount, source


def parse_pid(found: Mapping[str, Any]) -> int:
    """Return the host's number of a container's first process; 0 when none is alive."""
    return int(found.get("State", {}).get("Pid", 0))


def parse_image_env(found: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what an image sets, as `NAME=value` lines."""
    return tuple((found.get("Config") or {}).get("Env") or ())
