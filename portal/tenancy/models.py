"""The tree of groups and who belongs to them."""

from django.db import models

from portal.common.models import Entity
from portal.identity.models import User


class Group(Entity):
    """A tenant. The root is the organisation; workloads belong to a group without children."""

    name = models.SlugField(max_length=63, unique=True)
    title_en = models.CharField(max_length=100)
    title_zh = models.CharField(max_length=100)
    parent = models.ForeignKey("self", models.PROTECT, null=True, related_name="children")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                models.Value(1), condition=models.Q(parent=None), name="group_one_root"
            ),
            models.CheckConstraint(
                condition=~models.Q(parent=models.F("id")), name="group_not_own_parent"
            ),
        ]


class Membership(Entity):
    """A user in a group, with the role that also holds in all groups below."""

    class Role(models.TextChoices):
        """What the member may do in the group."""

        ADMIN = "group_admin"
        DEVELOPER = "developer"
        VIEWER = "viewer"

    user = models.ForeignKey(User, models.CASCADE, related_name="memberships", db_index=False)
    group = models.ForeignKey(Group, models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices)
    directory = models.CharField(max_length=40, blank=True, default="", db_default="")
    """Name of the directory that gave it and alone changes it; empty: people did."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "group"], name="membership_once"),
        ]
