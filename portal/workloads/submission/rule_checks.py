"""Rules of groups and pools: completing a submission by their defaults, and holding it to them."""

from collections.abc import Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from rest_framework.exceptions import ValidationError

from portal.common.actor import Actor
from portal.common.errors import Fault, InvalidError
from portal.common.rest.serializers import InputSerializer
from portal.common.work_kinds import KINDS
from portal.submission_rules.selectors import (
    NO_RULES,
    rules_in_force_for_system,
    rules_in_force_visible_to,
)
from portal.submission_rules.terms import DEVICE_FIELDS, RulesInForce

NUMBERS: Final = frozenset(
    {
        *("gpus", "slices", "gpu_milli", "gpu_memory_mib", "cpu_milli", "memory_mib"),
        *("time_limit_s", "replicas", "retries_max"),
    }
)
"""Fields that may have a range."""
WORDS: Final = frozenset(
    {"image", "mig_profile", "priority", "launcher", "notice_signal", "silence"}
)
"""Fields that may have a list of allowed values."""
RULE_FIELDS: Final = NUMBERS | WORDS | {"preemptible", "home"}
"""Fields that may have a default, which may be locked."""
REQUIRABLE: Final = RULE_FIELDS | {"gpu_models", "datasets", "volumes", "secrets", "env"}
"""Fields that a submission may be required to fill in."""
_OF_REQUEST: Final = (
    *("gpus", "slices", "gpu_milli", "gpu_memory_mib", "mig_profile"),
    *("cpu_milli", "memory_mib", "replicas"),
)


def find_rules(
    shape: type[InputSerializer], body: Mapping[str, Any], *, actor: Actor, kind: str
) -> RulesInForce:
    """Return the rules for a body that is not validated yet; none where it names no visible group."""
    group = _reference(shape, body, "group")
    return (
        rules_in_force_visible_to(
            actor,
            kind,
            group=group,
            pool=_reference(shape, body, "pool"),
            purpose=KINDS[kind].purpose,
        )
        if group
        else NO_RULES
    )


def rules_of_place(kind: str, group_id: UUID, pool_id: UUID) -> RulesInForce:
    """Return the rules for work of a group in a pool; sessions of apps are under none."""
    if KINDS[kind].is_prescribed:
        return NO_RULES
    return rules_in_force_for_system(kind, group=str(group_id), pool=str(pool_id))


def require_allowed(rules: RulesInForce, asked: Mapping[str, Any]) -> None:
    """Refuse what breaks the rules, with the pointer of each field and whose rule it is."""
    require_none(rules.find_faults(asked))


def require_none(faults: Iterable[Fault]) -> None:
    """Refuse a submission that has such faults."""
    if found := tuple(faults):
        refused = InvalidError("submission_rules_refused")
        refused.faults = found
        raise refused


def requested_fields(request: object) -> dict[str, Any]:
    """Return what a request, or a row of a workload, asks for under the names of the rules."""
    return {name: getattr(request, name) for name in _OF_REQUEST}


def without_devices(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is asked but for GPUs: all that rules say about builds, which have none."""
    return {name: value for name, value in asked.items() if name not in DEVICE_FIELDS}


def _reference(shape: type[InputSerializer], body: Mapping[str, Any], name: str) -> str:
    """Return the name or id of a group or pool; empty where there is none, or none that could be."""
    try:
        return str(shape.shared_fields()[name].run_validation(body[name]))
    except (KeyError, ValidationError):
        return ""
