"""`python -m tests.promises --hours 20 --speed 20 --seed 1`: mixed hours of a site, and the promises of its queue.

A one-box with real stores, processes and agents is started with a clock that goes faster
(`tests/fakes/clock`): every limit, grace, lease and window is as long as on a real site, and what
takes time of the processor takes as many times longer: time goes slower while nodes do not come to
report. Exit status 1 when a promise was broken, or nodes were silent so often that the hours show nothing.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import threading
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from time import time
from typing import Any, Final

import psycopg

from deploy.onebox.options import REPOSITORY
from tests.fakes.clock.library import fast_environment, quicken
from tests.integration.platform import Platform
from tests.promises.checkers import RULES
from tests.promises.load import draw_load
from tests.promises.pace import Pace
from tests.promises.site import Site
from tests.promises.story import Story
from tests.promises.trace import Trace
from tests.promises.watch import Watch

FOLDER: Final = "BERTH_PROMISES_FOLDER"
LOOK_S: Final = 0.4
"""Between two looks, by the time outside."""
ROUNDS_S: Final = 1.5
"""A round, its messages and a look on a busy machine, by the time outside."""
SLOWEST: Final = 4
"""Times as fast at least, on a machine that has other work."""
SILENT_MAX: Final = 0.05
"""Part of the hours in which a node may be silent: beyond it, they show nothing."""


def main() -> int:
    """Run the hours and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.promises", description=__doc__)
    parser.add_argument("--hours", type=float, default=20, help="of the site")
    parser.add_argument("--speed", type=int, default=20, help="how many times as fast time goes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--story", type=Path, help="file for all that was noted, as JSON")
    parser.add_argument("--trace", type=Path, help="file for what explains a breach, as JSON")
    options = parser.parse_args()
    if FOLDER in os.environ:
        return _run(Path(os.environ[FOLDER]), options)
    folder = Path(tempfile.mkdtemp(prefix="berth-promises-"))
    folder.chmod(0o755)
    environment = {**fast_environment(folder / "pace"), FOLDER: str(folder)}
    command = [sys.executable, "-m", "tests.promises", *sys.argv[1:]]
    try:
        os.chdir(REPOSITORY)
        return os.spawnve(os.P_WAIT, sys.executable, command, {**os.environ, **environment})
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(folder: Path, options: argparse.Namespace) -> int:
    platform = Platform(folder / "site")
    story = Story(slack_s=30 + ROUNDS_S * options.speed)
    site = Site(platform, story)
    watch, trace = Watch(site), Trace()
    try:
        platform.start()
        site.settle()
        with psycopg.connect(platform.stores.database_url, autocommit=True) as database:
            quicken(folder / "pace", options.speed)
            _require_one_clock(database, options.speed)
            _drive(site, watch, trace, database, options, folder)
            quicken(folder / "pace", 1)
            watch.read_attempts(database)
            trace.finish(database)
        if options.trace:
            trace.write(options.trace)
        platform.audit()
    finally:
        quicken(folder / "pace", 1)
        platform.stop()
    return _judge(site, options)


def _require_one_clock(database: psycopg.Connection[Any], speed: int) -> None:
    """Refuse to go on where PostgreSQL, whose time all go by, does not go as fast as what is checked."""
    threading.Event().wait(2.0 * speed)
    found = database.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone()
    assert found is not None
    apart_s = abs(time() - found[0])
    assert apart_s < speed, f"PostgreSQL is {apart_s:.0f} s apart: it did not load the fast clock"


def _drive(
    site: Site,
    watch: Watch,
    trace: Trace,
    database: psycopg.Connection[Any],
    options: argparse.Namespace,
    folder: Path,
) -> None:
    """Do what is due, and look, until the hours are over."""
    load, began, told = draw_load(options.seed, options.hours), time(), 0
    pace = Pace(options.speed, SLOWEST)
    while (passed := time() - began) < options.hours * 3600:
        while load and load[0].at_s <= passed:
            site.act(load.pop(0))
        site.return_nodes()
        watch.look(database)
        trace.look(database)
        if pace.follow(is_silent=site.story.is_silent(watch.looked_at)):
            quicken(folder / "pace", pace.speed)
        if passed // 3600 > told:
            told = int(passed // 3600)
            print(f"{told:4} h  {len(site.jobs)} jobs, {len(site.story.seen)} looks", flush=True)
        threading.Event().wait(LOOK_S * pace.speed)
    site.story.until = time()


def _judge(site: Site, options: argparse.Namespace) -> int:
    story = site.story
    if options.story:
        options.story.write_text(json.dumps(asdict(story), indent=1), encoding="utf-8")
    causes = Counter(attempt.cause for attempt in story.attempts if attempt.cause)
    print(f"\n{options.hours:g} h at {options.speed} times the speed, seed {options.seed}")
    print(f"jobs {len(site.jobs)}, ended {len(story.ended)}, attempts {len(story.attempts)}")
    print(f"evictions {causes.total()} {dict(causes)}")
    print(f"killed after their notice {sum(_was_killed(each) for each in story.attempts)}")
    shown = [each for each in story.seen if each.starts_at is not None]
    moves = {(each.work, move) for each in story.seen for move in each.moves}
    print(f"promised starts {len({(each.work, each.starts_at) for each in shown})}", end=" ")
    print(f"of {len({each.work for each in shown})} jobs, moved with a cause {len(moves)}")
    print(f"reservations {len(story.booked)}, nodes lost {len(story.outages)}", end=", ")
    print(f"refused {dict(Counter(site.refused))}\n")
    is_kept = story.silent_s <= SILENT_MAX * options.hours * 3600
    print(
        f"{'nodes report in time':<52}{'kept' if is_kept else 'the machine is too slow'}", end=" "
    )
    print(f"({story.silent_s:.0f} s silent)")
    for rule in RULES:
        broken = list(rule(story))
        is_kept &= not broken
        print(
            f"{rule.__name__.replace('_', ' '):<52}{f'{len(broken)} broken' if broken else 'kept'}"
        )
        for breach in broken:
            print(f"    {breach.work} at {breach.at:.0f}: {breach.detail}")
    return int(not is_kept)


def _was_killed(attempt: object) -> bool:
    return bool(getattr(attempt, "cause", "") and getattr(attempt, "killed_at", None))


if __name__ == "__main__":
    sys.exit(main())
