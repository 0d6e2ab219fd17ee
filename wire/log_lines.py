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
METRIC_NAME: Final = r"[^\W\d][\w./:%-]{0,63}"
"""What a metric can be called."""
METRIC_NAME_MAX: Final = 64
"""Characters of a metric's name."""
METRIC_STEP_MAX: Final = 2**53 - 1
"""Highest step: every JSON reader keeps it exact."""
METRIC_TIME_S_MAX: Final = 2**33
"""Latest `time` of a metrics line, in Unix seconds."""
EVENTS_KEPT: Final = 64 * 1024 * 1024
"""Bytes kept of the metrics lines that one attempt's event files amount to."""
