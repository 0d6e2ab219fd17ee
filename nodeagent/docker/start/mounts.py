"""What a container gets to see of its host: its own folder, its script, what its cards need.

And what of the engine's words about it decides that: its process, what its image sets.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nodeagent.core.state import Cause
from nodeagent.disk.container_dir import ContainerDir, Work
from nodeagent.disk.notices import Talk
from nodeagent.docker.containers.container_spec import (
    DATA,
    SAVED,
    SCRIPT,
    TOLD,
    DockerSettings,
    meeting,
    work_target,
)
from nodeagent.docker.start.user_map import UserMap
from nodeagent.host.project_quotas import FolderQuotas
from nodeagent.host.secure_paths import (
    Identity,
    MountRefusedError,
    Source,
    make_folder,
    resolve,
    verify,
)
from nodeagent.launch.datasets import dataset_source
from nodeagent.launch.ranks import told_files
from nodeagent.launch.work import work_dir
from nodeagent.ports import Mount, Order, StartError
from wire.messages import DatasetMount


@dataclass(frozen=True, slots=True)
class Sources:
    """The mounts of one container, and how to recognise each of them once it lives."""

    mounts: tuple[Mount, ...]
    identities: tuple[tuple[str, Identity], ...]
    """Target inside and what must be there."""

    def check(self, pid: int) -> None:
        """Compare with the living container; raises `StartError` when anything was swapped.

        Only root may look into it; `doctor` says so where the agent is somebody else.
        """
        if pid <= 0 or os.geteuid() != 0:
            return
        try:
            verify(pid, self.identities)
        except MountRefusedError as error:
            raise StartError(Cause.START_FAILED, f"mount_swapped: {error}") from error


def gather(
    settings: DockerSettings, order: Order, place: ContainerDir, users: UserMap | None
) -> Sources:
    """Make and resolve everything; raises `StartError`. Without `users`, owners are left alone."""
    try:
        found = [_own_folder(settings, order, place, users)]
        if order.spec.script:
            found.append(_script(order, place))
        found += _talk(settings, order, place, users)
        found += [_dataset(settings, item) for item in order.spec.datasets]
        found += [_fitting(mount) for mount in order.fittings.mounts]
    except MountRefusedError as error:
        raise StartError(Cause.START_FAILED, f"mount_refused: {error}") from error
    return Sources(
        tuple(mount for mount, _ in found),
        tuple((mount.target, source.identity) for mount, source in found),
    )


def _own_folder(
    settings: DockerSettings, order: Order, place: ContainerDir, users: UserMap | None
) -> tuple[Mount, Source]:
    folder = work_dir(settings.storage_dir, order.spec)
    owner = None if users is None else users.owner(settings.user_id)
    source = make_folder(settings.storage_dir, str(folder.relative_to(settings.storage_dir)), owner)
    FolderQuotas().bound(source.path, order.spec.disk_mib)
    place.write_work(Work(folder, order.spec.disk_mib))
    return Mount(source.path, work_target(order), is_read_only=False), source


def _script(order: Order, place: ContainerDir) -> tuple[Mount, Source]:
    place.script_path.write_text(order.spec.script, encoding="utf-8")
    place.script_path.chmod(0o755)
    source = resolve(place.path, place.script_path.name)
    return Mount(source.path, SCRIPT), source


def _talk(
    settings: DockerSettings, order: Order, place: ContainerDir, users: UserMap | None
) -> list[tuple[Mount, Source]]:
    """Make the folders of notice and checkpoint, and what a rank reads there."""
    talk = Talk(place)
    talk.create()
    for name, text in told_files(order, meeting(settings, order)).items():
        talk.write_told(name, text)
    owner = None if users is None else users.owner(settings.user_id)
    told = resolve(place.path, talk.told.name)
    saved = make_folder(place.path, talk.saved.name, owner)
    return [(Mount(told.path, TOLD), told), (Mount(saved.path, SAVED, is_read_only=False), saved)]


def _dataset(settings: DockerSettings, item: DatasetMount) -> tuple[Mount, Source]:
    source = dataset_source(settings.datasets_dir, item)
    return Mount(source.path, f"{DATA}/{item.name}"), source


def _fitting(mount: Mount) -> tuple[Mount, Source]:
    """Look at what the sharing mode hands in: it comes from the operator's own settings."""
    source = resolve(mount.source.parent, mount.source.name)
    return mount, source


def pid_of(found: Mapping[str, Any]) -> int:
    """Return the host's number of a container's first process; 0 when none lives."""
    return int(found.get("State", {}).get("Pid", 0))


def image_env(found: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what an image sets, as `NAME=value` lines."""
    return tuple((found.get("Config") or {}).get("Env") or ())
