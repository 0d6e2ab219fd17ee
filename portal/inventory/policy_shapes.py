"""Pool policies in requests: complete, or only the fields that change."""

from typing import Any

from rest_framework import serializers
from typing_extensions import override

from portal.common.rest.serializers import (
    InputSerializer,
    OneOfField,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    VersionField,
)
from portal.inventory.policy import CHOICES, LENDING_NUMBERS, NUMBERS, POLICY_REASON_MAX
from scheduler.core.model.isolation import SHARED_ISOLATION_LEVELS
from scheduler.core.model.policy import WEEK_MINUTES

WINDOWS_MAX = 100
"""Windows of the week in which a pool lends."""
POOLS_MAX = 100
"""Pools that the policy of one pool may name."""


class WindowInput(InputSerializer):
    """A period of the week, in minutes since Monday 00:00 in the time zone of the site."""

    start = StrictIntegerField(max_value=WEEK_MINUTES - 1)
    end = StrictIntegerField(max_value=WEEK_MINUTES - 1)


def _names(**options: Any) -> serializers.ListField:
    return serializers.ListField(
        child=StrictCharField(max_length=63), max_length=POOLS_MAX, **options
    )


class LendingInput(InputSerializer):
    """What a pool lends to preemptible work of other pools."""

    to_pools = _names()
    windows = serializers.ListField(child=WindowInput(), max_length=WINDOWS_MAX)
    by_day = StrictBooleanField()
    keep_gpus = StrictIntegerField(max_value=LENDING_NUMBERS["keep_gpus"])
    bound_s = StrictIntegerField(max_value=LENDING_NUMBERS["bound_s"])


class PolicyInput(InputSerializer):
    """A complete pool policy; see `scheduler.core.model.policy.PoolPolicy`."""

    queue = OneOfField([choice.value for choice in CHOICES["queue"]])
    packing = OneOfField([choice.value for choice in CHOICES["packing"]])
    order = OneOfField([choice.value for choice in CHOICES["order"]])
    patience_s = StrictIntegerField(max_value=NUMBERS["patience_s"])
    stretch = StrictIntegerField(min_value=1, max_value=NUMBERS["stretch"])
    turn_s = StrictIntegerField(max_value=NUMBERS["turn_s"])
    backfill_depth = StrictIntegerField(max_value=NUMBERS["backfill_depth"])
    preemption = StrictBooleanField()
    reclaim = StrictBooleanField()
    min_runtime_s = StrictIntegerField(max_value=NUMBERS["min_runtime_s"])
    reclaim_min_runtime_s = StrictIntegerField(max_value=NUMBERS["reclaim_min_runtime_s"])
    grace_s = StrictIntegerField(max_value=NUMBERS["grace_s"])
    consolidate = StrictBooleanField()
    victims_max = StrictIntegerField(max_value=NUMBERS["victims_max"])
    fall_back = _names()
    lending = LendingInput()
    isolation = OneOfField([level.value for level in SHARED_ISOLATION_LEVELS])
    burst_pct = StrictIntegerField(min_value=100, max_value=NUMBERS["burst_pct"])
    mix_groups = StrictBooleanField()
    silence = OneOfField([choice.value for choice in CHOICES["silence"]])
    idle_warn_s = StrictIntegerField(max_value=NUMBERS["idle_warn_s"])
    idle_release_s = StrictIntegerField(max_value=NUMBERS["idle_release_s"])
    idle_stop_s = StrictIntegerField(max_value=NUMBERS["idle_stop_s"])
    idle_keep_s = StrictIntegerField(max_value=NUMBERS["idle_keep_s"])
    idle_keeps_max = StrictIntegerField(max_value=NUMBERS["idle_keeps_max"])


class PolicyChangeInput(PolicyInput):
    """Some fields of a pool policy; what is left out does not change."""

    @override
    def get_fields(self) -> dict[str, Any]:
        """Return the same fields, none of them required."""
        found = super().get_fields()
        for field in found.values():
            field.required = False
        return found


class PolicySaveInput(PolicyInput):
    """A complete pool policy, why it is changed, and which one it was made from."""

    reason = StrictCharField(max_length=POLICY_REASON_MAX, default="", allow_blank=True)
    version = VersionField()


class PolicyUndoInput(InputSerializer):
    """Why a change of a policy is taken back."""

    reason = StrictCharField(max_length=POLICY_REASON_MAX, default="", allow_blank=True)
