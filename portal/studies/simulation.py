"""Simulating the past twice: under today's policies, and under a change.

Both are simulated, so that the change is all that differs between them; figures of the real past are
returned as well, as far as they are known.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from portal.inventory.policy import parse_pool_policy
from scheduler.core.model.snapshot import Snapshot
from scheduler.whatif.change import NodesForm, QuotaForm, SiteChange, apply_change
from scheduler.whatif.curves import buckets
from scheduler.whatif.findings import as_it_was, as_it_would_be, by_group
from scheduler.whatif.metrics import SimulationOutcome
from scheduler.whatif.parts import part_of
from scheduler.whatif.past import PastWorkload, read_past, replay_past

WORKLOADS_MAX: Final = 20_000
"""As many as are simulated in a few minutes; a longer past is refused."""
POINTS: Final = 240
"""Points of each curve."""


class StudyFailedError(Exception):
    """A study has no findings; `code` is the reason."""

    def __init__(self, code: str) -> None:
        """Keep the code."""
        super().__init__(code)
        self.code = code


def run_study(
    lines: Iterable[str], stored: Mapping[str, Any], group: str | None = None
) -> dict[str, Any]:
    """Return the findings: `{"was", "today", "changed", "groups", "curves"}`; integers but for shares.

    Args:
        lines: the past, as `portal.workloads.snapshot.history` writes it.
        stored: the change, as `portal.studies.change_request` returns it.
        group: id of the group whose findings they are, with those below it; None is all.

    Raises:
        StudyFailedError: no work ended in that time, or too much; or a pool, group or node that the
            change names does not exist any more.
    """
    site, past = _past(lines)
    try:
        other = apply_change(site, parse_change(stored))
    except ValueError as error:
        raise StudyFailedError("change_outdated") from error
    today, changed = replay_past(site, past), replay_past(other, past)
    if group is not None:
        below = {each.id for each in site.groups if group in each.path}
        past = tuple(item for item in past if item.workload.group in below)
        today, changed = part_of(today, below), part_of(changed, below)
    names = {group.id: group.name for group in site.groups}
    return {
        "was": _rounded(as_it_was(past)),
        "today": _rounded(as_it_would_be(today)),
        "changed": _rounded(as_it_would_be(changed)),
        "groups": _groups(today, changed, names),
        "curves": {"today": _curve(today), "changed": _curve(changed)},
    }


def parse_change(stored: Mapping[str, Any]) -> SiteChange:
    """Return a stored change as the simulator takes it; pools are named in it, not given by id."""
    named = [
        *stored["pools"],
        *(name for rules in stored["pools"].values() for name in _pools_named_in(rules)),
    ]
    names = {name: name for name in named}
    policies = {pool: parse_pool_policy(rules, names) for pool, rules in stored["pools"].items()}
    return SiteChange(
        {
            pool: {rule: getattr(policies[pool], rule) for rule in rules}
            for pool, rules in stored["pools"].items()
        },
        tuple(QuotaForm(**row) for row in stored["quotas"]),
        tuple(NodesForm(**row) for row in stored["nodes"]),
    )


def _pools_named_in(rules: Mapping[str, Any]) -> list[str]:
    """Return the names of other pools in a policy."""
    return [*rules.get("fall_back", ()), *rules.get("lending", {}).get("to_pools", ())]


def _past(lines: Iterable[str]) -> tuple[Snapshot, tuple[PastWorkload, ...]]:
    site, past = read_past(lines)
    ran = tuple(item for item in past if item.ran_s > 0)
    if not ran:
        raise StudyFailedError("no_past")
    if len(ran) > WORKLOADS_MAX:
        raise StudyFailedError("past_too_long")
    return site, ran


def _rounded(figures: Mapping[str, int | float]) -> dict[str, int]:
    """Return figures as whole numbers; a utilisation from 0 to 1 as thousandths."""
    named = {
        "utilisation_permille" if name == "utilisation" else name: (
            value * 1000 if name == "utilisation" else value
        )
        for name, value in figures.items()
    }
    return {name: round(value) for name, value in named.items()}


def _groups(
    today: SimulationOutcome, changed: SimulationOutcome, names: Mapping[Any, str]
) -> list[dict[str, Any]]:
    after = {row.group: row for row in by_group(changed)}
    return [
        {
            "group": names.get(row.group, row.group),
            "jobs": row.jobs,
            "jobs_changed": after[row.group].jobs,
            "mean_wait_s": round(row.mean_wait_s),
            "mean_wait_s_changed": round(after[row.group].mean_wait_s),
            "gpu_hours": round(row.gpu_hours),
            "gpu_hours_changed": round(after[row.group].gpu_hours),
            "evictions": row.evictions,
            "evictions_changed": after[row.group].evictions,
        }
        for row in by_group(today)
    ]


def _curve(outcome: SimulationOutcome) -> list[dict[str, Any]]:
    """Return the share of busy GPUs and the number of waiting jobs, in equal steps of time."""
    gpus = max(outcome.gpus, 1)
    return [
        {
            "at_ms": at,
            "busy_permille": round(1000 * busy / gpus),
            "waiting": round(waiting),
        }
        for at, busy, waiting in buckets(outcome, POINTS)
    ]
