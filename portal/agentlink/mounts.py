"""What containers mount besides their own folder: data sets, homes, volumes, outputs of earlier jobs.

Rights are checked here again, at every start: what work may no longer read it does not get.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from portal.common.uses.files import FileKind, keys_of
from portal.datasets.references import parse_reference
from portal.datasets.selectors import folders_readable_for_system
from portal.execution.capabilities import Capabilities
from portal.execution.desired import MountedDataset, MountedInput, MountedVolume
from portal.volumes.models import Volume
from portal.volumes.mounts import (
    GrantedVolume,
    VolumeWish,
    granted_volumes_for_system,
    homes_for_system,
)
from portal.workloads.app_folders import APP_FOLDER_NAME
from portal.workloads.models import Workload
from wire.messages import CLUSTER_LAUNCHERS


@dataclass(frozen=True, slots=True)
class WorkMounts:
    """The mounts of one workload, in the fields of `WorkSpec`."""

    datasets: tuple[MountedDataset, ...] = ()
    home: MountedVolume | None = None
    volumes: tuple[MountedVolume, ...] = ()
    inputs: tuple[MountedInput, ...] = ()

    def fields(self) -> dict[str, Any]:
        """Return them by the names of the fields."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


def load_mounts(workloads: Collection[Workload], can: Capabilities) -> Mapping[UUID, WorkMounts]:
    """Return the mounts of each workload on a node that can do this.

    Work that needs what the node does not know gets a data set instead that no node has: it fails to
    start, and says why.
    """
    datasets = _datasets(workloads)
    owners = {item.pk: item.owner_id for item in workloads if keys_of(item.files, FileKind.HOME)}
    homes = homes_for_system(set(owners.values()))
    granted = granted_volumes_for_system(
        VolumeWish(
            item.pk,
            item.owner_id,
            item.group_id,
            tuple(map(UUID, keys_of(item.files, FileKind.VOLUME))),
        )
        for item in workloads
    )
    found = {}
    for item in workloads:
        home = homes.get(owners[item.pk]) if item.pk in owners else None
        of_kind = _mounts_of_app if item.app_folder else _mounts_of_work
        mounts = of_kind(item, home, granted.get(item.pk, ()), datasets.get(item.pk, ()))
        lacks = _find_what_node_lacks(item, mounts, can)
        found[item.pk] = WorkMounts((_no_such_data(lacks),)) if lacks else mounts
    return found


def _mounts_of_work(
    item: Workload,
    home: Volume | None,
    granted: Sequence[GrantedVolume],
    datasets: tuple[MountedDataset, ...],
) -> WorkMounts:
    return WorkMounts(
        datasets,
        None if home is None else _mount(home, is_read_only=False),
        tuple(_mount(it.volume, is_read_only=it.is_read_only) for it in granted),
        tuple(
            MountedInput(name=used["name"], workload=used["job"])
            for used in item.spec.get("inputs", ())
        ),
    )


def _mounts_of_app(
    item: Workload,
    home: Volume | None,
    granted: Sequence[GrantedVolume],
    _: tuple[MountedDataset, ...],
) -> WorkMounts:
    """Return the one folder that a web app shows, under a name of its own.

    It only reads there, unless it is an app that writes. To such a one a home is its home, so that its
    settings are there the next time.
    """
    writes = bool(item.spec.get("writes"))
    if home is not None and writes:
        return WorkMounts(home=_mount(home, is_read_only=False))
    shown = granted if home is None else [GrantedVolume(home, is_read_only=True)]
    volumes = tuple(
        replace(_mount(it.volume, is_read_only=it.is_read_only or not writes), name=APP_FOLDER_NAME)
        for it in shown
    )
    inputs = tuple(
        MountedInput(name=APP_FOLDER_NAME, workload=used["job"])
        for used in item.spec.get("inputs", ())
    )
    return WorkMounts(volumes=volumes, inputs=inputs)


def _mount(volume: Volume, *, is_read_only: bool) -> MountedVolume:
    return MountedVolume(
        name=volume.name,
        volume=str(volume.pk),
        is_read_only=is_read_only,
        limit_mib=volume.quota_mib,
    )


def _find_what_node_lacks(workload: Workload, mounts: WorkMounts, can: Capabilities) -> str:
    """Return what work needs and a node cannot do; empty if it can do all."""
    if workload.spec.get("launcher") in CLUSTER_LAUNCHERS and not can.runs_clusters:
        return "clusters"
    if not can.mounts_published and any(it.is_published for it in mounts.datasets):
        return "published-data-sets"
    return ""


def _no_such_data(what: str) -> MountedDataset:
    name = f"{what}-need-a-newer-agent"
    return MountedDataset(name=name, path=name)


def _datasets(workloads: Collection[Workload]) -> Mapping[UUID, tuple[MountedDataset, ...]]:
    """Return the data sets of each workload, without those that its group may no longer read."""
    wanted = [
        (item.pk, item.group_id, used)
        for item in workloads
        for used in item.spec.get("datasets", ())
    ]
    folders = folders_readable_for_system((group, used) for _, group, used in wanted)
    found: dict[UUID, list[MountedDataset]] = defaultdict(list)
    for workload, group, used in wanted:
        if (folder := folders.get((group, used))) is not None:
            item = parse_reference(used)
            mount = MountedDataset(
                name=item.name,
                path=folder.path,
                is_published=folder.is_published,
                version=item.number or 0,
            )
            found[workload].append(mount)
    return {workload: tuple(mounts) for workload, mounts in found.items()}
