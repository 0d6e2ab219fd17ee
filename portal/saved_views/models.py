"""The tables of saved views and of the views that lists open with."""

from typing import Any, ClassVar

from django.db import models

from portal.common.models import Entity
from portal.identity.models import User
from portal.tenancy.models import Group


class ListName(models.TextChoices):
    """Lists of the pages whose filters stand in the address."""

    JOBS = "jobs"
    NOTEBOOKS = "notebooks"
    APPS = "apps"
    AUDIT = "audit"
    PEOPLE = "people"
    QUEUE = "queue"
    NODES = "nodes"
    ALARMS = "alarms"
    IMAGES = "images"


class SavedView(Entity):
    """Filters, order and columns of a list, of one person, who may let a group use it."""

    owner = models.ForeignKey(User, models.CASCADE, related_name="saved_views", db_index=False)
    group = models.ForeignKey(Group, models.SET_NULL, null=True, related_name="+")
    """Its members, and those of the groups below, may use the view; None: only the owner."""
    list_name = models.CharField(max_length=9, choices=ListName.choices)
    name = models.CharField(max_length=40)
    search = models.JSONField(default=dict)
    """The words of the page's address after `?`: filters and order."""
    hidden = models.JSONField(default=list)
    """Keys of the columns that are not shown."""
    shown = models.JSONField(default=list, db_default=[])
    """Keys of the columns that are shown only where they are chosen."""

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(
                fields=["owner", "list_name", "name"], name="saved_view_once_per_owner"
            ),
        ]


class OpeningView(Entity):
    """The view with which a list opens for one person, own or of a group."""

    user = models.ForeignKey(User, models.CASCADE, related_name="+", db_index=False)
    list_name = models.CharField(max_length=9, choices=ListName.choices)
    view = models.ForeignKey(SavedView, models.CASCADE, related_name="+")

    class Meta:
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(
                fields=["user", "list_name"], name="opening_view_once_per_list"
            ),
        ]
