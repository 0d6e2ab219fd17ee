"""How logs are sent: as text, on request with times and ranks before each line, or as records for pages."""

import json
from datetime import UTC, datetime
from typing import Final, Protocol

from portal.live.log_merge import LogRecord

TEXT_TYPE: Final = b"text/plain; charset=utf-8"


class LogFormat(Protocol):
    """Turns what was read into what is sent."""

    content_type: bytes

    def write(self, record: LogRecord) -> bytes:
        """Return what is sent of the next record."""


class LinesFormat:
    """Text with the time and the rank before each line, as asked for."""

    content_type = TEXT_TYPE

    def __init__(self, *, has_times: bool, has_ranks: bool) -> None:
        """Write these before each line."""
        self._has_times = has_times
        self._has_ranks = has_ranks
        self._open: tuple[int, int] | None = None
        """The attempt and the rank whose line is not at its end."""

    def write(self, record: LogRecord) -> bytes:
        """Return the lines of a record; a line that another rank interrupts ends there."""
        prefix = self._prefix(record)
        log = (record.epoch, record.rank)
        goes_on = self._open == log
        ended = b"" if self._open is None or goes_on else b"\n"
        is_whole = record.text.endswith(b"\n")
        lines = record.text.removesuffix(b"\n").replace(b"\n", b"\n" + prefix)
        self._open = None if is_whole else log
        return ended + (b"" if goes_on else prefix) + lines + (b"\n" if is_whole else b"")

    def _prefix(self, record: LogRecord) -> bytes:
        words = []
        if self._has_times:
            words.append("-" if record.at_ms is None else _utc(record.at_ms))
        if self._has_ranks:
            words.append(f"[{record.rank}]")
        return (" ".join(words) + " ").encode()


class RecordsFormat:
    """One JSON object a line: attempt, rank, time, where it begins and ends in its log, and its text."""

    content_type = b"application/x-ndjson"

    def write(self, record: LogRecord) -> bytes:
        """Return the record and a line's end."""
        content = {
            "epoch": record.epoch,
            "rank": record.rank,
            "at": record.at_ms,
            "offset": record.offset,
            "end": record.end,
            "text": record.text.decode(errors="replace"),
        }
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _utc(at_ms: int) -> str:
    moment = datetime.fromtimestamp(at_ms / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
