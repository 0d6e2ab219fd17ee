"""The table of volumes."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Q

from portal.common.models import Entity
from portal.common.uses.files import FileKind, file_reference
from portal.identity.models import User
from portal.inventory.models import Node
from portal.tenancy.models import Group

HOME_NAME = "home"
"""The name of every home."""


class VolumeKind(models.TextChoices):
    """Whose volume it is."""

    HOME = "home"
    GROUP = "group"


class VolumeState(models.TextChoices):
    """In use, or kept for some days until its files are removed."""

    ACTIVE = "active"
    TRASHED = "trashed"


class Volume(Entity):
    """A folder of the storage that work mounts: `storage_dir/volumes/<id>`.

    A home belongs to one user and is mounted in all work of that user; a group volume belongs to a
    group, and work of that group and of all groups below may mount it.
    """

    Kind = VolumeKind
    State = VolumeState

    class Location(models.TextChoices):
        """Where its files are. The first use decides."""

        UNUSED = "unused"
        """Nowhere yet."""
        SHARED = "shared"
        """On the storage that the portal and the nodes share."""
        NODE = "node"
        """On one node, whose storage is its own (`storage_shared = false`)."""

    class Writers(models.TextChoices):
        """The weakest role that may write to a group volume; everybody else who sees it reads."""

        DEVELOPER = "developer"
        GROUP_ADMIN = "group_admin"
        NOBODY = "nobody"

    kind = models.CharField(max_length=8, choices=Kind.choices)
    owner = models.ForeignKey(User, models.PROTECT, null=True, related_name="volumes")
    """Of a home."""
    group = models.ForeignKey(Group, models.PROTECT, null=True, related_name="volumes")
    """Of a group volume."""
    name = models.CharField(max_length=63)
    """Never changes: group volumes are mounted at `/volumes/<name>`."""
    description = models.CharField(max_length=300, blank=True)
    quota_mib = models.PositiveBigIntegerField(default=0)
    """How large it may become; 0 is no limit."""
    writers = models.CharField(
        max_length=12, choices=Writers.choices, default=Writers.DEVELOPER.value
    )
    is_writable_below = models.BooleanField(default=False)
    """Whether that role in a group below its own suffices to write."""
    state = models.CharField(max_length=8, choices=State.choices, default=State.ACTIVE.value)
    trashed_at = models.DateTimeField(null=True)
    location = models.CharField(
        max_length=8, choices=Location.choices, default=Location.UNUSED.value
    )
    node = models.ForeignKey(Node, models.SET_NULL, null=True, related_name="+")
    """Where its files are, if they are on one node."""
    used_mib = models.PositiveBigIntegerField(null=True)
    """Size of its files when they were last counted; None before."""
    measured_at = models.DateTimeField(null=True)
    """When they were last counted, or were too many to be counted in time."""
    changed_at = models.DateTimeField(null=True)
    """When they were changed through the portal, until they are counted again."""

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                condition=Q(kind="home", owner__isnull=False, group=None)
                | Q(kind="group", owner=None, group__isnull=False),
                name="volume_has_one_owner",
            ),
            models.CheckConstraint(
                condition=Q(name__regex=r"^[a-z0-9][a-z0-9._-]{0,62}$"),
                name="volume_name_is_a_folder",
            ),
            models.CheckConstraint(
                condition=Q(state="active", trashed_at=None)
                | Q(state="trashed", trashed_at__isnull=False),
                name="volume_trashed_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(node=None) | Q(location="node"), name="volume_lies_on_its_node"
            ),
            models.UniqueConstraint(
                fields=["owner"], condition=Q(state="active"), name="volume_one_home"
            ),
            models.UniqueConstraint(
                fields=["group", "name"], condition=Q(state="active"), name="volume_once_per_group"
            ),
        ]
        indexes: ClassVar[list[Any]] = [
            models.Index(F("measured_at").asc(nulls_first=True), name="volume_by_measurement"),
        ]

    @property
    def folder_name(self) -> str:
        """Its name beside other volumes: `home`, or `<group>.<name>`; names of groups have no dot."""
        return self.name if self.group is None else f"{self.group.name}.{self.name}"

    @property
    def reference(self) -> str:
        """How work names it (`portal.common.uses.files`)."""
        if self.owner_id is not None:
            return file_reference(FileKind.HOME, self.owner_id)
        return file_reference(FileKind.VOLUME, self.pk)

    @property
    def is_full(self) -> bool:
        """Whether it was as large as its quota allows, or larger, when it was last measured."""
        return 0 < self.quota_mib <= (self.used_mib or 0)
