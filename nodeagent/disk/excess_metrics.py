"""Keeps the metrics lines that a program prints after the beginning of its log; standard library only."""

import re
from pathlib import Path
from typing import Final

from wire.log_lines import EXCESS_KEPT, METRICS_LINE_MAX, METRICS_MARKER

_LINE: Final = re.compile(
    re.escape(METRICS_MARKER) + rb"[ \t][^\r\n]{0,%d}[\r\n]" % METRICS_LINE_MAX
)
_OPEN_MAX: Final = len(METRICS_MARKER) + METRICS_LINE_MAX + 2


class ExcessMetrics:
    """The metrics lines of one log that end after the beginning that is kept of it.

    It is fed the log from `begins_at` on, in order. After a restart the same output is fed again, of
    which what the file already has is left out.
    """

    def __init__(self, path: Path, beginning: int) -> None:
        """Write to this file, for a log of whose beginning so many bytes are kept."""
        self._path = path
        self._kept = beginning
        self.begins_at = max(0, self._kept - _OPEN_MAX)
        """A line may begin in what is kept and end after it."""
        self._open = b""
        self._repeated = path.stat().st_size if path.exists() else 0
        self.is_full = self._repeated >= EXCESS_KEPT

    def skip(self) -> None:
        """Note that what is fed next does not follow what was fed last."""
        self._open = b""

    def feed(self, offset: int, piece: bytes) -> None:
        """Take the bytes of the log from this offset on; those before `begins_at` are ignored."""
        piece = piece[max(0, self.begins_at - offset) :]
        if not piece:
            return
        offset = max(offset, self.begins_at) - len(self._open)
        text = self._open + piece
        lines = b"".join(
            found[0] for found in _LINE.finditer(text) if offset + found.end() > self._kept
        )
        whole = max(text.rfind(b"\n"), text.rfind(b"\r")) + 1
        self._open = text[whole:][-_OPEN_MAX:]
        fresh = lines[self._repeated :]
        self._repeated -= len(lines) - len(fresh)
        if fresh and not self.is_full:
            with self._path.open("ab") as file:
                file.write(fresh)
                self.is_full = file.tell() >= EXCESS_KEPT
