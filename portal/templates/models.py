"""The table of templates."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from portal.common.models import Entity
from portal.identity.models import User
from portal.tenancy.models import Group


class SubmissionTemplate(Entity):
    """Named settings of a submission, of one user, one group or, with neither, the platform.

    Work copies what it is submitted with: a change of the template, or its removal, changes no work.
    """

    kind = models.CharField(max_length=11)
    """Of the work that it makes."""
    user = models.ForeignKey(
        User, models.CASCADE, null=True, related_name="templates", db_index=False
    )
    group = models.ForeignKey(Group, models.CASCADE, null=True, related_name="templates")
    name = models.CharField(max_length=63)
    description = models.CharField(max_length=300, blank=True)
    settings = models.JSONField()
    """Fields of the body that submits such work, as they were given."""
    locked = models.JSONField(default=list)
    """Names of settings that work submitted with the template must have."""
    ranges = models.JSONField(default=dict)
    """Bounds of numeric settings: `{"gpus": {"min": 1, "max": 2}}`; either may be left out."""
    version = models.PositiveIntegerField(default=1)
    """Counts changes; work records it."""
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                condition=Q(user=None) | Q(group=None), name="template_has_one_owner"
            ),
            models.UniqueConstraint(
                fields=["user", "group", "kind", "name"],
                nulls_distinct=False,
                name="template_once_per_owner",
            ),
        ]
