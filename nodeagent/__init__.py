"""The node agent: runs what the portal wants on one machine, and nothing else."""

from typing import Final

__version__: Final = "0.1.0"
