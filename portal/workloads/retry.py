"""Whether work that ended badly is retried, and when: one pure decision by cause.

| the end | `never` | `on_infrastructure` | `on_failure` |
|---|---|---|---|
| the node's or the platform's doing | final | again, free | again, free |
| an exit code that the job calls final | final | final | final |
| an exit code that the job calls free | final | again, free, after the pause | the same |
| out of memory, of host or card | final | final | final, or counted if the job asks for it |
| any other end of the work's own | final | final | counted, after a growing pause |

Retries are bounded: after `STARTS_MAX` starts every end is final.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

INFRASTRUCTURE_CAUSES: Final = frozenset(
    {
        "isolation_unavailable",
        "device_lost",
        "node_fault",
        "node_rebooted",
        "lease_ended",
        "vanished",
        "container_missing",
        "not_started",
        "node_lost",
        "node_declared_lost",
        "node_fenced",
    }
)
"""Causes that lie with the node or the platform. The portal itself gives the last five."""
MEMORY_CAUSES: Final = frozenset({"out_of_memory", "gpu_memory_exceeded"})
"""Retried with the same memory, the same work ends like this again."""
PAUSE_S_MAX: Final = 3600
"""Longest pause before a job starts again."""
STARTS_MAX: Final = 1000
"""Starts of one job, for whatever reason."""


class Retry(StrEnum):
    """Whether work is retried after a bad end."""

    FREE = "free"
    """Queue again; the end does not count."""
    COUNTED = "counted"
    """Queue again and count one retry."""
    FINAL = "final"
    """Do not retry."""


class RestartRule(StrEnum):
    """After which ends work is started again."""

    NEVER = "never"
    """After none: it must not run twice."""
    ON_INFRASTRUCTURE = "on_infrastructure"
    """After ends that a node or the platform caused."""
    ON_FAILURE = "on_failure"
    """After its own failures too, as often as it allows."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The restart rule of a job; the API bounds the numbers."""

    rule: RestartRule = RestartRule.ON_INFRASTRUCTURE
    retries_max: int = 0
    pause_s: int = 0
    """Before the first repetition; it doubles with each counted one, up to an hour."""
    final_codes: frozenset[int] = frozenset()
    free_codes: frozenset[int] = frozenset()
    after_out_of_memory: bool = False


@dataclass(frozen=True, slots=True)
class AttemptHistory:
    """Attempts of the work so far."""

    retries: int = 0
    """Repetitions that counted."""
    starts: int = 0


@dataclass(frozen=True, slots=True)
class RetryDecision:
    """Whether, and after which pause, work is retried."""

    retry: Retry
    pause_s: int = 0


NO_ATTEMPTS: Final = AttemptHistory()
DEFAULT_POLICY: Final = RetryPolicy()
FINAL: Final = RetryDecision(Retry.FINAL)
_OWN: Final = frozenset({"exited", "killed"})
"""Causes that an exit code qualifies."""


def decide_retry(
    policy: RetryPolicy, past: AttemptHistory, cause: str, exit_code: int | None = None
) -> RetryDecision:
    """Return whether work is retried after a bad end of this cause."""
    if policy.rule is RestartRule.NEVER or past.starts >= STARTS_MAX:
        return FINAL
    if cause in INFRASTRUCTURE_CAUSES:
        return RetryDecision(Retry.FREE)
    if cause in _OWN and exit_code in policy.final_codes:
        return FINAL
    if cause in _OWN and exit_code in policy.free_codes:
        return RetryDecision(Retry.FREE, min(policy.pause_s, PAUSE_S_MAX))
    may_count = policy.rule is RestartRule.ON_FAILURE and past.retries < policy.retries_max
    if not may_count or (cause in MEMORY_CAUSES and not policy.after_out_of_memory):
        return FINAL
    pause_s = min(policy.pause_s << min(past.retries, 16), PAUSE_S_MAX)
    return RetryDecision(Retry.COUNTED, pause_s)


def parse_restart_policy(stored: Mapping[str, Any], retries_max: int) -> RetryPolicy:
    """Return the policy of a stored object; what it leaves out has the product's default.

    Jobs that name no rule but ask for retries mean `on_failure`.
    """
    usual = RestartRule.ON_FAILURE if retries_max else RestartRule.ON_INFRASTRUCTURE
    return RetryPolicy(
        rule=RestartRule(stored.get("rule", usual)),
        retries_max=retries_max,
        pause_s=stored.get("pause_s", 0),
        final_codes=frozenset(stored.get("final_codes", ())),
        free_codes=frozenset(stored.get("free_codes", ())),
        after_out_of_memory=stored.get("after_out_of_memory", False),
    )


def encode_restart_policy(policy: RetryPolicy) -> dict[str, Any]:
    """Return a policy as the API shows it, without the number that stands beside it."""
    return {
        "rule": policy.rule.value,
        "pause_s": policy.pause_s,
        "final_codes": sorted(policy.final_codes),
        "free_codes": sorted(policy.free_codes),
        "after_out_of_memory": policy.after_out_of_memory,
    }
