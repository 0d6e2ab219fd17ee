"""How rules of pools are written down in requests: all of them, or only those that change."""

from typing import Any

from rest_framework import serializers
from typing_extensions import override

from portal.common.serializers import (
    InputSerializer,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
)
from portal.inventory import policy as rules
from scheduler.core.model.isolation import SHARED_ISOLATION_LEVELS
from scheduler.core.model.policy import WEEK_MINUTES

WINDOWS_MAX = 100
"""Windows of the week in which a pool lends."""
POOLS_MAX = 100
"""Pools that the policy of one pool may name."""


class WindowInput(InputSerializer):
    """A stretch of the week, in minutes after Monday 00:00 of the site."""

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
    keep_gpus = StrictIntegerField(max_value=rules.LENDING_NUMBERS["keep_gpus"])
    bound_s = StrictIntegerField(max_value=rules.LENDING_NUMBERS["bound_s"])


class PolicyInput(InputSerializer):
    """Every rule of a pool; see `scheduler.core.model.policy.PoolPolicy`."""

    queue = serializers.ChoiceField([word.value for word in rules.WORDS["queue"]])
    packing = serializers.ChoiceField([word.value for word in rules.WORDS["packing"]])
    order = serializers.ChoiceField([word.value for word in rules.WORDS["order"]])
    patience_s = StrictIntegerField(max_value=rules.NUMBERS["patience_s"])
    stretch = StrictIntegerField(min_value=1, max_value=rules.NUMBERS["stretch"])
    turn_s = StrictIntegerField(max_value=rules.NUMBERS["turn_s"])
    backfill_depth = StrictIntegerField(max_value=rules.NUMBERS["backfill_depth"])
    preemption = StrictBooleanField()
    reclaim = StrictBooleanField()
    min_runtime_s = StrictIntegerField(max_value=rules.NUMBERS["min_runtime_s"])
    grace_s = StrictIntegerField(max_value=rules.NUMBERS["grace_s"])
    consolidate = StrictBooleanField()
    victims_max = StrictIntegerField(max_value=rules.NUMBERS["victims_max"])
    fall_back = _names()
    lending = LendingInput()
    isolation = serializers.ChoiceField([word.value for word in SHARED_ISOLATION_LEVELS])
    burst_pct = StrictIntegerField(min_value=100, max_value=rules.NUMBERS["burst_pct"])
    mix_groups = StrictBooleanField()
    idle_warn_s = StrictIntegerField(max_value=rules.NUMBERS["idle_warn_s"])
    idle_release_s = StrictIntegerField(max_value=rules.NUMBERS["idle_release_s"])
    idle_stop_s = StrictIntegerField(max_value=rules.NUMBERS["idle_stop_s"])
    idle_keep_s = StrictIntegerField(max_value=rules.NUMBERS["idle_keep_s"])
    idle_keeps_max = StrictIntegerField(max_value=rules.NUMBERS["idle_keeps_max"])


class PolicyChangeInput(PolicyInput):
    """Some of the rules; what is left out stays as it is."""

    @override
    def get_fields(self) -> dict[str, Any]:
        """Return the same fields, none of them required."""
        found = super().get_fields()
        for field in found.values():
            field.required = False
        return found
