"""Writes of studies: asked by people, told by a worker, one at a time."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import structlog
from django.db import IntegrityError, transaction

from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import DeniedError, ExhaustedError
from portal.common.notifications import start_task
from portal.studies.change_request import ChangeRequest
from portal.studies.models import Study
from portal.studies.selectors import study_visible_to
from portal.studies.simulation import StudyFailedError, run_study
from portal.tenancy import policies
from portal.workloads.snapshot import history

TASK: Final = "studies.tell_next"
WAITING_MAX: Final = 10
"""Studies that wait at a time."""
KEPT_MAX: Final = 200
"""The newest; what is older goes when another one is asked for."""
STUDY_S_MAX: Final = 900
"""How long telling one may take."""

logger = structlog.get_logger(__name__)


@transaction.atomic
def request_study(*, actor: Actor, title: str, days: int, change: ChangeRequest) -> Study:
    """Put a question in line; raise InvalidError where the change makes no sense today."""
    policies.require(actor, Action.POOL_MANAGE, None)
    if actor.user_id is None:
        raise DeniedError("denied", action=Action.POOL_MANAGE.value)
    if Study.objects.filter(phase=Study.Phase.WAITING).count() >= WAITING_MAX:
        raise ExhaustedError("studies_waiting", max=WAITING_MAX)
    study = Study(title=title, asked_by_id=actor.user_id, days=days, change=change.resolve_names())
    study.save(force_insert=True)
    kept = Study.objects.order_by("-pk").values("pk")[:KEPT_MAX]
    Study.objects.exclude(pk__in=kept).exclude(phase=Study.Phase.RUNNING).delete()
    _audit(actor, "study.ask", study)
    start_task(TASK)
    return study


@transaction.atomic
def delete_study(*, actor: Actor, study_id: UUID) -> None:
    """Delete a question with what came of it; one that is being told is told to nobody."""
    study = study_visible_to(actor, study_id)
    _audit(actor, "study.delete", study)
    study.delete()


def run_next_study() -> bool:
    """Tell the study that has waited longest; return whether there was one."""
    study = _claim_next()
    if study is None:
        return False
    try:
        findings = run_study(_load_history(study), study.change)
    except StudyFailedError as error:
        _save_result(study, failure=error.code)
    except BaseException:
        # Whatever it is, a limit of time among them: the line must go on without this one.
        _save_result(study, failure="interrupted")
        raise
    else:
        _save_result(study, findings=findings)
    return True


def _load_history(study: Study) -> list[str]:
    """Return the past at one moment, so that no transaction stays open while it is told."""
    return list(history.iter_history(study.created_at - timedelta(days=study.days)))


def _claim_next() -> Study | None:
    """Take the oldest that waits, unless one is being told; what a dead worker left has failed."""
    long_ago = now() - timedelta(seconds=2 * STUDY_S_MAX)
    Study.objects.filter(phase=Study.Phase.RUNNING, started_at__lt=long_ago).update(
        phase=Study.Phase.FAILED, failure="interrupted", ended_at=now()
    )
    waiting = Study.objects.filter(phase=Study.Phase.WAITING).order_by("pk")
    first = waiting.values("pk")[:1]
    try:
        with transaction.atomic():
            begun = waiting.filter(pk__in=first).update(phase=Study.Phase.RUNNING, started_at=now())
    except IntegrityError:
        logger.info("study.another_is_told")
        return None
    return Study.objects.get(phase=Study.Phase.RUNNING) if begun else None


def _save_result(
    study: Study, *, failure: str = "", findings: Mapping[str, Any] | None = None
) -> None:
    """Write down what came of it; nothing if it was forgotten meanwhile."""
    phase = Study.Phase.FAILED if failure else Study.Phase.DONE
    Study.objects.filter(
        pk=study.pk, started_at=study.started_at, phase=Study.Phase.RUNNING
    ).update(phase=phase, failure=failure, findings=findings, ended_at=now())


def _audit(actor: Actor, action: str, study: Study) -> None:
    audit.record_event(
        actor=actor,
        action=action,
        object_type="study",
        object_id=study.pk,
        params={"title": study.title, "days": study.days, "change": study.change},
    )
