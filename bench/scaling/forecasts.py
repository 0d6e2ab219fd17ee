"""`python -m bench.scaling.forecasts FOLDER`: models of demand by hour on traces, beside naive.

Each model is tested on the last seven days of a series, each day forecast from what lay before it. With
the set `requirements/forecast.in` the trained models are among them.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.scaling.cases import COUNTS, PICTURES
from bench.scaling.traffic import counted, pictures
from scheduler.forecast.choice import SEASONAL, back_tested, chosen
from scheduler.forecast.trained import trained_models
from scheduler.whatif.report import print_table

HOUR_MS: Final = 3_600_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table."""
    parser = argparse.ArgumentParser(prog="python -m bench.scaling.forecasts", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the traces lie")
    folder = parser.parse_args(arguments).folder
    rows: list[dict[str, object]] = []
    for name in (PICTURES, *COUNTS, *MORE_COUNTS):
        tested = back_tested(by_hour(folder / name), SEASONAL | trained_models())
        best = chosen(tested)
        rows.extend(
            {
                "series": name.removesuffix(".csv.gz"),
                "model": each.model,
                "mean error": each.error_milli / 1000,
                "of naive %": each.against_naive_permille / 10,
                "chosen": "*" if each == best else "",
            }
            for each in tested
        )
    print_table(rows)
    return 0


MORE_COUNTS: Final = ("nab-volume-aapl.csv.gz", "nab-volume-crm.csv.gz", "nab-volume-fb.csv.gz")


def by_hour(path: Path) -> list[int]:
    """Count the requests of a trace by hour, from its first midnight or bucket on; whole hours only."""
    arrivals = (pictures(path, 0) if path.name == PICTURES else counted(path, 1, 1, 0)).arrivals
    hours = [0] * (arrivals[-1] // HOUR_MS + 1)
    for at in arrivals:
        hours[at // HOUR_MS] += 1
    return hours[:-1]


if __name__ == "__main__":
    sys.exit(main())
