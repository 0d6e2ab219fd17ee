"""What the demo's activity costs: processor and memory of a whole one-box, with it and without it.

`python -m bench.activity [--minutes 5] [--warm-up 5] [--nodes 5]` starts a one-box for each, lets it warm up,
and counts the processor seconds and the memory of all its processes from `/proc`: other load on the
machine stretches neither. Memory is PSS: a page that several processes share counts once.
"""

import argparse
import signal
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import gmtime, monotonic
from typing import Any, Final

import psutil
import psycopg

from deploy.onebox.stores import DATABASE, Stores
from tests import launcher
from tests.launcher import Launched

WITH_MAX_PCT: Final = 35.0
"""Of one core, the whole one-box with its activity."""
EXTRA_MAX_PCT: Final = 10.0
"""Of one core, what the activity adds."""
MEMORY_MAX_MIB: Final = 2000
TICK_S: Final = 5.0
MIB: Final = 2**20
SHIMS: Final = "shims"
PARTS: Final = {
    "postgres": "PostgreSQL",
    "redis": "Redis",
    "valkey": "Redis",
    "gunicorn": "web",
    "portal.config.live": "live",
    "-Q scheduler": "scheduler",
    "-Q maintenance": "worker",
    " beat ": "beat",
    "nodeagent.process.fork_server": SHIMS,
    "-m nodeagent": "agents",
    "deploy.onebox": "launcher",
}
"""Parts by a word of their command lines."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a one-box took."""

    cpu_pct: float
    """Of one core."""
    pss_mib: float
    by_part: Mapping[str, tuple[float, float]]
    """Percent and MiB by the name of the part."""
    running: int
    """Workloads that ran at the end."""
    queued: int


def main() -> int:
    """Measure both, print; 1 when the one with activity costs too much."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the platform is stopped then too
    parser = argparse.ArgumentParser(prog="python -m bench.activity")
    parser.add_argument("--minutes", type=float, default=5, help="how long is measured (5)")
    parser.add_argument("--warm-up", type=float, default=5, help="minutes before that (5)")
    parser.add_argument("--nodes", default="5", help="nodes of the one-box (5)")
    options = parser.parse_args()
    found = {}
    for has_activity in (False, True):
        arguments = ("--runtime", "process", "--nodes", options.nodes)
        with launcher.running("bench-activity", *arguments, has_activity=has_activity) as launched:
            make_it_noon(launched.data_dir)
            Event().wait(options.warm_up * 60)
            found[has_activity] = measure(launched, options.minutes * 60)
        print(describe(found[has_activity], has_activity=has_activity), flush=True)
    extra_pct = found[True].cpu_pct - found[False].cpu_pct
    print(f"the activity adds {extra_pct:.1f} % of one core")
    is_met = (
        found[True].cpu_pct <= WITH_MAX_PCT
        and extra_pct <= EXTRA_MAX_PCT
        and found[True].pss_mib <= MEMORY_MAX_MIB
    )
    return int(not is_met)


def measure(launched: Launched, seconds: float) -> Cost:
    """Return what all processes of a one-box take in this time, those included that end meanwhile.

    What a process has taken goes to its parent when that reaps it; only what the fork servers of the
    agents leave to the kernel is lost then, and counted as it was seen last.
    """
    spent: dict[str, float] = defaultdict(float)
    began = monotonic()
    seen = look(launched)
    for part, taken in seen.values():
        spent[part] -= taken
    while monotonic() - began < seconds:
        Event().wait(TICK_S)
        now = look(launched)
        for part, taken in (seen[gone] for gone in seen.keys() - now.keys()):
            spent[part] += taken if part == SHIMS else 0.0
        seen = now
    elapsed = monotonic() - began
    memory: dict[str, float] = defaultdict(float)
    for one, (part, taken) in seen.items():
        spent[part] += taken
        memory[part] += pss_mib(one)
    by_part = {part: (100 * taken / elapsed, memory[part]) for part, taken in spent.items()}
    return Cost(
        cpu_pct=sum(pct for pct, _ in by_part.values()),
        pss_mib=sum(memory.values()),
        by_part=by_part,
        running=count_work(launched.data_dir, "running"),
        queued=count_work(launched.data_dir, "queued"),
    )


def look(launched: Launched) -> dict[psutil.Process, tuple[str, float]]:
    """Return each process with its part, and the processor seconds of it and of those it has reaped."""
    found = {}
    for one in (psutil.Process(launched.process.pid), *launched.family()):
        try:
            times = one.cpu_times()
            seconds = times.user + times.system + times.children_user + times.children_system
            found[one] = part_of(" ".join(one.cmdline())), float(seconds)
        except psutil.NoSuchProcess:
            continue
    return found


def pss_mib(process: psutil.Process) -> float:
    """Return the memory of a process, shared pages by their part; 0 of one that has ended."""
    try:
        return float(process.memory_full_info().pss) / MIB
    except psutil.NoSuchProcess:
        return 0.0


def part_of(command: str) -> str:
    """Return the name of the part of the one-box to which a command line belongs."""
    return next((part for word, part in PARTS.items() if word in command), "programs of work")


def make_it_noon(data_dir: Path) -> None:
    """Move the site to a zone where it is noon: at night there is less activity."""
    zone = f"Etc/GMT{gmtime().tm_hour - 12:+d}"  # its signs are those of POSIX: west is positive
    with connected(data_dir) as database:
        database.execute("UPDATE site_sitesettings SET time_zone = %s", [zone])


def count_work(data_dir: Path, state: str) -> int:
    """Return how much work is in a state."""
    with connected(data_dir) as database:
        found = database.execute(
            "SELECT count(*) FROM workloads_workload WHERE state = %s", [state]
        ).fetchone()
    return int(found[0]) if found else 0


def connected(data_dir: Path) -> psycopg.Connection[tuple[Any, ...]]:
    """Return a connection to the database of the one-box."""
    host = str(Stores(data_dir).socket_dir / "pg")
    return psycopg.connect(host=host, user="postgres", dbname=DATABASE, autocommit=True)


def describe(cost: Cost, *, has_activity: bool) -> str:
    """Return what was found, the hungriest part first."""
    title = "with activity" if has_activity else "idle"
    order = sorted(cost.by_part.items(), key=lambda item: -item[1][0])
    work = f"{cost.running} running, {cost.queued} queued"
    lines = [f"{title}: {cost.cpu_pct:.1f} % of one core, {cost.pss_mib:.0f} MiB; {work}"]
    lines += [f"  {part:<16} {pct:6.2f} %  {mib:7.1f} MiB" for part, (pct, mib) in order]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
