"""Services, what their replicas run, the replicas, the keys of callers, and the log of their sizes."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from portal.common.clock import now
from portal.common.models import Entity
from portal.identity.models import User
from portal.tenancy.models import Group
from portal.workloads.models import Workload


class Service(Entity):
    """A server with an address, a number of replicas and a promise."""

    class QualityClass(models.TextChoices):
        """What it promises."""

        LATENCY = "latency"
        """Requests are answered in time: its replicas are never evicted and never on borrowed GPUs."""
        THROUGHPUT = "throughput"
        """So many requests are answered, sooner or later: its replicas fill what is idle."""

    class WantedState(models.TextChoices):
        """What its owner wants of it."""

        RUNNING = "running"
        STOPPED = "stopped"
        DELETED = "deleted"
        """No list has it; it is kept for what its replicas have used."""

    name = models.SlugField(max_length=63)
    group = models.ForeignKey(Group, models.PROTECT, related_name="+")
    owner = models.ForeignKey(User, models.PROTECT, related_name="+")
    state = models.CharField(
        max_length=16, choices=WantedState.choices, default=WantedState.RUNNING.value
    )
    version = models.PositiveIntegerField(default=0)
    """Rises with every change of its owner's."""

    quality = models.CharField(max_length=16, choices=QualityClass.choices)
    target_ms = models.PositiveIntegerField(null=True)
    """For latency: within which an answer, or its first token, comes."""
    is_first_token = models.BooleanField(default=False)
    """Whether the target is about the first token."""
    rate_milli = models.PositiveIntegerField(default=0)
    """For throughput: requests wanted in 1,000 seconds; 0 is as many as come."""

    replicas_min = models.PositiveSmallIntegerField()
    replicas_max = models.PositiveSmallIntegerField()
    replicas_wanted = models.PositiveSmallIntegerField()
    """How many are to serve now, from the least to the most."""
    zero_after_s = models.PositiveIntegerField()
    """Where the least is none: it goes there after so long without a request."""
    hold_max = models.PositiveIntegerField()
    """Requests that wait at most while no replica is ready."""
    hold_deadline_s = models.PositiveIntegerField()
    """How long each of them waits at most."""
    drain_s = models.PositiveIntegerField()
    """How long a replica that leaves may take for what it is answering."""

    revision = models.PositiveIntegerField(default=1)
    """Number of the revision that is to serve."""
    stable_revision = models.PositiveIntegerField(null=True)
    """The last one of which a replica has stayed up."""
    canary_revision = models.PositiveIntegerField(null=True)
    """One that gets a part of the requests beside it."""
    canary_pct = models.PositiveSmallIntegerField(default=0)

    scaling_state: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    """What the rule of its size wants to be given the next time."""
    share_state: "models.JSONField[Any, Any]" = models.JSONField(default=dict, db_default={})
    """The same of the rule of its claims; see `scheduler.scaling.shares`."""
    capacity_state: "models.JSONField[Any, Any]" = models.JSONField(default=dict, db_default={})
    """What a replica was seen to carry: `{"revision": int, "curve": [[open requests, latency in ms, answers]]}`."""
    refusal_code = models.CharField(max_length=64, blank=True, default="")
    """Why its last replica could not be queued; empty is that it could."""
    refusal_params: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    refused_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["group", "name"], condition=~Q(state="deleted"), name="service_one_name"
            ),
            models.CheckConstraint(
                condition=Q(replicas_max__gte=1)
                & Q(replicas_min__lte=F("replicas_wanted"))
                & Q(replicas_wanted__lte=F("replicas_max")),
                name="service_size_inside_bounds",
            ),
            models.CheckConstraint(
                condition=Q(
                    quality="latency", target_ms__isnull=False, target_ms__gt=0, rate_milli=0
                )
                | Q(quality="throughput", target_ms=None, is_first_token=False),
                name="service_target_of_its_quality",
            ),
            models.CheckConstraint(
                condition=Q(canary_revision=None, canary_pct=0)
                | Q(canary_revision__isnull=False, canary_pct__range=(1, 99)),
                name="service_canary_has_a_part",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=~Q(state="deleted"), name="service_not_deleted")
        ]


