"""Schedules of notebooks."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from portal.workloads.models import Workload


class NotebookSchedule(models.Model):
    """On which days a notebook starts and stops by itself, in minutes of the day on the site's clock."""

    workload = models.OneToOneField(
        Workload, models.CASCADE, primary_key=True, related_name="schedule"
    )
    days = ArrayField(models.PositiveSmallIntegerField())
    """0 is Monday."""
    start_minute = models.PositiveSmallIntegerField(null=True)
    stop_minute = models.PositiveSmallIntegerField(null=True)
    next_start_at = models.DateTimeField(null=True, db_index=True)
    next_stop_at = models.DateTimeField(null=True, db_index=True)
    warned_of = models.DateTimeField(null=True)
    """The stop that was last announced."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(start_minute__isnull=False) | Q(stop_minute__isnull=False),
                name="schedule_starts_or_stops",
            ),
        ]
