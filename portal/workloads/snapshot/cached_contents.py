"""What nodes have on their disks of what work would fetch: images, and published versions of data sets.

Nodes report whole lists every few minutes. Each pass reads only the versions of their rows, and then the
lists that this process has not read yet.
"""

from collections import defaultdict
from collections.abc import Mapping, Set
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from portal.common.postgresql.column_lists import SEPARATOR
from portal.common.uses.files import FileKind, file_reference, keys_of
from portal.workloads.snapshot.running import fetch_rows
from scheduler.core.model.cached_content import CachedContent
from scheduler.core.model.entities import NodeId
from wire.words import CachePhase

_MIB: Final = 2**20
_VERSIONS: Final = """
SELECT node_id::text, 'i' || xmin::text || ctid::text FROM environments_nodeimagelist
UNION ALL
SELECT node_id::text, 'd' || xmin::text || ctid::text FROM inventory_nodedatasetcache
"""
"""A row that is written again has another version."""
_LISTS: Final = """
SELECT listed.node_id::text, 'image:' || (item ->> 'reference'), (item ->> 'size_bytes')::bigint
FROM environments_nodeimagelist listed, jsonb_array_elements(listed.images) item
WHERE listed.node_id = ANY(%(nodes)s::uuid[])
UNION ALL
SELECT cache.node_id::text, 'dataset:' || dataset.name || '@' || version.number, (item ->> 'size_bytes')::bigint
FROM inventory_nodedatasetcache cache
CROSS JOIN jsonb_array_elements(cache.versions) item
JOIN datasets_datasetversion version ON version.id::text = item ->> 'version'
JOIN datasets_dataset dataset ON dataset.id = version.dataset_id
WHERE cache.node_id = ANY(%(nodes)s::uuid[]) AND item ->> 'phase' = %(cached)s
"""


@lru_cache(maxsize=4096)
def contents_of(image: str, files: str) -> tuple[str, ...]:
    """Return what work with this image and this list of file references needs on its node.

    The image is a reference, the list is the column `files` as `column_lists` reads it.
    """
    datasets = keys_of(files.split(SEPARATOR), FileKind.DATASET)
    return (f"image:{image}", *(file_reference(FileKind.DATASET, name) for name in datasets))


class _NodeLists(NamedTuple):
    """What the lists of one node have reported."""

    versions: Set[str]
    sizes: Mapping[str, int]
    """MiB by name."""


class _CachedLists:
    """The lists of all nodes as this process has read them last."""

    def __init__(self) -> None:
        self._nodes: Mapping[str, _NodeLists] = MappingProxyType({})
        self._contents: tuple[CachedContent, ...] = ()

    def read(self) -> tuple[CachedContent, ...]:
        """Return what nodes have copies of, by name."""
        versions = defaultdict[str, set[str]](set)
        for node, version in fetch_rows(_VERSIONS, {}):
            versions[node].add(version)
        kept = {
            node: known
            for node, known in self._nodes.items()
            if node in versions and known.versions == versions[node]
        }
        changed = versions.keys() - kept.keys()
        if changed or len(kept) < len(self._nodes):
            before = {node: listed.sizes for node, listed in self._nodes.items()}
            self._nodes = kept | _read_lists({node: versions[node] for node in changed})
            # Most lists are written again without news.
            if before != {node: listed.sizes for node, listed in self._nodes.items()}:
                self._contents = _by_name(self._nodes)
        return self._contents


_CACHED: Final = _CachedLists()
"""Of this process."""


def load_cached_contents() -> tuple[CachedContent, ...]:
    """Return the images and versions of data sets that nodes have copies of, by name."""
    return _CACHED.read()


def _read_lists(versions: Mapping[str, Set[str]]) -> dict[str, _NodeLists]:
    """Return what these nodes have listed; their versions are known already."""
    sizes: dict[str, dict[str, int]] = {node: {} for node in versions}
    if versions:
        params = {"nodes": sorted(versions), "cached": CachePhase.CACHED.value}
        for node, name, size_bytes in fetch_rows(_LISTS, params):
            sizes[node][name] = size_bytes // _MIB
    return {node: _NodeLists(found, sizes[node]) for node, found in versions.items()}


def _by_name(nodes: Mapping[str, _NodeLists]) -> tuple[CachedContent, ...]:
    size: dict[str, int] = {}
    having: defaultdict[str, set[NodeId]] = defaultdict(set)
    for node, listed in nodes.items():
        for name, size_mib in listed.sizes.items():
            having[name].add(NodeId(node))
            size[name] = max(size.get(name, 0), size_mib)
    return tuple(CachedContent(name, size[name], frozenset(having[name])) for name in sorted(size))
