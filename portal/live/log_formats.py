"""How logs are sent: as text, on request with times and ranks before each line, or as records for pages."""

import json
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from rest_framework import serializers

from portal.live.log_merge import LogRecord

TEXT_TYPE: Final = b"text/plain; charset=utf-8"
RECORDS_TYPE: Final = "application/x-ndjson"


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


class LogRecordShape(serializers.Serializer[Any]):
    """Lines of one rank that were written at one time, or a part of a long line."""

    epoch = serializers.IntegerField(help_text="Number of the attempt.")
    rank = serializers.IntegerField()
    at = serializers.IntegerField(
        allow_null=True,
        help_text="When it was written (ms since 1970); null where that is not known.",
    )
    offset = serializers.IntegerField(help_text="The byte of the log at which it begins.")
    end = serializers.IntegerField(help_text="The byte after it.")
    text = serializers.CharField()


class RecordsFormat:
    """One JSON object a line: attempt, rank, time, where it begins and ends in its log, and its text."""

    content_type = RECORDS_TYPE.encode()

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
