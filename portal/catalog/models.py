"""Images that workloads may run: those of the platform, and those that people saved."""

from typing import Any, ClassVar, Final

from django.db import models
from django.db.models import Q

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
