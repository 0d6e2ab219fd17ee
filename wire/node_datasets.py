"""Which published versions of data sets a node caches, and which it is to: `POST /node/v1/datasets`.

Beside the heartbeat, as the images are (`wire.node_images`), and level-triggered as they are: each report
is the whole list, each answer names all that the node is to keep.
"""

from typing import Annotated, Final

from pydantic import Field, StringConstraints

from wire.values import Count, Identifier, Message, Millis, ShortText
from wire.words import CachePhase

CACHED_VERSIONS_MAX: Final = 64
"""Versions that one node caches, or is to cache."""


class CachedVersion(Message):
    """A published version on the disk of a node, or on its way there."""

    version: Identifier
    phase: CachePhase
    progress_pct: Annotated[int, Field(ge=0, le=100)] = 0
    size_bytes: Count = 0
    used_at: Millis = 0
    """When a container last mounted it; 0 is never."""
    detail: ShortText = ""
    """Why it failed; begins with a code."""


class NodeDatasetsReport(Message):
    """The cache of a node."""

    limit_mib: Count
    versions: Annotated[tuple[CachedVersion, ...], Field(max_length=CACHED_VERSIONS_MAX)] = ()


class VersionToCache(Message):
    """A published version that a node is to keep on its disk."""

    version: Identifier
    path: Annotated[str, StringConstraints(min_length=1, max_length=400)]
    """Below the storage."""
    size_bytes: Count = 0
    """0 is not known."""


class VersionsToCache(Message):
    """The answer."""

    wanted: Annotated[tuple[VersionToCache, ...], Field(max_length=CACHED_VERSIONS_MAX)] = ()
    gone: Annotated[tuple[Identifier, ...], Field(max_length=CACHED_VERSIONS_MAX)] = ()
    """Reported versions that were removed: no new work can mount them."""
