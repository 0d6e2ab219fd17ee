"""How much of a log the portal keeps, and the metrics lines that reach it beyond that."""

from typing import Final

LOG_KEPT: Final = 64 * 1024 * 1024
"""Bytes kept of one log; what comes after is dropped, except metrics lines."""
EXCESS_KEPT: Final = 16 * 1024 * 1024
"""Bytes kept of the metrics lines that come after a log is full."""
METRICS_MARKER: Final = b"@metrics"
"""Begins the metrics in a line of a log."""
METRICS_LINE_MAX: Final = 4096
"""Bytes of a metrics line after its marker."""
