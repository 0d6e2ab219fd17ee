"""Tickets, grants and shares, by which a browser opens running work."""

from django.db import models

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
