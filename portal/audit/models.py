"""The audit log, its seals, and counts of repeated denials."""

from typing import Any, ClassVar

from django.db import models

from portal.common.clock import now


class AuditEvent(models.Model):
    """One act by a person, robot or the system; written in the transaction of the change.

    The database refuses to change or delete a row, and to empty the table.
    """

    class Outcome(models.TextChoices):
        """How the act ended."""

        OK = "ok"
        DENIED = "denied"
        FAILED = "failed"

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField(default=now)
    actor_kind = models.CharField(max_length=8)
    actor_id = models.CharField(max_length=36, blank=True)
    actor_name = models.CharField(max_length=100, blank=True)
    action = models.CharField(max_length=64)
    object_type = models.CharField(max_length=32)
    object_id = models.CharField(max_length=64, blank=True)
    group_id = models.UUIDField(null=True)
    outcome = models.CharField(max_length=8, choices=Outcome.choices, default=Outcome.OK)
    params: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    request_id = models.CharField(max_length=64, blank=True)
    address = models.CharField(max_length=64, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["group_id", "-id"], name="audit_by_group"),
            models.Index(fields=["object_type", "object_id", "-id"], name="audit_by_object"),
        ]


class AuditSeal(models.Model):
    """A link of the hash chain: the digest of a run of events and of the seal before it.

    A changed, added or deleted event breaks the digest of its seal, a changed seal that of the next.
    """

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField(default=now)
    first_id = models.BigIntegerField()
    """Lowest event id covered; one more than `last_id` of the seal before."""
    last_id = models.BigIntegerField(unique=True)
    count = models.PositiveIntegerField()
    """Events covered; ids of rolled back transactions are missing."""
    previous = models.CharField(max_length=64, blank=True)
    """Digest of the seal before; empty for the first."""
    digest = models.CharField(max_length=64)
    """SHA-256, in hexadecimal."""

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                condition=models.Q(last_id__gte=models.F("first_id")), name="seal_covers_events"
            ),
        ]


class DenialCount(models.Model):
    """Denials of one actor and action since the one that was written to the log.

    A storm of refused requests counts up one row here instead of filling the log.
    """

    key = models.CharField(max_length=200, primary_key=True)
    since = models.DateTimeField(default=now, db_index=True)
    last_at = models.DateTimeField(default=now)
    repeats = models.PositiveBigIntegerField(default=0)
    """Denials after the first, which is in the log."""
    actor_kind = models.CharField(max_length=8)
    actor_id = models.CharField(max_length=36, blank=True)
    actor_name = models.CharField(max_length=100, blank=True)
    action = models.CharField(max_length=64)
    object_type = models.CharField(max_length=32)
    group_id = models.UUIDField(null=True)
    code = models.CharField(max_length=64)
    address = models.CharField(max_length=64, blank=True)
