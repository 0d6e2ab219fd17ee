"""Requesting and deleting studies, and running them in a worker, one at a time."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now, now_or_later
from portal.common.errors import DeniedError, ExhaustedError
from portal.common.notifications import invalidate_lists, start_task
from portal.studies.change_request import ChangeRequest
from portal.studies.models import StoryName, Study, StudyPhase
from portal.studies.selectors import study_visible_to
from portal.studies.simulation import StudyFailedError, run_study
from portal.studies.stories import simulate_story
from portal.tenancy import policies
from portal.workloads.snapshot import history

TASK: Final = "studies.run_next"
WAITING_MAX: Final = 10
"""Studies that wait at a time."""
KEPT_MAX: Final = 200
"""The newest are kept; older ones are deleted when another is requested."""
STUDY_S_MAX: Final = 900
"""How long running one may take."""

logger = structlog.get_logger(__name__)


@transaction.atomic
def request_study(*, actor: Actor, title: str, days: int, change: ChangeRequest) -> Study:
    """Queue a study.

    Raises:
        InvalidError: the change contradicts itself, or names what does not exist.
        ExhaustedError: too many studies are queued.
    """
    asker = _require_asker(actor)
    names = change.resolve_names()
    return _queue(actor, Study(title=title, asked_by_id=asker, days=days, change=names))


@transaction.atomic
def request_story(*, actor: Actor, scenario: StoryName) -> Study:
    """Queue the simulation of a scenario that comes along.

    Raises:
        ExhaustedError: too many studies are queued.
    """
    asker = _require_asker(actor)
    nothing = ChangeRequest().resolve_names()
    return _queue(actor, Study(asked_by_id=asker, scenario=scenario, days=0, change=nothing))


def _require_asker(actor: Actor) -> UUID:
    """Return who asks; the platform's own robots have no studies."""
    policies.require(actor, Action.POOL_MANAGE, None)
    if actor.user_id is None:
        raise DeniedError("denied", action=Action.POOL_MANAGE.value)
    return actor.user_id


def _queue(actor: Actor, study: Study) -> Study:
    if Study.objects.filter(phase=StudyPhase.WAITING).count() >= WAITING_MAX:
        raise ExhaustedError("studies_waiting", max=WAITING_MAX)
    study.save(force_insert=True)
    kept = Study.objects.order_by("-pk").values("pk")[:KEPT_MAX]
    Study.objects.exclude(pk__in=kept).exclude(phase=StudyPhase.RUNNING).delete()
    _audit(actor, "study.ask", study)
    start_task(TASK)
    return study


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
    return run_study(_load_history(study), study.change)


def _load_history(study: Study) -> list[str]:
    """Read the whole history at once, so that no transaction stays open while the study runs."""
    return list(history.iter_history(study.created_at - timedelta(days=study.days)))


def _claim_next() -> Study | None:
    """Mark the oldest waiting study as running and return it; None if another one runs.

    Studies that a crashed worker left as running are marked as failed.
    """
    long_ago = now() - timedelta(seconds=2 * STUDY_S_MAX)
    Study.objects.filter(phase=StudyPhase.RUNNING, started_at__lt=long_ago).update(
        phase=StudyPhase.FAILED, failure="interrupted", ended_at=now()
    )
    waiting = Study.objects.filter(phase=StudyPhase.WAITING).order_by("pk")
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
        params={"scenario": study.scenario} if study.scenario else asked,
    )
