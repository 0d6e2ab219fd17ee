"""On which nodes queued work finds what it needs: volumes and outputs that lie on one node, data sets,
and what builds images.

Where all nodes share their storage, have all data sets and can build images, one query shows that nothing is bound.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Q

from portal.common.postgresql.column_lists import SEPARATOR
from portal.common.uses.files import FileKind, file_reference, keys_of
from portal.datasets.places import VersionFolder, may_have
from portal.datasets.selectors import version_folders_for_system
from portal.execution.capabilities import Capabilities, of_agent
from portal.inventory.models import Node
from portal.inventory.node_storage import has_own_storage
from portal.volumes.models import Volume
from portal.volumes.places import VolumePlace, place_of
from portal.workloads.models import Allocation
from scheduler.core.model.entities import NodeId
from scheduler.core.model.reasons import Reason, ReasonCode
from scheduler.core.model.states import NodeState

_STORAGE: Final = (FileKind.HOME, FileKind.VOLUME, FileKind.INPUT)


@dataclass(frozen=True, slots=True)
class FileBinding:
    """Where work that needs certain things may start."""

    nodes: frozenset[NodeId] = frozenset()
    """The only possible nodes."""
    reasons: tuple[Reason, ...] = ()
    """Why no node will do."""
    builds_image: bool = False
    """Only nodes that can build images will do."""


@dataclass(frozen=True, slots=True)
class _NodeFiles:
    """What a node has, as far as it reported that."""

    id: NodeId
    has_own_storage: bool
    can: Capabilities
    dataset_folders: frozenset[str] | None
    """None is unknown."""

    def has_dataset(self, folder: VersionFolder) -> bool:
        """Return whether it may have the version that lies there."""
        if folder.is_published:
            return self.can.mounts_published and not self.has_own_storage
        return may_have(self.dataset_folders, folder.path)


def bind_to_files(lists: Collection[str]) -> Mapping[str, FileBinding]:
    """Return the bindings of those lists of references that not every node has.

    A list is the column `files` as `column_lists` reads it.
    """
    if not lists:
        return {}
    nodes = _load_nodes()
    by_list = {text: text.split(SEPARATOR) for text in lists}
    places = _load_places(by_list.values()) if any(it.has_own_storage for it in nodes) else {}
    folders = _folders_of(by_list.values())
    found = {text: _bind(used, nodes, places, folders) for text, used in by_list.items()}
    return {text: binding for text, binding in found.items() if binding is not None}


def _bind(
    used: Sequence[str],
    nodes: Collection[_NodeFiles],
    places: Mapping[str, VolumePlace],
    folders: Mapping[str, VersionFolder],
) -> FileBinding | None:
    """Return where these files are; None is on every node."""
    for name in keys_of(used, FileKind.DATASET):
        if name in folders and not any(node.has_dataset(folders[name]) for node in nodes):
            reason = Reason(ReasonCode.DATASET_UNAVAILABLE, {"dataset": name})
            return FileBinding(reasons=(reason,))
    allowed = frozenset(node.id for node in nodes if _has_all(node, used, places, folders))
    if len(allowed) == len(nodes):
        return None
    builds = bool(keys_of(used, FileKind.BUILDER))
    code = ReasonCode.BUILDER_UNAVAILABLE if builds else ReasonCode.HOME_UNAVAILABLE
    return FileBinding(allowed, () if allowed else (Reason(code, {}),), builds)


def _has_all(
    node: _NodeFiles,
    used: Sequence[str],
    places: Mapping[str, VolumePlace],
    folders: Mapping[str, VersionFolder],
) -> bool:
    here = VolumePlace(UUID(node.id) if node.has_own_storage else None)
    if not node.can.builds_images and keys_of(used, FileKind.BUILDER):
        return False
    if any(places.get(item, here) != here for item in used):
        return False
    return all(
        node.has_dataset(folders[name])
        for name in keys_of(used, FileKind.DATASET)
        if name in folders
    )


def _load_nodes() -> list[_NodeFiles]:
    rows = Node.objects.exclude(state=NodeState.RETIRED).order_by("id")
    reported = ("runtime", "agent_protocol", "saves_images", "builds_images")
    columns = ("pk", "faults", "dataset_folders", *reported)
    return [
        _NodeFiles(
            NodeId(str(key)),
            has_own_storage(faults),
            of_agent(runtime, protocol, saves_images=saves, builds_images=builds),
            None if folders is None else frozenset(folders),
        )
        for key, faults, folders, runtime, protocol, saves, builds in rows.values_list(*columns)
    ]


def _folders_of(lists: Collection[Sequence[str]]) -> Mapping[str, VersionFolder]:
    """Return where versions of data sets lie; nothing is asked when no work uses any."""
    is_used = any(keys_of(used, FileKind.DATASET) for used in lists)
    return version_folders_for_system() if is_used else {}


def _load_places(lists: Collection[Sequence[str]]) -> Mapping[str, VolumePlace]:
    """Return where homes, volumes and outputs lie, by reference; those never used are left out."""
    wanted = {kind: {key for used in lists for key in keys_of(used, kind)} for kind in _STORAGE}
    volumes = Volume.objects.filter(
        Q(owner__in=wanted[FileKind.HOME]) | Q(pk__in=wanted[FileKind.VOLUME]),
        state=Volume.State.ACTIVE,
    ).select_related("node")
    found = {row.reference: place for row in volumes if (place := place_of(row)) is not None}
    return found | dict(_places_of_outputs(wanted[FileKind.INPUT]))


def _places_of_outputs(jobs: Collection[str]) -> Iterator[tuple[str, VolumePlace]]:
    """Yield where the outputs of jobs lie: where the first rank of the last attempt ran."""
    if not jobs:
        return
    last = Allocation.objects.filter(workload__in=map(UUID, jobs), started_at__isnull=False)
    rows = last.order_by("workload", "-epoch", "rank").distinct("workload")
    for job, node, faults in rows.values_list("workload", "node", "node__faults"):
        place = VolumePlace(node if has_own_storage(faults) else None)
        yield file_reference(FileKind.INPUT, job), place
