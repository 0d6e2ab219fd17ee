"""Requesting and deleting studies, and running them in a worker, one at a time."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Case, QuerySet, When

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now, now_or_later
from portal.common.errors import DeniedError, ExhaustedError, InvalidError
from portal.common.notifications import invalidate_lists, start_task
from portal.site.selectors import settings_for_system
from portal.studies.change_request import ChangeRequest
from portal.studies.models import StoryName, Study, StudyPhase
from portal.studies.selectors import study_visible_to
from portal.studies.simulation import StudyFailedError, run_study
from portal.studies.stories import simulate_story
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to
from portal.workloads.snapshot import history

TASK: Final = "studies.run_next"
WAITING_MAX: Final = 10
"""Studies of staff that wait at a time, and as many of all groups together."""
KEPT_MAX: Final = 200
"""The newest of staff are kept; older ones are deleted when another is requested."""
KEPT_OF_GROUP_MAX: Final = 20
"""The same, of one group."""
STUDY_S_MAX: Final = 900
"""How long running one may take."""

logger = structlog.get_logger(__name__)


@transaction.atomic
def request_study(
    *, actor: Actor, title: str, days: int, change: ChangeRequest, group_id: UUID | None = None
) -> Study:
    """Queue a study; one about a group changes and finds only what is of it and of those below.

    Raises:
        InvalidError: the change contradicts itself, names what does not exist, or reaches beyond the group.
        ExhaustedError: too many studies are queued.
    """
    group = None if group_id is None else group_visible_to(actor, group_id)
    asker = _require_asker(actor, group_id)
    if group is not None:
        change.require_within(group.pk)
    names = change.resolve_names()
    asked = Study(title=title, asked_by_id=asker, group=group, days=days, change=names)
    return _queue(actor, asked)


@transaction.atomic
def request_story(*, actor: Actor, scenario: StoryName) -> Study:
    """Queue the simulation of a scenario that comes along.

    Raises:
        ExhaustedError: too many studies are queued.
    """
    asker = _require_asker(actor, None)
    nothing = ChangeRequest().resolve_names()
    return _queue(actor, Study(asked_by_id=asker, scenario=scenario, days=0, change=nothing))


def _require_asker(actor: Actor, group_id: UUID | None) -> UUID:
    """Return who asks; the platform's own robots have no studies."""
    policies.require(actor, Action.STUDY_MANAGE, group_id)
    if actor.user_id is None:
        raise DeniedError("denied", action=Action.STUDY_MANAGE.value)
    return actor.user_id


def _queue(actor: Actor, study: Study) -> Study:
    _require_room(study.group_id)
    study.save(force_insert=True)
    same = _of_the_same(study.group_id)
    most = KEPT_MAX if study.group_id is None else KEPT_OF_GROUP_MAX
    kept = same.order_by("-pk").values("pk")[:most]
    same.exclude(pk__in=kept).exclude(phase=StudyPhase.RUNNING).delete()
    _audit(actor, "study.ask", study)
    start_task(TASK)
    return study


def _of_the_same(group_id: UUID | None) -> "QuerySet[Study]":
    """Return the studies of one group, or those of none."""
    return Study.objects.filter(group=group_id)


def _require_room(group_id: UUID | None) -> None:
    """Refuse more studies than may wait: of staff, or of a group and of all groups together."""
    waiting = Study.objects.filter(phase=StudyPhase.WAITING, group__isnull=group_id is None)
    if waiting.count() >= WAITING_MAX:
        raise ExhaustedError("studies_waiting", max=WAITING_MAX)
    if group_id is None:
        return
    most = settings_for_system().group_studies_max
    if most == 0:
        raise InvalidError("studies_of_staff_only", pointer="/group")
    if waiting.filter(group=group_id).count() >= most:
        raise ExhaustedError("studies_of_group_waiting", max=most)


@transaction.atomic
def delete_study(*, actor: Actor, study_id: UUID) -> None:
    """Delete a study with its findings; the findings of a running one are discarded."""
    study = study_visible_to(actor, study_id)
    _audit(actor, "study.delete", study)
    study.delete()


def run_next_study(story: Callable[[str], dict[str, Any]] = simulate_story) -> bool:
    """Run the study that has waited longest; return whether there was one."""
    study = _claim_next()
    if study is None:
        return False
    try:
        findings = story(study.scenario) if study.scenario else _simulate(study)
    except StudyFailedError as error:
        _save_result(study, failure=error.code)
    except BaseException:
        # Also at a time limit of the task: a study that stayed `running` would block all others.
        _save_result(study, failure="interrupted")
        raise
    else:
        _save_result(study, findings=findings)
    return True


def _simulate(study: Study) -> dict[str, Any]:
    group = None if study.group_id is None else str(study.group_id)
    return run_study(_load_history(study), study.change, group)


def _load_history(study: Study) -> list[str]:
    """Read the whole history at once, so that no transaction stays open while the study runs."""
    return list(history.iter_history(study.created_at - timedelta(days=study.days)))


def _claim_next() -> Study | None:
    """Mark the oldest waiting study as running and return it; None if another one runs.

    Those of staff come before those of groups.
    Studies that a crashed worker left as running are marked as failed.
    """
    long_ago = now() - timedelta(seconds=2 * STUDY_S_MAX)
    Study.objects.filter(phase=StudyPhase.RUNNING, started_at__lt=long_ago).update(
        phase=StudyPhase.FAILED, failure="interrupted", ended_at=now()
    )
    turn = Case(When(group=None, then=0), default=1)
    waiting = Study.objects.filter(phase=StudyPhase.WAITING).order_by(turn, "pk")
    first = waiting.values("pk")[:1]
    try:
        with transaction.atomic():
            begun = waiting.filter(pk__in=first).update(phase=StudyPhase.RUNNING, started_at=now())
    except IntegrityError:
        logger.info("study.another_is_running")
        return None
    invalidate_lists("study")
    return Study.objects.get(phase=StudyPhase.RUNNING) if begun else None


def _save_result(
    study: Study, *, failure: str = "", findings: Mapping[str, Any] | None = None
) -> None:
    """Store the findings or the failure, unless the study was deleted meanwhile."""
    phase = StudyPhase.FAILED if failure else StudyPhase.DONE
    Study.objects.filter(pk=study.pk, started_at=study.started_at, phase=StudyPhase.RUNNING).update(
        phase=phase, failure=failure, findings=findings, ended_at=now_or_later(study.started_at)
    )
    invalidate_lists("study")


def _audit(actor: Actor, action: str, study: Study) -> None:
    asked = {"title": study.title, "days": study.days, "change": study.change}
    audit.record_event(
        actor=actor,
        action=action,
        object_type="study",
        object_id=study.pk,
        group_id=study.group_id,
        params={"scenario": study.scenario} if study.scenario else asked,
    )
