"""Studies: simulations of the platform's own past under a change, or of a scenario that comes along."""

from typing import Any

from django.db import models
from django.db.models import F, Q

from portal.common.models import Entity
from portal.identity.models import User
from portal.tenancy.models import Group


class StudyPhase(models.TextChoices):
    """How far a study is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class StoryName(models.TextChoices):
    """Scenarios of the simulator that pages have words for."""

    AISTATION = "aistation"


class Study(Entity):
    """A question "what if" and its findings. The change names pools, groups and nodes, not their ids."""

    title = models.CharField(max_length=100, blank=True)
    asked_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    group = models.ForeignKey(Group, models.CASCADE, null=True, related_name="+")
    """Whose it is: its findings are of the work of this group and those below it; null is of all."""
    scenario = models.CharField(max_length=32, choices=StoryName, blank=True, default="")
    """The scenario that is simulated instead of the platform's past; empty is the past."""
    days = models.PositiveSmallIntegerField()
    """How many days before its creation it covers; 0 of a scenario."""
    change: "models.JSONField[Any, Any]" = models.JSONField()
    """The change, as `scheduler.whatif.change` reads it from a file; empty changes nothing."""
    phase = models.CharField(max_length=8, choices=StudyPhase.choices, default=StudyPhase.WAITING)
    failure = models.CharField(max_length=32, blank=True)
    """Code of the reason why there are no findings; empty unless failed."""
    findings: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    """Results, as `portal.studies.simulation` returns them; of a scenario, `portal.studies.stories`."""
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
                condition=Q(scenario="", days__gte=1) | Q(scenario="aistation", days=0),
                name="study_of_the_past_or_a_story",
            ),
            models.CheckConstraint(
                condition=Q(scenario="") | Q(group=None), name="study_of_a_story_has_no_group"
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

    @property
    def past(self) -> Any:
        """Findings about the platform's past; None where there are none."""
        return None if self.scenario else self.findings

    @property
    def story(self) -> Any:
        """Findings about a scenario; None where there are none."""
        return self.findings if self.scenario else None
