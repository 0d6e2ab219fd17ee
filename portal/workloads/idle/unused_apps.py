"""Sessions of web apps that nobody uses: each app says after how long they end.

Use is what the gateway sees (`activity.record_use`): no node reports it. While the portal is away nobody can
use anything, so that time does not count.
"""

from datetime import datetime, timedelta
from uuid import UUID

from portal.common.clock import now
from portal.common.work_kinds import IdleRule, kinds_where
from portal.workloads.idle.activity import watch_apps
from portal.workloads.models import Idleness, Workload
from portal.workloads.state import lifecycle
from portal.workloads.system_actors import SWEEP_ACTOR
from scheduler.core.model.states import WorkloadState


def find_unused_apps_for_system() -> list[UUID]:
    """Return the running sessions that have been unused for too long."""
    moment = now()
    watch_apps(moment)
    kinds = kinds_where(lambda terms: terms.idle_rule is IdleRule.APP)
    rows = Workload.objects.filter(kind__in=kinds, state=WorkloadState.RUNNING)
    found = rows.select_related("app", "idleness").defer("spec").order_by("id")
    return [row.pk for row in found if unused_from(row) <= moment]


def unused_from(session: Workload) -> datetime:
    """Return when a running session ends unless it is used before."""
    row: Idleness | None = getattr(session, "idleness", None)
    uses = [at for at in (session.started_at, row.active_at if row else None) if at is not None]
    idle_s = session.app.idle_s if session.app else 0
    return max(uses, default=now()) + timedelta(seconds=idle_s)


def end_unused_app(workload_id: UUID) -> None:
    """End one session, if that is due under its lock."""
    session = lifecycle.lock_workload(workload_id)
    if session.terms.idle_rule is not IdleRule.APP or session.state != WorkloadState.RUNNING:
        return
    if session.app is None or unused_from(session) > now():
        return
    lifecycle.request_stop(
        session,
        outcome=WorkloadState.EXPIRED,
        cause="app_unused",
        params={"idle_min": session.app.idle_s // 60},
        actor=SWEEP_ACTOR,
    )
