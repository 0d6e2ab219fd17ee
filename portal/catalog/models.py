"""Images that workloads may run (the platform's and saved ones), and web apps that people start on a folder."""

from typing import Any, ClassVar, Final

from django.db import models
from django.db.models import Q

from portal.catalog.app_commands import ServedAt
from portal.common.models import Entity
from portal.identity.models import User
from portal.tenancy.models import Group

NOTE_MAX: Final = 500
"""Characters of the description of an image."""


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
