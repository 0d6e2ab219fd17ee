"""What rules of a pool cannot mean together, though each field alone allows it."""

from collections.abc import Collection, Mapping
from typing import Any

from portal.common.errors import InvalidError


def require_valid_policy(policy: Mapping[str, Any], others: Collection[str]) -> None:
    """Refuse rules that the engine could not be built from; `others` are the other pools' names.

    `policy` is whole, as `portal.inventory.policy.with_defaults` returns it.
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
    """First the warning, then the release, then the stop; 0 is never."""
    warn_s, release_s, stop_s = (policy[f"idle_{name}_s"] for name in ("warn", "release", "stop"))
    if release_s and stop_s and stop_s < release_s:
        raise InvalidError("idle_stop_before_release", pointer="/idle_stop_s", min=release_s)
    first = min((limit for limit in (release_s, stop_s) if limit), default=None)
    if first is not None and warn_s >= first:
        raise InvalidError("idle_warning_too_early", pointer="/idle_warn_s", max=first - 1)
