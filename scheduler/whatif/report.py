"""The simulator's output: tables on stdout, progress on stderr."""

import sys
import time
from collections.abc import Mapping, Sequence

TableRow = Mapping[str, object]


def format_table(rows: Sequence[TableRow], columns: Sequence[str] | None = None) -> str:
    """Return the rows as aligned text; floats with one decimal and thousands apart."""
    if not rows:
        return ""
    names = list(columns or rows[0])
    cells = [names, *([_cell(row.get(name, "")) for name in names] for row in rows)]
    widths = [max(len(line[index]) for line in cells) for index in range(len(names))]
    lines = ["  ".join(_aligned(line, widths)).rstrip() for line in cells]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def print_table(rows: Sequence[TableRow], columns: Sequence[str] | None = None) -> None:
    """Print a table."""
    print(format_table(rows, columns))


def _aligned(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    """Align the first column, a name, to the left and the others, numbers, to the right."""
    return [
        cell.ljust(width) if index == 0 else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(line, widths, strict=True))
    ]


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


class ProgressReport:
    """Prints every few seconds how far a long run is."""

    EVERY_S = 5.0

    def __init__(self, total: int, *, enabled: bool) -> None:
        self._total, self._enabled = total, enabled
        self._began = self._printed = time.monotonic()

    def note(self, done: int, waiting: int, now_ms: int) -> None:
        """Note how far it is; print a line if the last one is some seconds old."""
        if not self._enabled:
            return
        moment = time.monotonic()
        if moment - self._printed < self.EVERY_S:
            return
        self._printed = moment
        days = now_ms // 86_400_000
        line = f"  {done:,} of {self._total:,} arrived, {waiting:,} wait, day {days}"
        print(f"{line}, {moment - self._began:.0f} s", file=sys.stderr, flush=True)
