"""Tickets and grants, with which a browser opens a notebook on another origin, and schedules."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from portal.common.models import Entity
from portal.identity.models import User
from portal.workloads.models import Workload


class Ticket(Entity):
    """A one-time code in a URL, exchanged within seconds for a cookie of the apps origin."""

    digest = models.CharField(max_length=64, unique=True)
    workload = models.ForeignKey(Workload, models.CASCADE, related_name="+")
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    session_key = models.CharField(max_length=40, blank=True)
    """Portal session of the caller; the grant is valid only as long as it."""
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)


class Grant(Entity):
    """Access of one user to one workload by a cookie, until it expires or is revoked."""

    digest = models.CharField(max_length=64, unique=True)
    workload = models.ForeignKey(Workload, models.CASCADE, related_name="+")
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    session_key = models.CharField(max_length=40, blank=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)


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
