"""Writes of templates. Their settings were validated by the endpoint of their kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import (
    ConflictError,
    DeniedError,
    ExhaustedError,
    NotFoundError,
    changed_by_another,
)
from portal.identity.models import User
from portal.templates.models import SubmissionTemplate
from portal.templates.selectors import manages_platform, template_for_owner
from portal.tenancy import policies
from portal.tenancy.models import Group

TEMPLATES_PER_OWNER_MAX: Final = 100
"""Templates of one user, of one group, or of the platform; of each kind."""


class TemplateScope(StrEnum):
    """Who owns a template: they see it, and decide who changes it."""

    USER = "user"
    GROUP = "group"
    PLATFORM = "platform"


@dataclass(frozen=True, slots=True)
class TemplateOwner:
    """The actor, a group that it administers, or the platform."""

    scope: TemplateScope
    group_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class TemplateContent:
    """What a template says."""

    name: str
    description: str
    settings: Mapping[str, Any]
    locked: Sequence[str]
    ranges: Mapping[str, Mapping[str, int]]

    def columns(self) -> dict[str, Any]:
        """Return it as columns."""
        return {
            "name": self.name,
            "description": self.description,
            "settings": dict(self.settings),
            "locked": list(self.locked),
            "ranges": {name: dict(bounds) for name, bounds in self.ranges.items()},
        }


@transaction.atomic
def create_template(
    *, actor: Actor, kind: str, owner: TemplateOwner, content: TemplateContent
) -> SubmissionTemplate:
    """Store a template.

    Raises:
        DeniedError: the actor may not make templates of this owner.
        ConflictError: the owner has one of this name.
        ExhaustedError: the owner has as many as are allowed.
    """
    columns = _lock_owner(actor, owner)
    if SubmissionTemplate.objects.filter(kind=kind, **columns).count() >= TEMPLATES_PER_OWNER_MAX:
        raise ExhaustedError("too_many_templates", limit=TEMPLATES_PER_OWNER_MAX)
    row = SubmissionTemplate(kind=kind, **columns, **content.columns())
    _save(row, actor)
    _audit(actor, "template.create", row)
    return row


@transaction.atomic
def change_template(
    *,
    actor: Actor,
    kind: str,
    template_id: UUID,
    content: TemplateContent,
    version: int | None = None,
) -> SubmissionTemplate:
    """Replace what a template says; work that exists keeps what it was submitted with.

    Raises:
        ConflictError: `version` is not the present one, or the owner has another of this name.
    """
    template_for_owner(actor, template_id, kind)
    row = SubmissionTemplate.objects.select_for_update(no_key=True).get(pk=template_id)
    if version is not None and version != row.version:
        who = row.changed_by.username if row.changed_by else None
        raise changed_by_another(who, row.changed_at)
    for name, value in content.columns().items():
        setattr(row, name, value)
    row.version += 1
    _save(row, actor)
    _audit(actor, "template.change", row)
    return row


@transaction.atomic
def delete_template(*, actor: Actor, kind: str, template_id: UUID) -> None:
    """Remove a template; work that was submitted with it is not touched."""
    row = template_for_owner(actor, template_id, kind)
    _audit(actor, "template.delete", row)
    row.delete()


def _lock_owner(actor: Actor, owner: TemplateOwner) -> dict[str, UUID | None]:
    """Return the owner as columns; its lock serialises what is counted.

    The administrators of the platform are few: their templates are counted without a lock.
    """
    if owner.scope is TemplateScope.USER and actor.user_id is not None:
        User.objects.select_for_update(no_key=True).get(pk=actor.user_id)
        return {"user_id": actor.user_id, "group_id": None}
    if owner.group_id is not None:
        policies.require(actor, Action.TEMPLATE_MANAGE, owner.group_id)
        if not Group.objects.select_for_update(no_key=True).filter(pk=owner.group_id).exists():
            raise NotFoundError("group")
        return {"user_id": None, "group_id": owner.group_id}
    if not manages_platform(actor):
        raise DeniedError("denied", action=Action.TEMPLATE_MANAGE.value)
    return {"user_id": None, "group_id": None}


def _save(row: SubmissionTemplate, actor: Actor) -> None:
    row.changed_at = now()
    row.changed_by_id = actor.user_id
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise ConflictError("template_name_taken", name=row.name, pointer="/name") from error


def _audit(actor: Actor, action: str, row: SubmissionTemplate) -> None:
    owner = row.user.username if row.user else row.group.name if row.group else ""
    audit.record_event(
        actor=actor,
        action=action,
        object_type="template",
        object_id=row.pk,
        group_id=row.group_id,
        params={"name": row.name, "kind": row.kind, "owner": owner, "version": row.version},
    )
