"""What is new in a log that can only be asked for by time: pure.

The API server gives lines from a second on, each with the time at which it was written. A cursor counts the
lines that were taken since such a second, as lines of two streams may come in another order than their times.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from wire.log_marks import LogMark

OVERLAP: Final = timedelta(seconds=2)
"""How far apart lines may be written in the wrong order."""
_SECOND: Final = "%Y-%m-%dT%H:%M:%S"
_TIME: Final = re.compile(
    rb"(?P<second>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(?P<fraction>\d+))?(?P<zone>Z|[+-]\d\d:\d\d) "
)


@dataclass(frozen=True, slots=True)
class LogCursor:
    """How far a log was read."""

    offset: int = 0
    """Bytes of the log, without times, that were taken."""
    since: str = ""
    """From which time on lines are asked for, as RFC 3339 in whole seconds; empty is the beginning."""
    lines: int = 0
    """How many lines from then on were taken."""
    last: str = ""
    """Latest time of them: a later line is new, whatever the count says."""


@dataclass(frozen=True, slots=True)
class TakenLog:
    """What is new, and the cursor behind it."""

    data: bytes
    cursor: LogCursor
    marks: tuple[LogMark, ...] = ()


def take_new(answer: bytes, cursor: LogCursor, *, is_cut: bool) -> TakenLog:
    """Return what is new in lines from `cursor.since` on; of an answer that was cut off, whole lines only."""
    if is_cut:
        answer = answer[: answer.rfind(b"\n") + 1]
    lines = [_split(line) for line in answer.splitlines(keepends=True)]
    data, marks = bytearray(), []
    for number, (time, text) in enumerate(lines):
        if number < cursor.lines and time <= cursor.last:
            continue
        if time:
            marks.append(LogMark(cursor.offset + len(data), _millis(time)))
        data += text
    latest = max([cursor.last, *(time for time, _ in lines)])
    since = _since(latest)
    taken = sum(1 for time, _ in lines if time >= since)
    behind = LogCursor(cursor.offset + len(data), f"{since}Z" if since else "", taken, latest)
    return TakenLog(bytes(data), behind, tuple(marks))


def _split(line: bytes) -> tuple[str, bytes]:
    """Return the time before a line, `2026-11-30T04:00:00.123456789` in UTC, and the line itself."""
    found = _TIME.match(line)
    if found is None:
        return "", line
    second = datetime.fromisoformat((found["second"] + found["zone"]).decode()).astimezone(UTC)
    fraction = (found["fraction"] or b"").decode().ljust(9, "0")[:9]
    return f"{second:{_SECOND}}.{fraction}", line[found.end() :]


def _moment(time: str) -> datetime:
    return datetime.fromisoformat(time[:19]).replace(tzinfo=UTC)


def _millis(time: str) -> int:
    return int(_moment(time).timestamp()) * 1000 + int(time[20:23])


def _since(latest: str) -> str:
    return f"{_moment(latest) - OVERLAP:{_SECOND}}" if latest else ""
