"""How a browser gets from the portal into a notebook on another origin."""

from django.db import models

from portal.common.models import Entity
from portal.identity.models import User
from portal.workloads.models import Workload


class Ticket(Entity):
    """A one-time code in a URL, swapped within seconds for a cookie of the apps origin."""

    digest = models.CharField(max_length=64, unique=True)
    workload = models.ForeignKey(Workload, models.CASCADE, related_name="+")
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    session_key = models.CharField(max_length=40, blank=True)
    """Portal session that asked; the grant dies with it."""
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)


class Grant(Entity):
    """What the cookie stands for: one user in one environment, until it ends or is revoked."""

    digest = models.CharField(max_length=64, unique=True)
    workload = models.ForeignKey(Workload, models.CASCADE, related_name="+")
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    session_key = models.CharField(max_length=40, blank=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)
