"""Which nodes have a version of a data set: its folder, or the storage that it was published to."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from portal.datasets.models import DatasetVersion
from portal.datasets.places import may_have
from portal.inventory.models import Node
from portal.inventory.node_storage import has_own_storage
from portal.inventory.selectors import dataset_folders_for_system


@dataclass(frozen=True, slots=True)
class VersionNodes:
    """What the nodes in service have, by their names."""

    folders: Mapping[str, Collection[str] | None]
    own_storage: frozenset[str]
    """Nodes that do not reach the shared storage."""

    def without(self, version: DatasetVersion) -> list[str]:
        """Return the nodes that do not have the files of a version."""
        if version.place == DatasetVersion.Place.STORAGE:
            return sorted(self.own_storage.intersection(self.folders))
        return [
            name
            for name, folders in sorted(self.folders.items())
            if not may_have(folders, version.path)
        ]


def version_nodes_for_system() -> VersionNodes:
    """Return what the nodes have (two queries)."""
    own = {
        name
        for name, faults in Node.objects.values_list("name", "faults")
        if has_own_storage(faults)
    }
    return VersionNodes(dataset_folders_for_system(), frozenset(own))
