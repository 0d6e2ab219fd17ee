"""What runs the work of a pool, by the name in `portal.inventory.models.Pool.backend`."""

from typing import Final

AGENTS: Final = "agents"
"""Agents on nodes of our own, over the node protocol."""
SLURM: Final = "slurm"
"""Partitions of a Slurm cluster: they take what may start."""
BACKENDS: Final = (AGENTS, SLURM)
UNLEASED: Final = (SLURM,)
"""Nothing there stops work when the portal is not heard: it is kept, whatever pool and work ask."""
