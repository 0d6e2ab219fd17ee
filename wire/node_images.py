"""What a node says of its images, and what it is ordered to pull: `POST /node/v1/images`.

Beside the heartbeat, which nothing of this may delay or lengthen. Level-triggered as that is: each
report is the whole list, each answer names every pull that has not ended.
"""

from typing import Annotated, Final

from pydantic import Field

from wire.values import Count, Identifier, Message, Millis, ShortText
from wire.words import PullPhase

CACHED_IMAGES_MAX: Final = 256
"""Images that a node reports, those that were needed last before others."""
PULLS_MAX: Final = 64
"""Pulls that one node is ordered to do at a time."""


class CachedImage(Message):
    """An image that a node has."""

    reference: ShortText
    digest: ShortText = ""
    """Of its manifest, as its registry names it; empty for one that came by hand."""
    size_bytes: Count
    """Unpacked."""
    layers: Count
    since: Millis = 0
    """When it came to the node; 0 is unknown."""
    used_at: Millis = 0
    """When a container was last made from it; 0 is never, or unknown."""


class OrderedPull(Message):
    """An image that a node pulls now, whatever else it fetches beforehand."""

    pull: Identifier
    reference: ShortText
    login_host: ShortText = ""
    """The registry whose login (`RegistryLoginRequest`) it must fetch first; empty is none."""


class PullReport(Message):
    """How far an ordered pull has come; repeated until it is no longer ordered."""

    pull: Identifier
    phase: PullPhase
    progress_pct: Annotated[int, Field(ge=0, le=100)] = 0
    detail: ShortText = ""
    """Why it failed; begins with a code."""


class NodeImagesReport(Message):
    """The images of a node, and its ordered pulls."""

    images: Annotated[tuple[CachedImage, ...], Field(max_length=CACHED_IMAGES_MAX)] = ()
    pulls: Annotated[tuple[PullReport, ...], Field(max_length=PULLS_MAX)] = ()


class OrderedPulls(Message):
    """The answer."""

    pulls: Annotated[tuple[OrderedPull, ...], Field(max_length=PULLS_MAX)] = ()
