"""Writes scalars of event files as metrics lines, which travel and are read like printed ones; pure."""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from nodeagent.telemetry.event_records import Scalar, shortest
from wire.log_lines import (
    METRIC_NAME_MAX,
    METRIC_STEP_MAX,
    METRIC_TIME_S_MAX,
    METRICS_LINE_MAX,
    METRICS_MARKER,
)

LINE_VALUES: Final = 50
"""Values in one line."""
VALUE_MAX: Final = 32
"""Bytes of a number, the equals sign and a space."""
_UNFIT: Final = re.compile(r"[^\w./:%-]")
_RESERVED: Final = frozenset({"step", "time"})


def metric_name(tag: str, run: str = "") -> str:
    """Return a tag, below the name of its run if there is one, as the name of a metric.

    What a name cannot hold becomes `_`; of one that is too long the middle is left out.
    """
    name = _UNFIT.sub("_", f"{run}/{tag}" if run else tag)
    if not name or not (name[0].isalpha() or name[0] == "_") or name in _RESERVED:
        name = f"_{name}"
    if len(name) <= METRIC_NAME_MAX:
        return name
    half = (METRIC_NAME_MAX - 2) // 2
    return f"{name[:half]}..{name[-half:]}"


def run_name(folder: str, first: str) -> str:
    """Return how the metrics of a run are distinguished from those of the first: where it lies beside or below."""
    own, other = PurePosixPath(folder).parts, PurePosixPath(first).parts
    common = 0
    while common < min(len(own), len(other)) and own[common] == other[common]:
        common += 1
    return "/".join(own[common:]) if folder != first else ""


def scalar_lines(scalars: Iterable[Scalar], run: str = "") -> Iterator[bytes]:
    """Yield lines with the scalars that can be drawn; those of one step stand together."""
    names: dict[str, str] = {}
    step, wall_s, values, size = 0, 0.0, dict[str, str](), 0
    for scalar in scalars:
        if not 0 <= scalar.step <= METRIC_STEP_MAX:
            continue
        if scalar.tag not in names:
            names[scalar.tag] = metric_name(scalar.tag, run)
        name = names[scalar.tag]
        is_full = (
            len(values) >= LINE_VALUES
            or size + len(name.encode()) + VALUE_MAX > METRICS_LINE_MAX - 2 * VALUE_MAX
        )
        if values and (scalar.step != step or name in values or is_full):
            yield _line(step, wall_s, values)
            values, size = {}, 0
        if not values:
            step, wall_s = scalar.step, scalar.wall_s
        values[name] = shortest(scalar.value, is_single=scalar.is_single)
        size += len(name.encode()) + VALUE_MAX
    if values:
        yield _line(step, wall_s, values)


def _line(step: int, wall_s: float, values: dict[str, str]) -> bytes:
    time = f" time={wall_s:.3f}" if 0 <= wall_s <= METRIC_TIME_S_MAX else ""
    pairs = " ".join(f"{name}={value}" for name, value in values.items())
    return METRICS_MARKER + f" step={step}{time} {pairs}\n".encode()
