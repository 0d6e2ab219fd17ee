"""Reads that decide whether, and where, a notebook can be opened."""

from uuid import UUID

from django.conf import settings
from django.contrib.sessions.models import Session

from portal.common.clock import now
from portal.environments.access import Inside, Upstream, app_token
from portal.environments.models import Grant
from portal.workloads.models import Workload
from scheduler.core.states import AllocationState, WorkloadState


def live_grant_for_system(digest: str, workload_id: UUID) -> Grant | None:
    """Return a grant whose user and portal session are still there."""
    grant = (
        Grant.objects.select_related("user", "workload")
        .filter(
            digest=digest,
            workload=workload_id,
            revoked_at=None,
            expires_at__gt=now(),
            user__is_active=True,
        )
        .first()
    )
    if grant is None or (grant.session_key and not _is_session_alive(grant.session_key)):
        return None
    return grant


def upstream_for_system(workload: Workload) -> Upstream | None:
    """Return where a running notebook listens, as the present allocation says."""
    if workload.state != WorkloadState.RUNNING:
        return None
    listening = workload.allocations.filter(
        epoch=workload.epoch, state=AllocationState.BOUND, phase="running", port__isnull=False
    )
    held = listening.select_related("node").first()
    if held is None or held.port is None:
        return None
    ports = frozenset(workload.spec.get("ports", ()))
    return Upstream(
        host=held.node.address,
        port=held.port,
        token=app_token(settings.SECRET_KEY, workload.pk, workload.epoch),
        inside=Inside(held.node_id, held.wire_name, held.epoch, ports),
    )


def _is_session_alive(session_key: str) -> bool:
    return Session.objects.filter(session_key=session_key, expire_date__gt=now()).exists()
