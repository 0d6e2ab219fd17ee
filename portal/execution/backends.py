"""What runs the work of a pool, by the name in `portal.inventory.models.Pool.backend`."""

from typing import Final

AGENTS: Final = "agents"
"""Agents on nodes of our own, over the node protocol."""
BACKENDS: Final = (AGENTS,)
