"""Moments that tests of the portal stand at."""

from datetime import UTC, datetime
from typing import Final

NOON: Final = datetime(2030, 5, 15, 4, tzinfo=UTC)
"""In Shanghai, whose clock a new site has."""
