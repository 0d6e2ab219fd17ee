"""Serializers of the site settings."""

from typing import Any

from rest_framework import serializers
from typing_extensions import override

from portal.common.rest.serializers import (
    InputSerializer,
    PatternField,
    StrictCharField,
    StrictIntegerField,
    VersionField,
)
from portal.site.values import BOUNDS


class _LeaseField(StrictIntegerField):
    """A number of seconds; only a default of the installation has a fraction, which may be sent back."""

    @override
    def to_internal_value(self, data: Any) -> Any:
        """Return a whole number as an integer, however it is written, and a fraction as it is."""
        if type(data) is float:
            return super().to_internal_value(int(data)) if data.is_integer() else data
        return super().to_internal_value(data)


class SettingsInput(InputSerializer):
    """New settings; what is left out stays, null is the default, and what is in force changes nothing."""

    answered = frozenset({"bounds", "time_zones"})

    time_zone = StrictCharField(max_length=64, required=False)
    """IANA name, such as `Europe/Berlin`."""
    half_life_s = StrictIntegerField(required=False, allow_null=True)
    entry_penalty_s = StrictIntegerField(required=False, allow_null=True)
    workspaces_kept_days = StrictIntegerField(required=False, allow_null=True)
    outputs_kept_days = StrictIntegerField(required=False, allow_null=True)
    lease_ttl_s = _LeaseField(required=False, allow_null=True)
    raw_samples_kept_days = StrictIntegerField(required=False, allow_null=True)
    minute_samples_kept_days = StrictIntegerField(required=False, allow_null=True)
    hour_samples_kept_days = StrictIntegerField(required=False, allow_null=True)
    leavers_stop_after_h = StrictIntegerField(required=False, allow_null=True)
    group_reservation_s_max = StrictIntegerField(required=False, allow_null=True)
    group_reservation_ahead_days = StrictIntegerField(required=False, allow_null=True)
    group_alarm_rules_max = StrictIntegerField(required=False, allow_null=True)
    group_studies_max = StrictIntegerField(required=False, allow_null=True)
    currency = PatternField(
        r"^[A-Z]{3}$", fault="currency_not_allowed", max_length=3, required=False, allow_null=True
    )
    """ISO 4217 code, such as `EUR`."""
    carbon_g_per_kwh = serializers.ListField(
        child=StrictIntegerField(), max_length=24, required=False, allow_null=True
    )
    """Grams of CO2e for a kWh: one factor, or 24 by the hour of the site's clock; empty is none."""
    version = VersionField()


class SettingBounds(serializers.Serializer[Any]):
    """What a number may be, and what it is unless it is set."""

    name = serializers.ChoiceField(list(BOUNDS))
    min = serializers.IntegerField()
    max = serializers.IntegerField()
    default = serializers.FloatField()


class SettingsShape(serializers.Serializer[Any]):
    """The settings in force, with their bounds and defaults."""

    time_zone = serializers.CharField()
    half_life_s = serializers.IntegerField()
    entry_penalty_s = serializers.IntegerField()
    workspaces_kept_days = serializers.IntegerField()
    outputs_kept_days = serializers.IntegerField()
    lease_ttl_s = serializers.FloatField()
    raw_samples_kept_days = serializers.IntegerField()
    minute_samples_kept_days = serializers.IntegerField()
    hour_samples_kept_days = serializers.IntegerField()
    leavers_stop_after_h = serializers.IntegerField(
        help_text="Hours after which running work of people who left is stopped; 0 is never."
    )
    group_reservation_s_max = serializers.IntegerField(
        help_text="Longest advance reservation that group admins make without staff; 0 is none."
    )
    group_reservation_ahead_days = serializers.IntegerField(help_text="How far ahead it may begin.")
    group_alarm_rules_max = serializers.IntegerField(
        help_text="Alarm rules that admins of a group have for it; 0 is none."
    )
    group_studies_max = serializers.IntegerField(
        help_text="What-if studies of one group that wait at a time; 0: group admins ask for none."
    )
    currency = serializers.CharField()
    carbon_g_per_kwh = serializers.ListField(child=serializers.IntegerField())
    bounds = SettingBounds(many=True)
    version = serializers.IntegerField(help_text="Grows with each change of the settings.")
    time_zones = serializers.ListField(child=serializers.CharField())
    """Names that `time_zone` may have."""
