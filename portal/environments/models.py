"""Tickets, grants and shares, by which a browser opens a notebook; schedules."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from portal.common.models import Entity
from portal.identity.models import ApiToken, User
from portal.workloads.models import Workload


class Ticket(Entity):
    """A one-time code in a URL, exchanged within seconds for a cookie of the apps origin."""

    digest = models.CharField(max_length=64, unique=True)
    workload = models.ForeignKey(Workload, models.CASCADE, related_name="+")
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    session_key = models.CharField(max_length=40, blank=True)
    """Portal session of the caller; the grant is valid only as long as it."""
    token = models.ForeignKey(ApiToken, models.CASCADE, null=True, related_name="+", db_index=False)
    """Or its token, for which the same holds."""
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)


class Grant(Entity):
    """Access of one user to one workload by a cookie, until it expires or is revoked."""

    digest = models.CharField(max_length=64, unique=True)
    workload = models.ForeignKey(Workload, models.CASCADE, related_name="+")
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    session_key = models.CharField(max_length=40, blank=True)
    token = models.ForeignKey(ApiToken, models.CASCADE, null=True, related_name="+", db_index=False)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)


class AccessShare(Entity):
    """Leave for a colleague of the owner to open a notebook or web app, until an end."""

    workload = models.ForeignKey(Workload, models.CASCADE, related_name="+", db_index=False)
    recipient = models.ForeignKey(User, models.CASCADE, related_name="+")
    is_full = models.BooleanField()
    """Whether more than reading goes through the gateway."""
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workload", "recipient"], name="access_share_once"),
        ]

    @property
    def access(self) -> str:
        """Return what it allows, in a word."""
        return "full" if self.is_full else "view"


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
