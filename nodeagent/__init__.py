"""The node agent: runs on one machine what the portal wants to run there."""

from typing import Final

__version__: Final = "0.1.0"
