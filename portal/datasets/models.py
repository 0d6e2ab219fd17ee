"""Shared read-only data sets, by name, and their numbered versions."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from portal.common.models import Entity
from portal.identity.models import User
from portal.tenancy.models import Group


class Dataset(Entity):
    """Data that groups may read, in numbered versions.

    Work refers to it by name, and keeps the version that it got at its submission.
    """

    name = models.CharField(max_length=63, unique=True)
    description = models.CharField(max_length=300, blank=True)
    is_for_everybody = models.BooleanField(default=False)
    groups = models.ManyToManyField(Group, related_name="+")
    """Groups that may read it, with all groups below them, unless it is for everybody."""
    last_number = models.PositiveIntegerField(default=0)
    """The highest number that a version of it ever had: none is given twice."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(name__regex=r"^[a-z0-9][a-z0-9._-]{0,62}$"),
                name="dataset_name_is_a_folder",
            ),
        ]


class VersionState(models.TextChoices):
    """Whether new work may use a version."""

    READY = "ready"
    RETIRED = "retired"
    """What has it keeps it, new submissions do not get it."""


class DatasetVersion(Entity):
    """One state of a data set. Where its files are never changes; its words may."""

    State = VersionState

    dataset = models.ForeignKey(Dataset, models.CASCADE, db_index=False, related_name="versions")
    number = models.PositiveIntegerField()
    """1 is the first."""
    alias = models.CharField(max_length=32, blank=True)
    """Another name of it, which may move to another version."""
    note = models.CharField(max_length=300, blank=True)
    state = models.CharField(max_length=9, choices=State.choices, default=State.READY.value)
    path = models.CharField(max_length=400)
    """A folder that every node has below its `datasets_dir`; shown to administrators only."""
    size_bytes = models.PositiveBigIntegerField(null=True)
    """Of its files; None where the portal does not have them, or before they were counted."""
    file_count = models.PositiveBigIntegerField(null=True)
    measured_at = models.DateTimeField(null=True)
    """When its files were last counted, or were too many to be counted in time."""
    changed_at = models.DateTimeField(null=True)
    """When they were first found to be others than before: somebody has changed the version."""
    made_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["dataset", "number"], name="dataset_version_once"),
            models.UniqueConstraint(
                fields=["dataset", "alias"],
                condition=~Q(alias=""),
                name="dataset_alias_once",
            ),
            models.UniqueConstraint(fields=["dataset", "path"], name="dataset_path_once"),
            models.CheckConstraint(
                condition=Q(number__gte=1), name="dataset_version_counts_from_1"
            ),
        ]
