"""Bounds that the back ends of clusters have in common."""

from typing import Final

BACKSTOP_S: Final = 120
"""How much later than the portal a cluster itself ends work over its limit."""
IN_DOUBT_S: Final = 60
"""How long what was sent without an answer may still arrive: longer than any command or request takes."""
CHUNKS_MAX: Final = 64
"""Of one log in one round; what is left comes with the next."""
