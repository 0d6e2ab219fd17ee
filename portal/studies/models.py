"""Studies: the platform's own past, told again under rules that somebody thinks about."""

from typing import Any

from django.db import models
from django.db.models import F, Q

from portal.common.models import Entity
from portal.identity.models import User


class Study(Entity):
    """One question "what if", and what came of it. The change is kept as it was asked, by names."""

    class Phase(models.TextChoices):
        """How far it is."""

        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    title = models.CharField(max_length=100, blank=True)
    asked_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    days = models.PositiveSmallIntegerField()
    """How far it looks back from the moment in which it was asked."""
    change: "models.JSONField[Any, Any]" = models.JSONField()
    """As `scheduler.whatif.change` reads it from a file; empty changes nothing."""
    phase = models.CharField(max_length=8, choices=Phase.choices, default=Phase.WAITING)
    failure = models.CharField(max_length=32, blank=True)
    """Code of why there are no findings."""
    findings: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    """As `portal.studies.simulation` returns them."""
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                models.Value(1), condition=Q(phase="running"), name="study_one_at_a_time"
            ),
            models.CheckConstraint(
                condition=Q(phase__in=["waiting", "running", "done", "failed"]),
                name="study_phase_known",
            ),
            models.CheckConstraint(
                # `findings=None` compares with JSON's null, which is no finding either.
                condition=Q(phase="done", findings__isnull=False) & ~Q(findings=None)
                | ~Q(phase="done") & Q(findings__isnull=True),
                name="study_done_has_findings",
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None)
                | Q(started_at__isnull=False, ended_at__gte=F("started_at")),
                name="study_ends_after_it_starts",
            ),
        ]
