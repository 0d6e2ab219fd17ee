"""Reads of templates: one's own, those of one's groups and of the groups above, the platform's."""

from uuid import UUID

from django.db.models import Q, QuerySet

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import DeniedError, NotFoundError
from portal.templates.models import SubmissionTemplate
from portal.tenancy import policies
from portal.tenancy.selectors import paths_for_system


def templates_visible_to(actor: Actor, kind: str) -> "QuerySet[SubmissionTemplate]":
    """Return the templates of this kind that the actor may use."""
    rows = SubmissionTemplate.objects.select_related("group", "user", "changed_by")
    rows = rows.filter(kind=kind)
    own_or_platform = Q(user=actor.user_id) | Q(user=None, group=None)
    if policies.can_see_everything(actor):
        return rows.filter(own_or_platform | Q(group__isnull=False))
    above = {group for path in paths_for_system(actor.roles).values() for group in path}
    return rows.filter(own_or_platform | Q(group__in=above))


def template_visible_to(actor: Actor, template_id: UUID, kind: str) -> SubmissionTemplate:
    """Return one template; raises `NotFoundError` for one that the actor may not use."""
    row = templates_visible_to(actor, kind).filter(pk=template_id).first()
    if row is None:
        raise NotFoundError("template")
    return row


def template_for_owner(actor: Actor, template_id: UUID, kind: str) -> SubmissionTemplate:
    """Return one template that the actor may change.

    Raises:
        NotFoundError: the actor may not use it.
        DeniedError: the actor may use it, not change it.
    """
    row = template_visible_to(actor, template_id, kind)
    if not may_change(actor, row):
        raise DeniedError("denied", group_id=row.group_id, action=Action.TEMPLATE_MANAGE.value)
    return row


def template_images_for_system() -> frozenset[str]:
    """Return the names and ids of images that any template gives to what is submitted."""
    found = SubmissionTemplate.objects.filter(settings__has_key="image")
    return frozenset(map(str, found.values_list("settings__image", flat=True)))


def may_change(actor: Actor, row: SubmissionTemplate) -> bool:
    """Return whether the actor may change a template that it sees."""
    if row.user_id is not None:
        return row.user_id == actor.user_id and actor.has_scope(Action.TEMPLATE_MANAGE)
    if row.group_id is not None:
        return policies.can(actor, Action.TEMPLATE_MANAGE, row.group_id)
    return manages_platform(actor)


def manages_platform(actor: Actor) -> bool:
    """Return whether the actor may change the templates of the platform."""
    return actor.has_scope(Action.TEMPLATE_MANAGE) and (
        Action.TEMPLATE_MANAGE in policies.BY_PLATFORM_ROLE[actor.platform_role]
    )
