"""`python -m bench.scaling FOLDER [CASE…]`: rules of scaling on the traces of a folder.

Every rule gets the same requests and the same cold starts. Hours are those of all replicas from the
order to start, beside an oracle that knows every request and misses none, and beside one that leaves
out the most expensive of the requests that the promise allows to miss.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from bench.scaling.cases import Case, cases
from bench.scaling.oracle import OracleCost, oracle
from bench.scaling.play import Played, Rule, Start, play
from bench.scaling.rules import Berth, HuggingFace, Knative, RayServe, Static
from bench.scaling.traffic import Traffic
from scheduler.scaling.values import ReplicaBounds
from scheduler.whatif.report import print_table

ALLOWED_PERMILLE: Final = 10
MAXIMUM: Final = 200
RULES: Final[dict[str, Callable[[Traffic, ReplicaBounds], Rule]]] = {
    "berth": Berth,
    "Knative": Knative,
    "Ray Serve": RayServe,
    "HF Endpoints": HuggingFace,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table; return 2 for arguments that make no sense, as argparse does."""
    parser = argparse.ArgumentParser(prog="python -m bench.scaling", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the traces lie")
    parser.add_argument("case", nargs="*", help="parts of names of cases; all without one")
    given = parser.parse_args(arguments)
    rows: list[dict[str, object]] = []
    for name, case in cases(given.folder):
        if not given.case or any(part in name for part in given.case):
            rows.extend(compared(name, case))
            sys.stderr.write(f"{name}\n")
    print_table(rows)
    return 0


def compared(name: str, case: Case) -> Iterator[dict[str, object]]:
    """Play one case under every rule, and under the fewest replicas that keep the promise unscaled."""
    mean_start = sum(case.cold_starts) // len(case.cold_starts)
    known = oracle(case.traffic, mean_start, case.minimum, ALLOWED_PERMILLE, case.scored_from)
    start = Start(case.cold_starts, max(1, case.minimum), case.scored_from)
    bounds = ReplicaBounds(case.minimum, MAXIMUM)
    for rule, make in RULES.items():
        yield _row(name, rule, play(case.traffic, make(case.traffic, bounds), start), known)
    number, fixed = _least_static(case)
    yield _row(name, f"static {number}", fixed, known)


def _least_static(case: Case) -> tuple[int, Played]:
    """Return the fewest replicas with which so many requests as promised are in time, and their play."""
    low, high = 0, 1
    played: dict[int, Played] = {}
    while high not in played or played[high].attained < 1 - ALLOWED_PERMILLE / 1000:
        low, high = (high, high * 2) if high in played else (low, high)
        played[high] = play(case.traffic, Static(high), Start((1,), high, case.scored_from))
    while high - low > 1:
        middle = (low + high) // 2
        played[middle] = play(case.traffic, Static(middle), Start((1,), middle, case.scored_from))
        kept = played[middle].attained >= 1 - ALLOWED_PERMILLE / 1000
        low, high = (low, middle) if kept else (middle, high)
    return high, played[high]


def _row(name: str, rule: str, played: Played, known: OracleCost) -> dict[str, object]:
    return {
        "case": name,
        "rule": rule,
        "in time %": round(100 * played.attained, 2),
        "hours": round(played.replica_ms / 3_600_000, 1),
        "x oracle": round(played.replica_ms / known.all_in_time, 2),
        "x oracle 99 %": round(played.replica_ms / known.promised, 2),
        "turns": len(played.turns),
        "most a minute": played.most_turns(60_000),
    }


if __name__ == "__main__":
    sys.exit(main())
