"""What the place where work runs can do, beyond running it: asked everywhere instead of its name."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from wire.versions import CLUSTERS_SINCE, PUBLISHED_SINCE


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a node can do; work that needs more is not placed there, or is refused with a reason."""

    pulls_images: bool = False
    """It has a container engine; without one, an image is only a name."""
    keeps_cards: bool = False
    """A running container cannot be given other cards than those that it started with."""
    saves_images: bool = False
    """It saves a running container as an image."""
    builds_images: bool = False
    """It runs containers that build an image."""
    runs_clusters: bool = False
    """It knows the launchers of Ray and Dask clusters."""
    mounts_published: bool = False
    """It mounts the published versions of data sets."""


RUNTIMES: Final[Mapping[str, Capabilities]] = {
    "docker": Capabilities(pulls_images=True, keeps_cards=True),
    "process": Capabilities(),
    "slurm": Capabilities(keeps_cards=True),
    "kubernetes": Capabilities(keeps_cards=True),
}
"""What follows from the runtime of a node: that of its agent, or what runs its work instead."""
PULLING: Final = tuple(name for name, can in RUNTIMES.items() if can.pulls_images)
"""Runtimes with a container engine."""


def of_agent(
    runtime: str, protocol: int, *, saves_images: bool, builds_images: bool
) -> Capabilities:
    """Return what a node can do by what its agent reports; a version of 0 is not known yet."""
    return replace(
        RUNTIMES.get(runtime, Capabilities()),
        saves_images=saves_images,
        builds_images=builds_images,
        runs_clusters=not 0 < protocol < CLUSTERS_SINCE,
        mounts_published=not 0 < protocol < PUBLISHED_SINCE,
    )
