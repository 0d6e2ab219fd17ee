"""`replay history`: the platform's own past under another policy, other quotas, more servers.

The file is what `manage.py dump_history` writes (`scheduler.whatif.past`), the change a TOML file
(`scheduler.whatif.change`).
"""

import argparse
import tomllib
from pathlib import Path

from scheduler.core.model.snapshot import Snapshot
from scheduler.whatif.change import apply_change, read_change
from scheduler.whatif.charts import draw_outcomes
from scheduler.whatif.command import Command, Figures
from scheduler.whatif.findings import as_it_was, as_it_would_be
from scheduler.whatif.past import PastWorkload, read_past, replay_past
from scheduler.whatif.report import print_table


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="what manage.py dump_history wrote")
    parser.add_argument("--policy", metavar="TOML", help="what to change; else as the site is now")
    parser.add_argument("--charts", metavar="DIR", help="draw utilisation, queue and waiting")


def _run(options: argparse.Namespace) -> Figures:
    site, past = _read(options.file)
    if options.policy:
        site = _changed(site, options.policy)
    outcome = replay_past(site, past, progress=True)
    was: Figures = {"case": "as it was", **as_it_was(past)}
    would: Figures = {"case": "what if", **as_it_would_be(outcome)}
    print_table([was, would], list(would))
    if options.charts:
        draw_outcomes(options.charts, {"what if": outcome})
    return {"was": was, "would": would}


def _read(path: str) -> tuple[Snapshot, tuple[PastWorkload, ...]]:
    with Path(path).open(encoding="utf-8") as lines:
        try:
            site, past = read_past(lines)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    if not past:
        raise ValueError(f"{path}: nothing has ended yet")
    return site, past


def _changed(site: Snapshot, path: str) -> Snapshot:
    try:
        return apply_change(
            site, read_change(tomllib.loads(Path(path).read_text(encoding="utf-8")))
        )
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


COMMAND = Command(
    path=("replay", "history"),
    help="the platform's own past under a changed policy",
    add_arguments=_arguments,
    run=_run,
)
"""Wired into `python -m scheduler.whatif`."""
