"""Tickets and grants, with which a browser opens a notebook on another origin."""

from django.db import models

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
