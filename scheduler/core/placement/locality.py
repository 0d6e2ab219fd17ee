"""How much of what work needs a node has on its disk: image and data sets, by size.

A node with all of it starts the work in seconds instead of minutes. That is a preference among places:
it neither rules a node out nor waits for one. (Kubernetes: `ImageLocality`; Slurm has none.)
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from scheduler.core.model.cached_content import CachedContent
from scheduler.core.model.entities import NodeId
from scheduler.core.placement.node_table import Ints

COMPLETE: Final = 1000
"""The locality of a node that has everything."""


class Locality:
    """The locality of some nodes, by their rows, for each set of contents; sets repeat much."""

    def __init__(self, cached: Mapping[str, CachedContent], rows: Mapping[NodeId, int]) -> None:
        self._cached = cached
        self._row = rows
        self._known: dict[tuple[str, ...], Ints | None] = {}

    def of(self, contents: tuple[str, ...]) -> Ints | None:
        """Return (N,) how many thousandths of the contents each node has; None where all have the same."""
        if contents not in self._known:
            self._known[contents] = self._measure(contents)
        return self._known[contents]

    def _measure(self, contents: tuple[str, ...]) -> Ints | None:
        """Return the localities. What no node has counts nothing: each would have to fetch it."""
        found: Ints = np.zeros(len(self._row), np.int64)
        total = 0
        for name in contents:
            content = self._cached.get(name)
            rows = (
                [self._row[node] for node in content.nodes if node in self._row] if content else []
            )
            if content and rows:
                size = max(content.size_mib, 1)
                found[rows] += size
                total += size
        if not total or (found == found[0]).all():
            return None
        return found * COMPLETE // total
