"""`replay history`: what if last month's work had met another policy, or other quotas?

The file is what `manage.py dump_history` writes, JSON lines:

    {"format": "berth-history-1", "site": {…}}                 nodes, cards, pools, groups, quotas
    {"workload": {…}, "ran_s": 7200, "started_at": 1700000000000}     one for each workload that ended

`site` is a snapshot and `workload` a pending workload in the form of `scheduler.core.snapshot_json`.
`ran_s` is how long it ran in all, `started_at` when it first began, null if it never did. Whatever
ran or waited when the file was written is not in it.

A policy file changes only what it names:

    [pools.training]                 # any knob of `scheduler.core.policy.PoolPolicy`
    backfill_depth = 2

    [[quotas]]                       # group and pool by name; no pool is all pools together
    group = "vision"
    pool = "training"
    resource = "gpu"
    deserved = 16000
"""

import argparse
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from scheduler.core.entities import Millis, PendingWorkload, PoolView, QuotaView
from scheduler.core.policy import PoolPolicy, Weight
from scheduler.core.resources import Resource
from scheduler.core.snapshot import Snapshot
from scheduler.core.snapshot_json import decode, from_json
from scheduler.whatif.charts import draw
from scheduler.whatif.command import Command, Figures
from scheduler.whatif.engine import Engine, Job
from scheduler.whatif.form import read_table
from scheduler.whatif.metrics import Outcome, mean, quantile
from scheduler.whatif.report import show

FORMAT: Final = "berth-history-1"


@dataclass(frozen=True, slots=True)
class Past:
    """One workload as it was."""

    workload: PendingWorkload
    ran_s: int
    started_at: Millis | None = None

    @property
    def wait_s(self) -> float | None:
        """How long it really waited; None if it never started."""
        if self.started_at is None:
            return None
        return (self.started_at - self.workload.submitted_at) / 1000


@dataclass(frozen=True, slots=True)
class QuotaForm:
    """A changed row of a quota; what is not said stays."""

    group: str
    resource: str
    pool: str = ""
    ceiling: int | None = None
    guarantee: int | None = None
    deserved: int | None = None
    weight: str = ""


def read_history(path: str) -> tuple[Snapshot, tuple[Past, ...]]:
    """Read the site and its past.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not such a file; the line is named.
    """
    site: Snapshot | None = None
    past: list[Past] = []
    with Path(path).open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                form = json.loads(line)
                if site is None:
                    site = _site(form)
                else:
                    past.append(decode(Past, form))
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"{path}, line {number}: {error}") from error
    if site is None or not past:
        raise ValueError(f"{path} holds no history")
    return site, tuple(past)


def _site(form: object) -> Snapshot:
    if not isinstance(form, dict) or form.get("format") != FORMAT:
        raise ValueError(f"this is not a history of format {FORMAT}")
    site = from_json(form["site"])
    return replace(site, running=(), pending=(), usage=())


def changed(site: Snapshot, path: str) -> Snapshot:
    """Return the site under the policy of a TOML file.

    Raises:
        OSError: the file cannot be read.
        ValueError: it names what is not there, or makes no sense.
    """
    form = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    if unknown := set(form) - {"pools", "quotas"}:
        raise ValueError(f"{path}: {', '.join(sorted(unknown))} is not known")
    pools = dict(form.get("pools", {}))
    names = {pool.name for pool in site.pools}
    if missing := set(pools) - names:
        raise ValueError(f"{path}: there is no pool {', '.join(sorted(missing))}")
    rows = [
        read_table(QuotaForm, table, f"quotas[{number}]")
        for number, table in enumerate(form.get("quotas", ()))
    ]
    return replace(
        site,
        pools=tuple(_with_policy(pool, pools.get(pool.name, {})) for pool in site.pools),
        quotas=_with_quotas(site, rows),
    )


def _with_policy(pool: PoolView, table: Mapping[str, object]) -> PoolView:
    given = read_table(PoolPolicy, table, f"pools.{pool.name}")
    said = {name: getattr(given, name) for name in table}
    return replace(pool, policy=replace(pool.policy, **said))


def _with_quotas(site: Snapshot, rows: Iterable[QuotaForm]) -> tuple[QuotaView, ...]:
    groups = {group.name: group.id for group in site.groups}
    pools = {pool.name: pool.id for pool in site.pools}
    quotas = {(row.group, row.pool, row.resource): row for row in site.quotas}
    for row in rows:
        if row.group not in groups or (row.pool and row.pool not in pools):
            raise ValueError(f"there is no group {row.group!r} or no pool {row.pool!r}")
        key = (groups[row.group], pools.get(row.pool), Resource(row.resource))
        before = quotas.get(key) or QuotaView(*key, ceiling=None)
        quotas[key] = replace(
            before,
            ceiling=before.ceiling if row.ceiling is None else row.ceiling,
            guarantee=before.guarantee if row.guarantee is None else row.guarantee,
            deserved=before.deserved if row.deserved is None else row.deserved,
            weight=Weight(row.weight) if row.weight else before.weight,
        )
    return tuple(
        quotas[key] for key in sorted(quotas, key=lambda key: (key[0], key[1] or "", key[2]))
    )


def jobs_of(past: Iterable[Past]) -> Iterator[Job]:
    """Yield the demand: everything that ran, for as long as it did."""
    for item in past:
        if item.ran_s > 0:
            yield Job(replace(item.workload, held=()), item.ran_s * 1000)


def replay(site: Snapshot, past: tuple[Past, ...]) -> Outcome:
    """Play the past on the site; work that never fits there stays waiting."""
    return Engine(site, progress=True, complete=False).run(jobs_of(past))


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="what manage.py dump_history wrote")
    parser.add_argument("--policy", metavar="TOML", help="what to change; else as the site is now")
    parser.add_argument("--charts", metavar="DIR", help="draw utilisation, queue and waiting")


def _run(options: argparse.Namespace) -> Figures:
    site, past = read_history(options.file)
    outcome = replay(changed(site, options.policy) if options.policy else site, past)
    waits = [item.wait_s for item in past if item.ran_s > 0 and item.wait_s is not None]
    was: Figures = {
        "told": "as it was",
        "jobs": len(waits),
        "mean_wait_s": mean(waits),
        "p99_wait_s": quantile(waits, 0.99),
        "longest_wait_s": max(waits, default=0.0),
    }
    would: Figures = {
        "told": "what if",
        "jobs": len(outcome.finished),
        "mean_wait_s": outcome.mean_wait_s,
        "p99_wait_s": outcome.wait_quantile_s(0.99),
        "longest_wait_s": outcome.longest_wait_s,
        "mean_completion_s": outcome.mean_completion_s,
        "utilisation": outcome.utilisation(),
        "evictions": sum(len(record.evictions) for record in outcome.records),
        "never_start": sum(record.started is None for record in outcome.records),
    }
    show([was, would], list(would))
    if options.charts:
        draw(options.charts, {"what if": outcome})
    return {"was": was, "would": would}


COMMAND: Final = Command(
    path=("replay", "history"),
    help="the platform's own past under a changed policy",
    add_arguments=_arguments,
    run=_run,
)