class ServiceForecast(models.Model):
    """The requests that a service is expected to get by the hour, and what such forecasts were worth."""

    service = models.OneToOneField(Service, models.CASCADE, primary_key=True, related_name="+")
    made_at = models.DateTimeField()
    model = models.CharField(max_length=32)
    first_hour = models.DateTimeField()
    low: "ArrayField[Any, Any]" = ArrayField(models.PositiveBigIntegerField())
    middle: "ArrayField[Any, Any]" = ArrayField(models.PositiveBigIntegerField())
    high: "ArrayField[Any, Any]" = ArrayField(models.PositiveBigIntegerField())
    """Requests of each hour from the first one on: the ends of the interval, and what is likeliest."""
    is_trusted = models.BooleanField(default=False, db_default=False)
    """Whether it may start replicas; see `scheduler.forecast.choice`."""
    accuracy: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """Of each model that was tried: `{"model", "error_permille", "against_naive_permille", "hours"}`."""


class Revision(Entity):
    """What the replicas of a service run; it never changes."""

    service = models.ForeignKey(Service, models.CASCADE, related_name="revisions", db_index=False)
    number = models.PositiveIntegerField()
    spec: "models.JSONField[Any, Any]" = models.JSONField()
    """The fields of `portal.serving.inputs.RevisionInput`, validated."""
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+", db_index=False)
    proved_at = models.DateTimeField(null=True)
    """When one of its replicas had stayed up for the first time."""
    failed_at = models.DateTimeField(null=True)
    """When it was given up: nothing of it is started any more."""
    retried_at = models.DateTimeField(null=True)
    """When it was last tried again; ends of before do not count."""
    failure: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    """`{"cause": str, "params": {}}` of the end for which it was given up."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["service", "number"], name="revision_one_number")
        ]


class Replica(models.Model):
    """Which work is a replica of which service."""

    workload = models.OneToOneField(
        Workload, models.PROTECT, primary_key=True, related_name="replica"
    )
    service = models.ForeignKey(Service, models.PROTECT, related_name="replicas")
    revision = models.ForeignKey(Revision, models.PROTECT, related_name="replicas", db_index=False)
    created_at = models.DateTimeField(default=now)
    draining_since = models.DateTimeField(null=True)
    """Since when it gets no new requests."""
    is_dismissed = models.BooleanField(default=False, db_default=False)
    """Somebody has asked for its end: it drains, and does not come back."""


class ServiceKey(Entity):
    """What a program shows to be answered by a service; the key itself is shown once."""

    service = models.ForeignKey(Service, models.CASCADE, related_name="keys")
    name = models.CharField(max_length=63)
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=8)
    """Its last characters, by which people know it again."""
    requests_per_min = models.PositiveIntegerField(null=True)
    """Null is as many as come."""
    tokens_per_min = models.PositiveIntegerField(null=True)
    created_by = models.ForeignKey(User, models.PROTECT, related_name="+", db_index=False)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)


class ScalingStep(models.Model):
    """A decision about a service's size or revision, in a code and its numbers. Append-only."""

    id = models.BigAutoField(primary_key=True)
    service = models.ForeignKey(Service, models.CASCADE, related_name="steps", db_index=False)
    at = models.DateTimeField(default=now)
    code = models.CharField(max_length=32)
    params: "models.JSONField[Any, Any]" = models.JSONField(default=dict)
    before = models.PositiveSmallIntegerField()
    """Replicas wanted until then."""
    after = models.PositiveSmallIntegerField()

    class Meta:
        indexes = [models.Index(fields=["service", "-id"], name="step_by_service")]
