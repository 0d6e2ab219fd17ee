"""Job arrays, and dependencies between jobs."""

from django.db import models
from django.db.models import Q

from portal.common.models import Entity
from portal.identity.models import User
from portal.tenancy.models import Group


class JobArray(Entity):
    """Many equal jobs that were submitted as one (Slurm: `sbatch --array`); they are its tasks."""

    name = models.CharField(max_length=63)
    owner = models.ForeignKey(User, models.PROTECT, related_name="+")
    group = models.ForeignKey(Group, models.PROTECT, related_name="+")
    indexes = models.CharField(max_length=255)
    """As they were submitted, without the limit: `0-99:2,200`."""
    size = models.PositiveIntegerField()
    """How many tasks it has."""
    running_max = models.PositiveIntegerField(null=True)
    """How many of them may run at once; null is as many as quotas and nodes allow."""

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(size__gte=1), name="array_has_a_task"),
            models.CheckConstraint(
                condition=Q(running_max=None) | Q(running_max__gte=1), name="array_runs_a_task"
            ),
        ]


class Dependency(models.Model):
    """What a job, or each task of an array, waits for: another job, or all tasks of another array.

    It can only name what exists when the dependent is submitted, so there are no cycles.
    """

    class Type(models.TextChoices):
        """When it is satisfied; Slurm's `--dependency=after`, `afterok`, `afterany`."""

        AFTER = "after"
        AFTER_OK = "after_ok"
        AFTER_ANY = "after_any"

    id = models.BigAutoField(primary_key=True)
    workload = models.ForeignKey("Workload", models.CASCADE, null=True, related_name="dependencies")
    array = models.ForeignKey(JobArray, models.CASCADE, null=True, related_name="dependencies")
    """The dependent: a job or an array."""
    type = models.CharField(max_length=9, choices=Type.choices)
    on_workload = models.ForeignKey(
        "Workload", models.PROTECT, null=True, related_name="dependents"
    )
    on_array = models.ForeignKey(JobArray, models.PROTECT, null=True, related_name="dependents")
    """What it waits for: a job or an array."""
    settled_at = models.DateTimeField(null=True)
    """When the sweep found that it holds nothing back any more: satisfied, or its dependent ended."""

    class Meta:
        verbose_name_plural = "dependencies"
        constraints = [
            models.CheckConstraint(
                condition=Q(workload=None, array__isnull=False)
                | Q(workload__isnull=False, array=None),
                name="dependency_of_one",
            ),
            models.CheckConstraint(
                condition=Q(on_workload=None, on_array__isnull=False)
                | Q(on_workload__isnull=False, on_array=None),
                name="dependency_on_one",
            ),
            models.CheckConstraint(
                condition=Q(type__in=["after", "after_ok", "after_any"]),
                name="dependency_type_known",
            ),
        ]
        indexes = [
            models.Index(fields=["id"], condition=Q(settled_at=None), name="dependency_unsettled"),
        ]
