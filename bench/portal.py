"""`make bench-portal`: what the pages promise, measured one after the other, in one table.

    python -m bench.portal                  everything
    python -m bench.portal pages            one part
    python -m bench.portal --quick          every part on a fraction of its input: does it run?

CPU is what answers are judged by: other work of the machine stretches wall time, which the parts print
beside it. Exit 1 if a promise was missed, or a quick part did not run.
"""

import sys
from collections.abc import Callable, Iterable
from typing import Final

from bench.answers import CPU_MS_MAX
from bench.promises import Found, Part, Promise, run_parts

REPORT_S_MAX: Final = 2.0
INTERACTION_MS_MAX: Final = 100
BYTES_MAX: Final = 256_000
"""250 KiB with gzip, as the build holds its programs to."""
FIRST: Final = "first "
"""How the keys begin of visits by somebody who comes for the first time."""
_JSON: Final = ("--json", "{json}")


def _worst(name: str, place: str = "") -> Callable[[Found], float]:
    return lambda found: max(
        float(visit[name]) for key, visit in found["visits"].items() if key.startswith(place)
    )


def _dearest(parts: Iterable[str]) -> Callable[[Found], float]:
    return lambda found: max(
        float(cost["CPU p95 ms"])
        for part in parts
        for name, cost in found[part].items()
        if not name.startswith("/")
    )


def _report(kind: str) -> Callable[[Found], float]:
    return lambda found: float(found["reports"][kind]["CPU p95 ms"]) / 1000


def _least_frames(found: Found) -> float:
    return min(float(run["fps"]) for run in found.values())


def _at_most(name: str, value: Callable[[Found], float], limit: float) -> Promise:
    return Promise(name, value, limit, is_floor=False)


PARTS: Final = (
    Part(
        "pages",
        ("bench.pages", *_JSON),
        (
            _at_most(
                "first load, a member, bytes of programs", _worst("program_bytes", FIRST), BYTES_MAX
            ),
            _at_most("first load, a member, requests", _worst("requests", FIRST), 30),
            _at_most("layout shift of a page", _worst("layout_shift"), 0.02),
            _at_most("interaction, ms", _worst("interaction_ms"), INTERACTION_MS_MAX),
            _at_most("answers behind pages, p95, CPU ms", _dearest(["answers"]), CPU_MS_MAX),
            _at_most("answers behind charts, p95, CPU ms", _dearest(["charts"]), CPU_MS_MAX),
            _at_most("answers about usage, p95, CPU ms", _dearest(["usage"]), CPU_MS_MAX),
            _at_most("a month's report of 1,000 users, page, s", _report("page"), REPORT_S_MAX),
            _at_most("the same, CSV, s", _report("CSV"), REPORT_S_MAX),
            _at_most("the same, PDF, s", _report("PDF"), REPORT_S_MAX),
        ),
        quick=("--quick",),
    ),
    Part(
        "live_clients",
        ("bench.live_clients", *_JSON),
        (
            _at_most(
                "2,000 pages, a topic each at 1 Hz, p99, ms", lambda f: float(f["own_p99_ms"]), 100
            ),
            _at_most(
                "the same, one topic of all, p99, ms", lambda f: float(f["common_p99_ms"]), 100
            ),
            _at_most("live process, MiB", lambda f: float(f["memory_mib"]), 250),
        ),
        quick=("--clients", "20", "--seconds", "2"),
    ),
    Part(
        "card_map",
        ("bench.card_map", *_JSON),
        (Promise("card map of 10,000 GPUs, frames a second", _least_frames, 50),),
        quick=("--cards", "400", "--seconds", "1"),
    ),
)


def main() -> int:
    """Run the parts that were asked for and print the table."""
    return run_parts("bench.portal", PARTS)


if __name__ == "__main__":
    sys.exit(main())
