"""What runs the work of a pool, by the name in `portal.inventory.models.Pool.backend`."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

AGENTS: Final = "agents"
"""Agents on nodes of our own, over the node protocol."""
SLURM: Final = "slurm"
"""Partitions of a Slurm cluster: they take what may start."""
KUBERNETES: Final = "kubernetes"
"""Nodes of a Kubernetes cluster: it runs plain pods that are bound to them."""
BACKENDS: Final = (AGENTS, SLURM, KUBERNETES)
CLUSTERS: Final = (SLURM, KUBERNETES)
"""Clusters of the site, to which rounds hand work; a node of theirs has the name as its runtime."""
UNLEASED: Final = CLUSTERS
"""Nothing there stops work when the portal is not heard: it is kept, whatever pool and work ask."""


class Need(StrEnum):
    """What work may need of whatever runs it, beyond being run with whole GPUs."""

    SERVER = "server"
    """A way into it: to a server, to ports, or for a probe."""
    BUILD = "build"
    """To build an image."""
    SECRETS = "secrets"
    FILES = "files"
    """Volumes, data sets or the outputs of earlier jobs."""
    LAUNCHER = "launcher"
    """A launcher of the platform around its command."""
    SHARES = "shares"
    """Parts of GPUs."""


BEYOND: Final[Mapping[str, frozenset[Need]]] = {
    AGENTS: frozenset(),
    SLURM: frozenset(Need),
    KUBERNETES: frozenset(Need),
}
"""What each cannot do: a submission that needs it is refused with a reason."""
