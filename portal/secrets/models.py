"""The table of secrets."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from portal.common.models import Entity
from portal.identity.models import User
from portal.tenancy.models import Group


class Secret(Entity):
    """A named value of one user, or of one group. Its value leaves the portal for nodes only."""

    user = models.ForeignKey(
        User, models.CASCADE, null=True, related_name="secrets", db_index=False
    )
    group = models.ForeignKey(
        Group, models.CASCADE, null=True, related_name="secrets", db_index=False
    )
    name = models.CharField(max_length=63)
    encrypted_value = models.TextField()
    """As `portal.common.encryption` returns it."""
    value_bytes = models.PositiveIntegerField()
    """Length of the value itself."""
    changed_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    """When work that was starting last got it."""

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                condition=Q(user=None, group__isnull=False) | Q(user__isnull=False, group=None),
                name="secret_has_one_owner",
            ),
            models.UniqueConstraint(fields=["user", "name"], name="secret_once_per_user"),
            models.UniqueConstraint(fields=["group", "name"], name="secret_once_per_group"),
        ]
