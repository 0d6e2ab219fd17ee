"""The audit log. The database refuses to change or delete a row."""

from typing import Any

from django.db import models

from portal.common.clock import now


class AuditEvent(models.Model):
    """One act by a person, robot or the system; written in the transaction of the change."""

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
