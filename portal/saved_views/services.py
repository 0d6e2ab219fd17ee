"""Writes of saved views, and of the views that lists open with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import ConflictError, DeniedError, ExhaustedError, NotFoundError
from portal.common.notifications import invalidate_lists
from portal.identity.models import User
from portal.saved_views.models import OpeningView, SavedView
from portal.saved_views.selectors import may_remove, view_of_owner, view_visible_to

VIEWS_PER_LIST_MAX: Final = 20
"""Saved views of one person and list."""
SAVED_VIEW: Final = "saved_view"
"""The kind of rows that pages follow."""


@dataclass(frozen=True, slots=True)
class ViewColumns:
    """How the columns of a view differ from those that its list has by itself."""

    hidden: Sequence[str] = ()
    shown: Sequence[str] = ()


@transaction.atomic
def save_view(
    *,
    actor: Actor,
    list_name: str,
    name: str,
    search: Mapping[str, Any],
    columns: ViewColumns = ViewColumns(),
    group_id: UUID | None = None,
) -> SavedView:
    """Store a view of the actor.

    Raises:
        NotFoundError: the actor is no member of the group.
        ConflictError: the actor has one of this name.
        ExhaustedError: the actor has as many as are allowed.
    """
    owner_id = _require_person(actor)
    User.objects.select_for_update(no_key=True).get(pk=owner_id)
    _require_member(actor, group_id)
    own = SavedView.objects.filter(owner=owner_id, list_name=list_name)
    if own.count() >= VIEWS_PER_LIST_MAX:
        raise ExhaustedError("too_many_views", limit=VIEWS_PER_LIST_MAX)
    row = SavedView(
        owner_id=owner_id,
        list_name=list_name,
        name=name,
        search=dict(search),
        hidden=list(columns.hidden),
        shown=list(columns.shown),
        group_id=group_id,
    )
    _save(row)
    return row


@transaction.atomic
def change_view(*, actor: Actor, view_id: UUID, changes: Mapping[str, Any]) -> SavedView:
    """Change a view of the actor: its name, what it says, the group that uses it (`group_id`).

    Raises as `save_view`; `DeniedError` for a view of somebody else.
    """
    view_of_owner(actor, view_id)
    if "group_id" in changes:
        _require_member(actor, changes["group_id"])
    row = SavedView.objects.select_for_update(no_key=True).filter(pk=view_id).first()
    if row is None:  # removed at this very moment
        raise NotFoundError("saved_view")
    for name, value in changes.items():
        setattr(row, name, value)
    _save(row)
    if "group_id" in changes:
        _close_for_others(row)
    return row


@transaction.atomic
def remove_view(*, actor: Actor, view_id: UUID) -> None:
    """Remove a view, also as what lists open with.

    Raises:
        DeniedError: it is somebody else's, and the actor does not answer for its group.
    """
    row = view_visible_to(actor, view_id)
    if not may_remove(actor, row):
        raise DeniedError("denied", group_id=row.group_id, action=Action.TEMPLATE_MANAGE.value)
    row.delete()
    invalidate_lists(SAVED_VIEW)


@transaction.atomic
def open_list_with(*, actor: Actor, list_name: str, view_id: UUID | None) -> None:
    """Let a list open with a view that the actor may use; without one, with everything.

    Raises:
        NotFoundError: the actor may not use such a view of this list.
    """
    if view_id is None:
        OpeningView.objects.filter(user=actor.user_id, list_name=list_name).delete()
    else:
        view = view_visible_to(actor, view_id)
        if view.list_name != list_name:
            raise NotFoundError("saved_view")
        OpeningView.objects.bulk_create(
            [OpeningView(user_id=_require_person(actor), list_name=list_name, view=view)],
            update_conflicts=True,
            unique_fields=["user", "list_name"],
            update_fields=["view"],
        )
    invalidate_lists(SAVED_VIEW)


def _require_person(actor: Actor) -> UUID:
    """Return whose views they are; the platform itself has none."""
    if actor.user_id is None:
        raise DeniedError("denied", action=Action.TEMPLATE_MANAGE.value)
    return actor.user_id


def _require_member(actor: Actor, group_id: UUID | None) -> None:
    """Require that a view is shared with a group whose member the actor is, not only its overseer."""
    if group_id is not None and group_id not in actor.roles:
        raise NotFoundError("group")


def _close_for_others(row: SavedView) -> None:
    """Open nobody else's list with a view whose group is another one now."""
    OpeningView.objects.filter(view=row).exclude(user=row.owner_id).delete()


def _save(row: SavedView) -> None:
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise ConflictError("view_name_taken", name=row.name, pointer="/name") from error
    invalidate_lists(SAVED_VIEW)
