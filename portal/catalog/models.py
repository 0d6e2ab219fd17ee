"""Images that workloads may run (the platform's and saved ones), and web apps that people start on a folder."""

from typing import Any, ClassVar, Final

from django.db import models
from django.db.models import Q

from portal.catalog.app_commands import ServedAt
from portal.common.models import Entity
from portal.identity.models import User
from portal.tenancy.models import Group

SAVED_NAME_MAX: Final = 30
"""Characters of the name of a saved image, after the name of its owner."""
NOTE_MAX: Final = 500
"""Characters of the description of an image."""

REGISTRY_HOST_MAX: Final = 200
"""Characters of the host of a registry, with its port."""


class Image(Entity):
    """An allow-listed image. Users name it by `name`, never by reference."""

    name = models.SlugField(max_length=63, unique=True)
    """A saved image is `<user>/<name>`; one that was removed has its id for a name."""
    title_en = models.CharField(max_length=100)
    title_zh = models.CharField(max_length=100)
    description_en = models.CharField(max_length=NOTE_MAX, blank=True)
    description_zh = models.CharField(max_length=NOTE_MAX, blank=True)
    reference = models.CharField(max_length=300)
    for_environments = models.BooleanField(default=False)
    for_training = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    owner = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")
    """Who saved it; None is an image of the platform, which is for everyone."""
    group = models.ForeignKey(Group, models.PROTECT, null=True, related_name="+")
    """Whose members may use a saved image besides its owner."""

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                condition=Q(group=None) | Q(owner__isnull=False), name="image_shared_by_its_owner"
            ),
        ]


class SavedImage(models.Model):
    """What an image was saved from, and what of it is in the registry of the platform."""

    image = models.OneToOneField(Image, models.PROTECT, primary_key=True, related_name="saved")
    workload_id = models.UUIDField()
    workload_name = models.CharField(max_length=63)
    workload_group = models.ForeignKey(Group, models.PROTECT, related_name="+")
    """The group with which it can be shared."""
    base = models.ForeignKey(Image, models.PROTECT, related_name="+")
    """The image that the notebook ran."""
    digest = models.CharField(max_length=71)
    """Of its manifest."""
    size_bytes = models.PositiveBigIntegerField()
    """The whole image, unpacked."""
    removed_at = models.DateTimeField(null=True)
    """No new work may use it; its manifest is deleted when no work does."""
    deleted_at = models.DateTimeField(null=True)
    """When the registry had deleted its manifest."""
    is_pinned = models.BooleanField(default=False, db_default=False)
    """Whether it stays, whatever the retention says."""
    expiry_noticed_at = models.DateTimeField(null=True)
    """When its owner was last told that it is about to go."""

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                condition=Q(deleted_at=None) | Q(removed_at__isnull=False),
                name="saved_image_removed_before_deleted",
            ),
        ]


class ImageRetention(Entity):
    """How long unused saved images are kept: those of one group and the groups below, or of all."""

    group = models.ForeignKey(Group, models.CASCADE, null=True, related_name="+", db_index=False)
    """None is the rule of the platform, for groups that no other rule is for."""
    newest = models.PositiveSmallIntegerField()
    """So many of each person and group stay, whenever they were used."""
    used_days = models.PositiveSmallIntegerField(null=True)
    """All others stay for so long after their last use; None is for good."""
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(
                fields=["group"],
                nulls_distinct=False,
                name="image_retention_once",
            ),
        ]


class RegistryCredential(Entity):
    """The login of a registry that is not the platform's, for nodes that pull images from there."""

    host = models.CharField(max_length=REGISTRY_HOST_MAX, unique=True)
    """As references name it, with its port; `docker.io` is what they mean without a host."""
    username = models.CharField(max_length=200)
    encrypted_password = models.TextField()
    """As `portal.common.encryption` returns it; the password leaves the portal for nodes only."""
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    last_used_at = models.DateTimeField(null=True)
    """When a node last got it."""


class WebApp(Entity):
    """A web application that people start on a folder by a button, such as TensorBoard."""

    class Icon(models.TextChoices):
        """The picture that pages show for it."""

        CHART = "chart"
        EXPERIMENT = "experiment"
        CODE = "code"
        TABLE = "table"
        APP = "app"

    name = models.SlugField(max_length=63, unique=True)
    title_en = models.CharField(max_length=100)
    title_zh = models.CharField(max_length=100)
    description_en = models.CharField(max_length=500, blank=True)
    description_zh = models.CharField(max_length=500, blank=True)
    icon = models.CharField(max_length=16, choices=Icon.choices, default=Icon.APP.value)
    image = models.ForeignKey(Image, models.PROTECT, related_name="+")
    """The image that has its program."""
    command: "models.JSONField[Any, Any]" = models.JSONField(default=list)
    """Its program and arguments; `portal.catalog.app_commands` fills their placeholders."""
    served_at = models.CharField(
        max_length=16,
        choices=[(place.value, place.value) for place in ServedAt],
        default=ServedAt.PATH.value,
        db_default=ServedAt.PATH.value,
    )
    writes = models.BooleanField(default=False, db_default=False)
    """Whether it may write to a home or volume that it shows, as far as its user may."""
    cpu_milli = models.PositiveIntegerField()
    memory_mib = models.PositiveIntegerField()
    idle_s = models.PositiveIntegerField()
    """A session that nobody has used for so long ends."""
    time_limit_s = models.PositiveIntegerField()
    """A session ends after so long, whoever uses it."""
    is_active = models.BooleanField(default=True)
