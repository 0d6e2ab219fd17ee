"""Studies: simulations of the platform's own past under changed policies, quotas or servers."""

from typing import Any

from django.db import models
from django.db.models import F, Q

from portal.common.models import Entity
from portal.identity.models import User


class StudyPhase(models.TextChoices):
    """How far a study is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Study(Entity):
    """A question "what if" and its findings. The change names pools, groups and nodes, not their ids."""

    title = models.CharField(max_length=100, blank=True)
    asked_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    days = models.PositiveSmallIntegerField()
    """How many days before its creation it covers."""
    change: "models.JSONField[Any, Any]" = models.JSONField()
    """The change, as `scheduler.whatif.change` reads it from a file; empty changes nothing."""
    phase = models.CharField(max_length=8, choices=StudyPhase.choices, default=StudyPhase.WAITING)
    failure = models.CharField(max_length=32, blank=True)
    """Code of the reason why there are no findings; empty unless failed."""
    findings: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    """Results, as `portal.studies.simulation` returns them."""
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
