"""The one row of site settings, and the time zones of the past."""

from typing import Any, ClassVar, Final

from django.contrib.postgres.fields import ArrayField
from django.db import models

ROW_ID: Final = 1
"""There is one site, so there is one row."""


class ZoneChange(models.Model):
    """A change of the site's time zone. Past days keep the bounds that they had."""

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField(unique=True)
    zone_before = models.CharField(max_length=64)
    days_from_before = models.DateField(null=True)


class CarbonChange(models.Model):
    """A change of the carbon factors. Energy of the past keeps the factor of its hour."""

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField(unique=True)
    g_per_kwh_before = ArrayField(models.PositiveSmallIntegerField())
    """Empty where none was set."""


class SiteSettings(models.Model):
    """What administrators have set; a null is the default of the installation or the product."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=ROW_ID)
    time_zone = models.CharField(max_length=64)
    """IANA name. Set at the first start and from then on only by an administrator: budget periods
    depend on it."""
    days_from = models.DateField(null=True)
    """The day that had begun when the zone was last changed: no earlier day begins again."""
    half_life_s = models.PositiveIntegerField(null=True)
    entry_penalty_s = models.PositiveIntegerField(null=True)
    workspaces_kept_days = models.PositiveIntegerField(null=True)
    outputs_kept_days = models.PositiveIntegerField(null=True)
    lease_ttl_s = models.PositiveIntegerField(null=True)
    raw_samples_kept_days = models.PositiveIntegerField(null=True)
    minute_samples_kept_days = models.PositiveIntegerField(null=True)
    hour_samples_kept_days = models.PositiveIntegerField(null=True)
    leavers_stop_after_h = models.PositiveIntegerField(null=True)
    """Hours after which running work of people who left is stopped; 0 lets it continue to its time limit."""
    group_reservation_s_max = models.PositiveIntegerField(null=True)
    group_reservation_ahead_days = models.PositiveIntegerField(null=True)
    group_alarm_rules_max = models.PositiveSmallIntegerField(null=True)
    group_studies_max = models.PositiveSmallIntegerField(null=True)
    currency = models.CharField(max_length=3, blank=True, default="", db_default="")
    """ISO 4217 code of new prices; empty is the default."""
    carbon_g_per_kwh = ArrayField(models.PositiveSmallIntegerField(), default=list, db_default=[])
    """Grams of CO2e: one factor, or one for each hour of the site's clock; empty is none."""

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(condition=models.Q(id=ROW_ID), name="site_settings_one_row"),
            models.CheckConstraint(
                condition=~models.Q(half_life_s=0), name="site_settings_half_life_positive"
            ),
        ]
