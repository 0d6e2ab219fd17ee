"""Reads of saved views: one's own, and those that others share with one's groups."""

from uuid import UUID

from django.db.models import Q, QuerySet

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import DeniedError, NotFoundError
from portal.saved_views.models import OpeningView, SavedView
from portal.tenancy import policies
from portal.tenancy.selectors import paths_for_system


def views_visible_to(actor: Actor, list_name: str | None = None) -> "QuerySet[SavedView]":
    """Return the views that the actor may use, of one list or of all.

    Platform roles see every group's work, not every group's views: a list of all would be of no use.
    """
    rows = SavedView.objects.select_related("owner", "group")
    if list_name is not None:
        rows = rows.filter(list_name=list_name)
    above = {group for path in paths_for_system(actor.roles).values() for group in path}
    return rows.filter(Q(owner=actor.user_id) | Q(group__in=above))


def view_visible_to(actor: Actor, view_id: UUID) -> SavedView:
    """Return one view; raises `NotFoundError` for one that the actor may not use."""
    row = views_visible_to(actor).filter(pk=view_id).first()
    if row is None:
        raise NotFoundError("saved_view")
    return row


def opening_views_of(actor: Actor) -> set[UUID]:
    """Return the views with which the actor's lists open."""
    rows = OpeningView.objects.filter(user=actor.user_id)
    return set(rows.values_list("view_id", flat=True))


def may_change(actor: Actor, row: SavedView) -> bool:
    """Return whether the actor may change what a view says, and who uses it."""
    return row.owner_id == actor.user_id and actor.has_scope(Action.TEMPLATE_MANAGE)


def may_remove(actor: Actor, row: SavedView) -> bool:
    """Return whether the actor may remove a view: its owner, and who answers for its group."""
    if may_change(actor, row):
        return True
    return row.group_id is not None and policies.can(actor, Action.TEMPLATE_MANAGE, row.group_id)


def view_of_owner(actor: Actor, view_id: UUID) -> SavedView:
    """Return one view that the actor may change.

    Raises:
        NotFoundError: the actor may not use it.
        DeniedError: the actor may use it, not change it.
    """
    row = view_visible_to(actor, view_id)
    if not may_change(actor, row):
        raise DeniedError("denied", group_id=row.group_id, action=Action.TEMPLATE_MANAGE.value)
    return row
