"""Reads of studies: staff sees all, admins of a group those about it."""

from uuid import UUID

from django.db.models import QuerySet

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import DeniedError, NotFoundError
from portal.studies.models import Study
from portal.tenancy import policies


def studies_visible_to(actor: Actor) -> QuerySet[Study]:
    """Return the studies of all groups, or of those that the actor administers.

    Raises:
        DeniedError: the actor administers none.
    """
    rows = Study.objects.select_related("asked_by", "group")
    if policies.can(actor, Action.STUDY_MANAGE, None):
        return rows
    managed = [each for each in actor.roles if policies.can(actor, Action.STUDY_MANAGE, each)]
    if not managed:
        raise DeniedError("denied", action=Action.STUDY_MANAGE.value)
    return rows.filter(group__in=managed)


def study_visible_to(actor: Actor, study_id: UUID) -> Study:
    """Return one study."""
    study = studies_visible_to(actor).filter(pk=study_id).first()
    if study is None:
        raise NotFoundError("study")
    return study
