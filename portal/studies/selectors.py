"""Reads of studies, for everyone who may manage pools."""

from uuid import UUID

from django.db.models import QuerySet

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import NotFoundError
from portal.studies.models import Study
from portal.tenancy import policies


def studies_visible_to(actor: Actor) -> QuerySet[Study]:
    """Return every study.

    Raises:
        DeniedError: the actor may not manage pools.
    """
    policies.require(actor, Action.POOL_MANAGE, None)
    return Study.objects.select_related("asked_by")


def study_visible_to(actor: Actor, study_id: UUID) -> Study:
    """Return one study."""
    study = studies_visible_to(actor).filter(pk=study_id).first()
    if study is None:
        raise NotFoundError("study")
    return study
