"""Web apps that people start on a folder."""

from typing import Any

from django.db import models

from portal.apps.commands import ServedAt
from portal.catalog.models import Image
from portal.common.models import Entity


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
    """Its program and arguments; `portal.apps.commands` fills their placeholders."""
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
    """A session ends after so long, for any user."""
    is_active = models.BooleanField(default=True)
