"""Pool policies as they are stored and as the scheduler uses them; pure functions.

A stored policy is a JSON object with the fields of `scheduler.core.model.policy.PoolPolicy` that differ
from the product's defaults. It refers to other pools by name, because people write it; the scheduler
uses ids.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict, fields
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, TypedDict, TypeVar

import structlog

from portal.common.errors import InvalidError
from scheduler.core.model.isolation import IsolationLevel
from scheduler.core.model.policy import (
    JobOrder,
    LendingPolicy,
    Packing,
    PoolPolicy,
    QueueRule,
    WeekWindow,
)
from wire.words import SilenceTerm

CHOICES: Final[Mapping[str, type[StrEnum]]] = {
    "queue": QueueRule,
    "packing": Packing,
    "order": JobOrder,
    "isolation": IsolationLevel,
    "silence": SilenceTerm,
}
FLAGS: Final = ("preemption", "reclaim", "consolidate", "mix_groups")
NUMBERS: Final[Mapping[str, int]] = {
    "patience_s": 366 * 24 * 3600,
    "stretch": 1000,
    "turn_s": 7 * 24 * 3600,
    "backfill_depth": 1000,
    "min_runtime_s": 7 * 24 * 3600,
    "reclaim_min_runtime_s": 7 * 24 * 3600,
    "grace_s": 3600,
    "victims_max": 10_000,
    "burst_pct": 1000,
    "idle_warn_s": 7 * 24 * 3600,
    "idle_release_s": 90 * 24 * 3600,
    "idle_stop_s": 90 * 24 * 3600,
    "idle_keep_s": 7 * 24 * 3600,
    "idle_keeps_max": 100,
}
"""The largest value allowed of each; the smallest is 0."""
LENDING_NUMBERS: Final[Mapping[str, int]] = {"keep_gpus": 100_000, "bound_s": 24 * 3600}

POLICY_REASON_MAX: Final = 300
"""Characters of the reason of a change of a policy."""


class RuleChange(TypedDict):
    """What a change did to one rule of a policy; None is the product's default."""

    pointer: str
    """Where the rule stands in a complete policy, as a JSON pointer (RFC 6901)."""
    before: Any
    after: Any


P = TypeVar("P", bound=str)
_NO_IDS: Final[Mapping[str, Any]] = MappingProxyType({})

logger = structlog.get_logger(__name__)


def read_policy(
    pool_name: str, stored: Mapping[str, Any], ids: Mapping[str, P] = _NO_IDS
) -> PoolPolicy:
    """Return a stored policy; where it cannot be read, log that and return the defaults."""
    try:
        return parse_pool_policy(stored, ids)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        logger.exception("pool.policy_unreadable", pool=pool_name, error=str(error))
        return PoolPolicy()


def parse_pool_policy(stored: Mapping[str, Any], ids: Mapping[str, P]) -> PoolPolicy:
    """Return a stored policy; `ids` are the pools by name, and removed pools are left out.

    Raises:
        ValueError, TypeError, KeyError: it is no valid policy.
    """
    known = {field.name for field in fields(PoolPolicy)}
    if unknown := stored.keys() - known:
        raise ValueError(f"unknown fields: {', '.join(sorted(unknown))}")
    given: dict[str, Any] = {
        name: CHOICES[name](stored[name]) for name in CHOICES if name in stored
    }
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
        raise ValueError(f"unknown fields of lending: {', '.join(sorted(unknown))}")
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
    """Return a stored policy with the defaults of the fields that it leaves out."""
    defaults = encode_pool_policy(PoolPolicy(), {})
    lending = {**defaults["lending"], **stored.get("lending", {})}
    return {**defaults, **stored, "lending": lending}


def rules_of(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return every rule of a stored policy by its JSON pointer; None where it is the default."""
    defaults, values = _by_pointer(with_defaults({})), _by_pointer(with_defaults(stored))
    return {
        pointer: None if values[pointer] == default else values[pointer]
        for pointer, default in defaults.items()
    }


def with_rules(stored: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return a stored policy, completed, with other values of these rules; None is the default."""
    found, defaults = with_defaults(stored), with_defaults({})
    for pointer, value in rules.items():
        *lending, name = pointer.split("/")[1:]
        holder, standard = (found, defaults)
        if lending:
            holder, standard = found["lending"], defaults["lending"]
        holder[name] = standard[name] if value is None else value
    return found


def _by_pointer(policy: Mapping[str, Any]) -> dict[str, Any]:
    lending = {f"/lending/{name}": value for name, value in policy["lending"].items()}
    return {f"/{name}": policy[name] for name in policy if name != "lending"} | lending


def require_valid_policy(policy: Mapping[str, Any], others: Collection[str]) -> None:
    """Check that the fields of a complete policy do not contradict each other.

    Args:
        policy: as `with_defaults` returns it.
        others: the names of all other pools.

    Raises:
        InvalidError: they do; each field alone is in its bounds.
    """
    lending = policy["lending"]
    for pointer, names in (
        ("/fall_back", policy["fall_back"]),
        ("/lending/to_pools", lending["to_pools"]),
    ):
        if unknown := [name for name in names if name not in others]:
            raise InvalidError("not_another_pool", pointer=pointer, pool=unknown[0])
    if lending["bound_s"] < policy["grace_s"]:
        least = policy["grace_s"]
        raise InvalidError("bound_below_grace", pointer="/lending/bound_s", min=least)
    _require_idle_order(policy)


def _require_idle_order(policy: Mapping[str, Any]) -> None:
    """Require that warning, release and stop of idle work follow in this order; 0 is never."""
    warn_s, release_s, stop_s = (policy[f"idle_{name}_s"] for name in ("warn", "release", "stop"))
    if release_s and stop_s and stop_s < release_s:
        raise InvalidError("idle_stop_before_release", pointer="/idle_stop_s", min=release_s)
    first = min((limit for limit in (release_s, stop_s) if limit), default=None)
    if first is not None and warn_s >= first:
        raise InvalidError("idle_warning_too_early", pointer="/idle_warn_s", max=first - 1)


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
