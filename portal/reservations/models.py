"""Advance reservations, their windows, and the devices that they keep in each window.

A migration adds what Django cannot express: a trigger that refuses a device to two windows at one time.
"""

from typing import Final

from django.contrib.postgres.fields import ArrayField, DateTimeRangeField
from django.db import models
from django.db.models import F, Q

from portal.common.models import Entity
from portal.identity.models import User
from portal.inventory.models import Accelerator, Pool
from portal.tenancy.models import Group

DURATION_S: Final = (300, 14 * 24 * 3600)
"""Shortest and longest window of an advance reservation, in seconds."""
AHEAD_DAYS_MAX: Final = 366
"""How far ahead a window may begin, in days."""
WEEKS_MAX: Final = 53
"""Weekly windows of one advance reservation."""
DEVICES_MAX: Final = 1024
"""GPUs or slices of one advance reservation."""
USERS_MAX: Final = 200
"""Users that an advance reservation may name."""
PER_POOL_MAX: Final = 200
"""Advance reservations of a pool that are not over."""


class AdvanceReservation(Entity):
    """GPUs, or slices, of a pool that only a group may use in each window (Slurm: reservation)."""

    name = models.CharField(max_length=63)
    pool = models.ForeignKey(Pool, models.PROTECT, related_name="+")
    group = models.ForeignKey(Group, models.PROTECT, related_name="+")
    """With all groups below it."""
    user_ids = ArrayField(models.UUIDField(), default=list)
    """Members that it is for; empty is every member of the group."""
    gpus = models.PositiveIntegerField(default=0)
    slices = models.PositiveIntegerField(default=0)
    release_unused_after_s = models.PositiveIntegerField(null=True)
    """A window in which no work has started by then ends at once; null is never."""
    created_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    cancelled_at = models.DateTimeField(null=True)
    missing = models.PositiveIntegerField(default=0)
    """GPUs or slices of it that failed, and that no other can stand in for without breaking a promise."""
    missing_since = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(missing=0, missing_since=None)
                | Q(missing__gt=0, missing_since__isnull=False),
                name="reservation_missing_since",
            ),
            models.CheckConstraint(
                condition=Q(gpus__gt=0, slices=0) | Q(gpus=0, slices__gt=0),
                name="reservation_gpus_or_slices",
            ),
        ]


class ReservationWindow(Entity):
    """One stretch of time of a reservation. Its devices are rows of `ReservedDevice`."""

    reservation = models.ForeignKey(
        AdvanceReservation, models.CASCADE, related_name="windows", db_index=False
    )
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    released_at = models.DateTimeField(null=True)
    """When it was given back unused, which is then its end."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(ends_at__gt=F("starts_at")), name="reservation_window_has_a_length"
            ),
            models.UniqueConstraint(
                fields=["reservation", "starts_at"], name="reservation_window_once"
            ),
        ]
        indexes = [models.Index(fields=["ends_at"], name="reservation_window_end")]


class ReservedDevice(Entity):
    """A card, or a slice of it, that one window keeps; two windows never keep it at one time."""

    window = models.ForeignKey(ReservationWindow, models.CASCADE, related_name="devices")
    accelerator = models.ForeignKey(Accelerator, models.CASCADE, related_name="+", db_index=False)
    slot = models.PositiveSmallIntegerField()
    during = DateTimeRangeField()
    """From the start of its window to the end."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(during__isempty=False), name="reserved_device_has_a_time"
            ),
        ]
        indexes = [models.Index(fields=["accelerator", "slot"], name="reserved_device_of_card")]
