"""How much of a log is kept, and the metrics lines that reach the portal beyond that."""

from typing import Final

LOG_BEGINNING: Final = 60 * 1024 * 1024
"""Bytes kept of the beginning of a log."""
LOG_END: Final = 4 * 1024 * 1024
"""Bytes kept of the end of a longer log, which follow its beginning once the work has ended."""
GAP_LINE_MAX: Final = 256
"""Bytes of the line between them that counts what is left out."""
LOG_KEPT: Final = LOG_BEGINNING + LOG_END + GAP_LINE_MAX
"""Bytes kept of one log: its beginning, the line that counts what is left out, and its end."""
EXCESS_KEPT: Final = 16 * 1024 * 1024
"""Bytes kept of the metrics lines that come after the beginning of a log that is kept."""
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
