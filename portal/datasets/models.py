"""Shared read-only data sets, by name, and their numbered versions."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from portal.common.clock import now
from portal.common.models import Entity
from portal.datasets.places import VersionFolder
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
    owner = models.ForeignKey(Group, models.PROTECT, null=True, related_name="+")
    """The group whose admins publish its versions; it reads it, too. None: the platform's admins only."""
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


class VersionPlace(models.TextChoices):
    """Where the files of a version lie."""

    NODES = "nodes"
    """In a folder that an operator has put on the nodes, below their `datasets_dir`."""
    STORAGE = "storage"
    """In the storage that portal and nodes share: it was published there."""


class DatasetVersion(Entity):
    """One state of a data set. Where its files are never changes; its words may."""

    State = VersionState
    Place = VersionPlace

    dataset = models.ForeignKey(Dataset, models.CASCADE, db_index=False, related_name="versions")
    number = models.PositiveIntegerField()
    """1 is the first."""
    alias = models.CharField(max_length=32, blank=True)
    """Another name of it, which may move to another version."""
    note = models.CharField(max_length=300, blank=True)
    state = models.CharField(max_length=9, choices=State.choices, default=State.READY.value)
    place = models.CharField(
        max_length=7, choices=Place.choices, default=Place.NODES.value, db_default=Place.NODES.value
    )
    path = models.CharField(max_length=400)
    """A folder below that place; shown to administrators only."""
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

    @property
    def folder(self) -> VersionFolder:
        """Where its files are."""
        return VersionFolder(self.path, self.place == VersionPlace.STORAGE)


class PublicationState(models.TextChoices):
    """How far a publication is."""

    WAITING = "waiting"
    COPYING = "copying"
    DONE = "done"
    """It is a version."""
    FAILED = "failed"
    CANCELLED = "cancelled"


class PublicationSource(models.TextChoices):
    """Whose folder is published."""

    VOLUME = "volume"
    JOB = "job"
    """The outputs of one."""
    STORE = "store"
    """Objects below a prefix of an object store."""


UNFINISHED_STATES = (PublicationState.WAITING, PublicationState.COPYING)


class DatasetPublication(Entity):
    """A folder on its way to become a version of a data set, and how that ended.

    The version has the same id: one publication never makes two.
    """

    State = PublicationState

    dataset = models.ForeignKey(Dataset, models.SET_NULL, null=True, related_name="publications")
    """None when it was removed; what was copied is then, too."""
    name = models.CharField(max_length=63)
    """Of the data set."""
    source = models.CharField(max_length=6, choices=PublicationSource.choices)
    source_id = models.UUIDField(null=True)
    """The volume or job; it may be gone by now. None is a store."""
    store = models.CharField(max_length=32, blank=True, default="", db_default="")
    """Name of the object store; empty is none."""
    source_path = models.TextField(blank=True)
    """Inside of it; empty is its top."""
    alias = models.CharField(max_length=32, blank=True)
    note = models.CharField(max_length=300, blank=True)
    """These two become those of the version."""
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING.value)
    number = models.PositiveIntegerField(null=True)
    """Of the version."""
    failure: "models.JSONField[Any, Any]" = models.JSONField(null=True)
    """Code and parameters of what went wrong."""
    bytes_total = models.PositiveBigIntegerField(null=True)
    files_total = models.PositiveBigIntegerField(null=True)
    """These two are None until they are counted."""
    bytes_done = models.PositiveBigIntegerField(default=0)
    files_done = models.PositiveBigIntegerField(default=0)
    left_out = models.PositiveBigIntegerField(default=0)
    """Links, devices and names that are no text, which are not published."""
    made_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    touched_at = models.DateTimeField(default=now)
    """When it was last worked on: the one that has waited longest is next."""
    ended_at = models.DateTimeField(null=True)
    is_removed = models.BooleanField(default=False)
    """Whether its files were removed again: it failed, or its version was removed."""

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(
                fields=["dataset"],
                condition=Q(state__in=["waiting", "copying"]),
                name="publication_one_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(source="store", source_id=None) & ~Q(store="")
                | ~Q(source="store") & Q(source_id__isnull=False, store=""),
                name="publication_has_one_source",
            ),
        ]
