"""Tables of what the endpoints of services carried. They name services and keys by id only."""

from django.db import models


class CountedReport(models.Model):
    """A report of a process that has been counted."""

    id = models.UUIDField(primary_key=True)
    counted_at = models.DateTimeField(db_index=True)


class ServiceLoad(models.Model):
    """One service in one second, as one process of the gateway saw it."""

    service_id = models.UUIDField()
    second = models.DateTimeField(db_index=True)
    process = models.CharField(max_length=40)
    in_flight = models.PositiveIntegerField()
    held = models.PositiveIntegerField()
    arrivals = models.PositiveIntegerField()
    completed = models.PositiveIntegerField()
    failed = models.PositiveIntegerField()
    refused = models.PositiveIntegerField()
    waiting = models.PositiveIntegerField(default=0, db_default=0)
    """Inside replicas, by their servers' own metrics."""
    waiting_age_ms = models.PositiveIntegerField(default=0, db_default=0)
    """For how long a replica that reported it does so no more."""
    open_by_replica = models.JSONField(default=dict)
    """Id of a replica's workload to its open requests."""
    latency = models.TextField(blank=True)
    """Encoded histogram in microseconds."""
    first_byte = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["service_id", "second", "process"], name="service_load_once"
            ),
        ]


class KeyUsage(models.Model):
    """What one key of a service used in one hour."""

    service_id = models.UUIDField()
    key_id = models.UUIDField()
    hour = models.DateTimeField()
    requests = models.PositiveBigIntegerField(default=0)
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)
    cut = models.PositiveBigIntegerField(default=0)
    failed = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["service_id", "key_id", "hour"], name="key_usage_once"),
        ]


class ServiceHour(models.Model):
    """How many requests came to one service in one hour: what forecasts learn from."""

    service_id = models.UUIDField()
    hour = models.DateTimeField(db_index=True)
    arrivals = models.PositiveBigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["service_id", "hour"], name="service_hour_once"),
        ]
