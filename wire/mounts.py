"""Folders that containers mount besides their own: data sets, volumes, outputs of earlier jobs."""

from typing import Annotated

from pydantic import StringConstraints

from wire.values import Count, Identifier, Message

DATASETS_MAX = 16
"""Data sets that one container may read."""
VOLUMES_MAX = 16
"""Group volumes that one container may mount."""
INPUTS_MAX = 16
"""Earlier jobs of which one container may read the outputs."""

MountName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,62}$")]
"""Name of a folder inside a container."""


class DatasetMount(Message):
    """Read-only data that all containers may mount, under `/data/<name>`."""

    name: MountName
    path: Annotated[str, StringConstraints(min_length=1, max_length=400)]
    """Below the node's `datasets_dir`; resolved without following any link out of it."""
    is_published: bool = False
    """Whether it is below the storage instead: the portal has put it there."""
    version: Count = 0
    """Its number, which the work is given; 0 is unknown."""


class VolumeMount(Message):
    """A volume of the storage, `<storage>/volumes/<volume>`, made by the first node that mounts it."""

    name: MountName
    """Mounted at `/volumes/<name>`; a home where homes are."""
    volume: Identifier
    is_read_only: bool = False
    limit_mib: Count = 0
    """How large it may become; 0 is no limit."""


class InputMount(Message):
    """What an earlier job has left, `<storage>/outputs/<workload>`, read-only at `/inputs/<name>`."""

    name: MountName
    workload: Identifier
