"""Reads that decide whether, and where, a notebook or a port of a job can be opened."""

from uuid import UUID

from django.contrib.sessions.models import Session

from portal.common.clock import now
from portal.common.site_config import get_site_config
from portal.environments.app_access import ContainerEndpoint, Upstream, derive_app_token
from portal.environments.models import Grant
from portal.workloads.models import Workload
from scheduler.core.model.states import AllocationState, WorkloadState


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
    """Return where running work listens, as the present allocation of its first rank says.

    A notebook has a web application and ports, a job the ports that its owner asked for.
    """
    if workload.state != WorkloadState.RUNNING:
        return None
    running = workload.allocations.filter(
        epoch=workload.epoch, rank=0, state=AllocationState.BOUND, phase="running"
    )
    held = running.select_related("node").first()
    ports = frozenset(workload.spec.get("ports", ()))
    is_environment = workload.kind == Workload.Kind.ENVIRONMENT
    if held is None or (held.port is None if is_environment else not ports):
        return None
    return Upstream(
        host=held.node.address,
        port=held.port if is_environment else None,
        token=derive_app_token(get_site_config().secret_key, workload.pk, workload.epoch)
        if is_environment
        else "",
        inside=ContainerEndpoint(held.node_id, held.wire_name, held.epoch, ports),
    )


def _is_session_alive(session_key: str) -> bool:
    return Session.objects.filter(session_key=session_key, expire_date__gt=now()).exists()
