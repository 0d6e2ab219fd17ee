"""Pool policies as stored and as decided on: pure in both directions.

Stored is a JSON object with the fields of `scheduler.core.model.policy.PoolPolicy` that differ from the
product's defaults. Other pools are named by their names, because people write them; the engine
knows ids.
"""

from collections.abc import Mapping
from dataclasses import asdict, fields
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, TypeVar

import structlog

from scheduler.core.model.isolation import IsolationLevel
from scheduler.core.model.policy import (
    JobOrder,
    LendingPolicy,
    Packing,
    PoolPolicy,
    QueueRule,
    WeekWindow,
)

WORDS: Final[Mapping[str, type[StrEnum]]] = {
    "queue": QueueRule,
    "packing": Packing,
    "order": JobOrder,
    "isolation": IsolationLevel,
}
FLAGS: Final = ("preemption", "reclaim", "consolidate", "mix_groups")
NUMBERS: Final[Mapping[str, int]] = {
    "patience_s": 366 * 24 * 3600,
    "stretch": 1000,
    "turn_s": 7 * 24 * 3600,
    "backfill_depth": 1000,
    "min_runtime_s": 7 * 24 * 3600,
    "grace_s": 3600,
    "victims_max": 10_000,
    "burst_pct": 1000,
    "idle_warn_s": 7 * 24 * 3600,
    "idle_release_s": 90 * 24 * 3600,
    "idle_stop_s": 90 * 24 * 3600,
    "idle_keep_s": 7 * 24 * 3600,
    "idle_keeps_max": 100,
}
"""With the most that makes sense; none may be negative."""
LENDING_NUMBERS: Final[Mapping[str, int]] = {"keep_gpus": 100_000, "bound_s": 24 * 3600}

P = TypeVar("P", bound=str)
_NO_IDS: Final[Mapping[str, Any]] = MappingProxyType({})

logger = structlog.get_logger(__name__)


def read_policy(
    pool_name: str, stored: Mapping[str, Any], ids: Mapping[str, P] = _NO_IDS
) -> PoolPolicy:
    """Return the policy that a stored object means; where it cannot be read, log and use defaults."""
    try:
        return parse_pool_policy(stored, ids)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        logger.exception("pool.policy_unreadable", pool=pool_name, error=str(error))
        return PoolPolicy()


def parse_pool_policy(stored: Mapping[str, Any], ids: Mapping[str, P]) -> PoolPolicy:
    """Return the policy that a stored object means; `ids` are the pools by name.

    Names of pools that are gone are left out. Raises ValueError, TypeError or KeyError for what is
    no policy.
    """
    known = {field.name for field in fields(PoolPolicy)}
    if unknown := stored.keys() - known:
        raise ValueError(f"no such rule: {', '.join(sorted(unknown))}")
    given: dict[str, Any] = {name: WORDS[name](stored[name]) for name in WORDS if name in stored}
    given |= {name: _flag(name, stored[name]) for name in FLAGS if name in stored}
    given |= {name: _number(name, stored[name], NUMBERS) for name in NUMBERS if name in stored}
    if "fall_back" in stored:
        given["fall_back"] = tuple(ids[name] for name in stored["fall_back"] if name in ids)
    if "lending" in stored:
        given["lending"] = _lending_of(stored["lending"], ids)
    return PoolPolicy(**given)


def _lending_of(stored: Mapping[str, Any], ids: Mapping[str, P]) -> LendingPolicy:
    known = {field.name for field in fields(LendingPolicy)}
    if unknown := stored.keys() - known:
        raise ValueError(f"no such rule of lending: {', '.join(sorted(unknown))}")
    given: dict[str, Any] = {
        name: _number(name, stored[name], LENDING_NUMBERS)
        for name in LENDING_NUMBERS
        if name in stored
    }
    if "by_day" in stored:
        given["by_day"] = _flag("by_day", stored["by_day"])
    if "to_pools" in stored:
        given["to_pools"] = frozenset(ids[name] for name in stored["to_pools"] if name in ids)
    if "windows" in stored:
        given["windows"] = tuple(
            WeekWindow(_minute(window["start"]), _minute(window["end"]))
            for window in stored["windows"]
        )
    return LendingPolicy(**given)


def encode_pool_policy(policy: PoolPolicy, names: Mapping[str, str]) -> dict[str, Any]:
    """Return every field of a policy as JSON; `names` are the pools by id."""
    found = asdict(policy)
    found["fall_back"] = [names[pool] for pool in policy.fall_back if pool in names]
    lending = policy.lending
    found["lending"]["to_pools"] = sorted(names[pool] for pool in lending.to_pools if pool in names)
    found["lending"]["windows"] = [asdict(window) for window in lending.windows]
    return found


def with_defaults(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored policy with the defaults of everything that it leaves out."""
    defaults = encode_pool_policy(PoolPolicy(), {})
    lending = {**defaults["lending"], **stored.get("lending", {})}
    return {**defaults, **stored, "lending": lending}


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be true or false")
    return value


def _number(name: str, value: object, bounds: Mapping[str, int]) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number")
    if not 0 <= value <= bounds[name]:
        raise ValueError(f"{name} must be from 0 to {bounds[name]}")
    return value


def _minute(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("a window starts and ends at a minute")
    return value
