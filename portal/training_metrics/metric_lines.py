"""Reads the lines by which a program reports metrics out of its log; pure.

    @metrics step=100 loss=0.4321 val/accuracy=0.91

The marker may stand anywhere in a line, after a progress bar or the prefix of a launcher; what follows it
up to the end of the line must be pairs of a name and a number. `step` and `time` are reserved names.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from wire.log_lines import (
    METRIC_NAME,
    METRIC_STEP_MAX,
    METRIC_TIME_S_MAX,
    METRICS_LINE_MAX,
    METRICS_MARKER,
)

MARKER: Final = METRICS_MARKER
PAIRS_MAX: Final = 100
"""Metrics in one metrics line."""
EXAMPLE_MAX: Final = 200
"""Characters of a metrics line that was not understood, as it is shown."""

_LINE_END: Final = re.compile(rb"[\r\n]")
_CONTROL_SEQUENCE: Final = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]")
_SEPARATOR: Final = re.compile(r"[,\s]+")
_PAIR: Final = re.compile(
    rf"({METRIC_NAME})"
    r"=([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]{1,4})?|[+-]?(?:nan|inf|infinity))",
    re.IGNORECASE,
)
_STEP: Final = re.compile(r"[0-9]{1,16}")


@dataclass(frozen=True, slots=True)
class MetricLine:
    """One line as it was printed; without a step the values get the one after their last."""

    values: dict[str, float]
    step: int | None = None
    at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class LinesRead:
    """What a part of a log holds."""

    end: int
    """Bytes that need not be read again; what follows may be the beginning of a metrics line."""
    lines: tuple[MetricLine, ...] = ()
    malformed: int = 0
    example: str = ""
    """The first line that was not understood, from the marker on."""


NOTHING_READ: Final = LinesRead(0)


class MalformedLineError(ValueError):
    """What follows a marker is not pairs of names and numbers."""


def is_metric_name(text: str) -> bool:
    """Return whether a metric can be called so."""
    return re.fullmatch(METRIC_NAME, text) is not None


def read_lines(text: bytes) -> LinesRead:
    """Read all metrics lines that end in a part of a log."""
    end = _find_end(text)
    lines: list[MetricLine] = []
    malformed, example = 0, ""
    for segment in _segments(text[:end]):
        try:
            lines.append(parse_line(segment))
        except MalformedLineError:
            malformed += 1
            example = example or _as_shown(segment)
    return LinesRead(end, tuple(lines), malformed, example)


def parse_line(segment: bytes) -> MetricLine:
    """Return what follows a marker.

    Raises:
        MalformedLineError: it is too long, or anything but pairs.
    """
    if len(segment) > METRICS_LINE_MAX:
        raise MalformedLineError
    try:
        text = _CONTROL_SEQUENCE.sub(b"", segment).decode()
    except UnicodeDecodeError as error:
        raise MalformedLineError from error
    pairs = [_PAIR.fullmatch(item) for item in _SEPARATOR.split(text) if item]
    values: dict[str, float] = {}
    step = at_ms = None
    for pair in pairs:
        if pair is None or len(pairs) > PAIRS_MAX + 2:
            raise MalformedLineError
        name, number = pair.groups()
        if name == "step":
            step = _read_step(number)
        elif name == "time":
            at_ms = _read_time(number)
        else:
            values[name] = float(number)
    if not 0 < len(values) <= PAIRS_MAX:
        raise MalformedLineError
    return MetricLine(values, step, at_ms)


def _read_step(number: str) -> int:
    if not _STEP.fullmatch(number) or int(number) > METRIC_STEP_MAX:
        raise MalformedLineError
    return int(number)


def _read_time(number: str) -> int:
    seconds = float(number)
    if not 0 <= seconds <= METRIC_TIME_S_MAX:
        raise MalformedLineError
    return int(seconds * 1000)


def _find_end(text: bytes) -> int:
    """Return where to continue: after the last whole line, or at a marker whose line is not whole."""
    begin = max(text.rfind(b"\n"), text.rfind(b"\r")) + 1
    last = text.rfind(MARKER, begin)
    if last < 0:
        # Nothing there yet but perhaps the first letters of a marker.
        return max(begin, len(text) - len(MARKER) + 1)
    if len(text) - last > len(MARKER) + METRICS_LINE_MAX:
        return len(text)
    return last


def _segments(text: bytes) -> Iterator[bytes]:
    """Yield what follows each marker, up to the end of its line or the next marker."""
    begin = text.find(MARKER)
    while begin >= 0:
        begin += len(MARKER)
        following = text.find(MARKER, begin)
        limit = min(following if following >= 0 else len(text), begin + METRICS_LINE_MAX + 1)
        line_end = _LINE_END.search(text, begin, limit)
        segment = text[begin : line_end.start() if line_end else limit]
        # Without a space and an equals sign it is a word of an ordinary line.
        if segment[:1] in (b" ", b"\t") and b"=" in segment:
            yield segment
        begin = following


def _as_shown(segment: bytes) -> str:
    """Return a line for people: no control characters, no more than fits."""
    text = (MARKER + segment).decode(errors="replace")
    return "".join(char if char.isprintable() else " " for char in text)[:EXAMPLE_MAX]
