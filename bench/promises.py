"""Parts of a benchmark, each a command of its own, and what they must show: one table with a verdict.

A part is printed before it runs. One whose files are missing is left out and named; its promise is then
neither kept nor missed. A part that fails is one that has missed, and the others continue.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Final

from deploy.onebox.options import REPOSITORY

RESULTS: Final = Path("var/bench")
TRACES: Final = Path("../shared/traces")
Found = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Promise:
    """One line of the table."""

    name: str
    value: Callable[[Found], float]
    limit: float
    is_floor: bool = True
    """At least the limit; otherwise at most."""

    def line(self, found: Found) -> tuple[str, bool]:
        """Return the line and whether the promise is kept."""
        value = self.value(found)
        is_kept = value >= self.limit if self.is_floor else value <= self.limit
        bound = f"{'≥' if self.is_floor else '≤'} {self.limit:,.10g}"
        word = "kept" if is_kept else "MISSED"
        return f"{self.name:<58}{value:>12,.2f}{bound:>14}  {word}", is_kept


@dataclass(frozen=True, slots=True)
class Part:
    """One command, the files that it needs, and what it must show."""

    name: str
    arguments: tuple[str, ...]
    """After `python -m`; `{traces}` and `{json}` are filled in."""
    promises: tuple[Promise, ...] = ()
    """Of the JSON that it writes; without any, its exit status is the promise."""
    needs: tuple[str, ...] = ()
    """Files below the traces."""
    quick: tuple[str, ...] = ()
    """Arguments that make it short; its figures then say nothing."""

    def json(self, *, quick: bool) -> Path:
        """Return where its figures go."""
        return (RESULTS / "quick" if quick else RESULTS) / f"{self.name}.json"


def run_parts(program: str, parts: Sequence[Part]) -> int:
    """Run the parts that the command line asks for and print the table.

    Returns 1 if a promise was missed, or a quick part did not run.
    """
    options = _parse(program, parts)
    chosen = [part for part in parts if not options.parts or part.name in options.parts]
    lines, left_out, is_kept = [], [], True
    for number, part in enumerate(chosen, start=1):
        missing = [name for name in part.needs if not (options.traces / name).exists()]
        if missing:
            left_out.append(f"{part.name}: {options.traces / missing[0]} is not there")
            continue
        print(f"\n[{number}/{len(chosen)}] {part.name}", flush=True)
        for line, kept in _measured(part, options.traces, quick=options.quick):
            lines.append(line)
            is_kept &= kept
    print(f"\n{'promise':<58}{'measured':>12}{'limit':>14}\n" + "\n".join(lines))
    for reason in left_out:
        print(f"left out   {reason}")
    print(f"figures in {RESULTS}")
    return int(not is_kept)


def _parse(program: str, parts: Sequence[Part]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m {program}")
    if any(part.needs for part in parts):
        parser.add_argument("--traces", type=Path, default=TRACES, help=f"folder ({TRACES})")
    parser.add_argument(
        "--quick", action="store_true", help="every part on a fraction of its input"
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help="; ".join(p.name for p in parts))
    parser.set_defaults(traces=TRACES)
    options = parser.parse_args()
    if unknown := set(options.parts) - {part.name for part in parts}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return options


def _measured(part: Part, traces: Path, *, quick: bool) -> Iterator[tuple[str, bool]]:
    """Run one part and yield its lines."""
    path = part.json(quick=quick)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    given = (*part.arguments, *(part.quick if quick else ()))
    arguments = [text.format(traces=traces, json=path) for text in given]
    print(f"$ python -m {' '.join(arguments)}", flush=True)
    begun = monotonic()
    code = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=REPOSITORY, check=False
    ).returncode
    print(f"took {monotonic() - begun:.0f} s, status {code}", flush=True)
    if quick or not part.promises:
        is_there = path.exists() if quick and "{json}" in given else code == 0
        word = "runs" if quick else "kept"
        yield f"{part.name:<84}  {word if is_there else 'MISSED'}", is_there
        return
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        yield from [promise.line(found) for promise in part.promises]
    except (OSError, ValueError, LookupError, TypeError) as error:
        yield f"{part.name:<84}  MISSED (status {code}, {type(error).__name__})", False
