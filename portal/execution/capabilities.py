"""What the place where work runs can do, beyond running it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a node can do; work that needs more is not placed there, or is refused with a reason."""

    pulls_images: bool = False
    """It has a container engine; without one, an image is only a name."""
    saves_images: bool = False
    """It saves a running container as an image."""
    builds_images: bool = False
    """It runs containers that build an image."""
    runs_clusters: bool = False
    """It knows the launchers of Ray and Dask clusters."""
    mounts_published: bool = False
    """It mounts the published versions of data sets."""
