"""Shared read-only data sets, by name."""

from django.db import models

from portal.common.models import Entity
from portal.tenancy.models import Group


class Dataset(Entity):
    """A folder that every node has below its `datasets_dir`.

    Work refers to it by name; its path is shown to administrators only.
    """

    name = models.CharField(max_length=63, unique=True)
    description = models.CharField(max_length=300, blank=True)
    path = models.CharField(max_length=400)
    is_for_everybody = models.BooleanField(default=False)
    groups = models.ManyToManyField(Group, related_name="+")
    """Groups that may read it, with all groups below them, unless it is for everybody."""

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(name__regex=r"^[a-z0-9][a-z0-9._-]{0,62}$"),
                name="dataset_name_is_a_folder",
            ),
        ]
