"""The base of most tables, and the tables of idempotency and rate limits."""

from typing import Any

from django.db import models

from portal.common.clock import now
from portal.common.ids import new_id


class Entity(models.Model):
    """A row with a time-ordered key and its moment of creation."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    created_at = models.DateTimeField(default=now, editable=False)

    class Meta:
        abstract = True


class IdempotencyRecord(models.Model):
    """The stored response to a mutating request: the same key never acts twice."""

    id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(
        "identity.User", on_delete=models.CASCADE, related_name="+", db_index=False
    )
    key = models.CharField(max_length=200)
    request_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body: "models.JSONField[Any, Any]" = models.JSONField()
    created_at = models.DateTimeField(default=now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="idempotency_one_answer"),
        ]
        indexes = [models.Index(fields=["created_at"], name="idempotency_age")]


class RateCount(models.Model):
    """Requests counted in one time window while Redis is away, so that limits keep working."""

    key = models.CharField(max_length=200, primary_key=True)
    count = models.PositiveIntegerField()
    expires_at = models.DateTimeField(db_index=True)
