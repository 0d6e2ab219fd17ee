"""The table of submission rules."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from portal.common.models import Entity
from portal.identity.models import User
from portal.inventory.models import Pool
from portal.tenancy.models import Group


class SubmissionRules(Entity):
    """What a group, or a pool, says about notebooks or jobs that are submitted from now on.

    Those of a group hold in the groups below it, too. Work that exists is not touched by a change.
    """

    kind = models.CharField(max_length=11)
    """Of the work that is submitted."""
    group = models.ForeignKey(
        Group, models.CASCADE, null=True, related_name="submission_rules", db_index=False
    )
    pool = models.ForeignKey(Pool, models.CASCADE, null=True, related_name="submission_rules")
    defaults = models.JSONField(default=dict)
    """Values of fields that a submission leaves out, as the body would have them."""
    locked = models.JSONField(default=list)
    """Names of defaults that cannot be replaced."""
    required = models.JSONField(default=list)
    """Names of fields that a submission must fill in."""
    ranges = models.JSONField(default=dict)
    """Bounds of numbers: `{"gpus": {"min": 1, "max": 2}}`; either may be left out."""
    choices = models.JSONField(default=dict)
    """What a field may be: `{"image": ["python", "pytorch"]}`."""
    version = models.PositiveIntegerField(default=1)
    """Counts changes."""
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                condition=Q(group=None) ^ Q(pool=None), name="submission_rules_have_one_owner"
            ),
            models.UniqueConstraint(
                fields=["group", "pool", "kind"],
                nulls_distinct=False,
                name="submission_rules_once_per_owner",
            ),
        ]
