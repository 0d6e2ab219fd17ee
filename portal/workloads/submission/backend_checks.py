"""Whether what runs the work of a pool can run what is submitted: asked before it waits for nothing."""

from collections.abc import Mapping
from typing import Any, Final

from portal.common.errors import InvalidError
from portal.common.work_kinds import KINDS, WebEndpoint
from portal.execution.backends import BEYOND, Need
from portal.inventory.models import Pool
from scheduler.core.model.entities import Request

_FILES: Final = ("volumes", "datasets", "inputs")
"""Not the home, which every job has unless it says otherwise: a cluster has homes of its own."""
_POINTERS: Final[Mapping[Need, str]] = {
    Need.SECRETS: "/secrets",
    Need.LAUNCHER: "/launcher",
}


def require_supported(pool: Pool, kind: str, request: Request, spec: Mapping[str, Any]) -> None:
    """Refuse what the back end of a pool cannot run."""
    beyond = BEYOND[pool.backend]
    for need in sorted(_needs(kind, request, spec) & beyond):
        raise InvalidError(
            f"backend_cannot_{need}", pointer=_POINTERS.get(need, "/pool"), pool=pool.name
        )


def _needs(kind: str, request: Request, spec: Mapping[str, Any]) -> frozenset[Need]:
    asked = {
        Need.SERVER: KINDS[kind].endpoint is not WebEndpoint.PORTS or bool(spec.get("ports")),
        Need.BUILD: "build" in spec,
        Need.SECRETS: bool(spec.get("secrets")),
        Need.FILES: any(spec.get(name) for name in _FILES),
        Need.LAUNCHER: spec.get("launcher", "plain") != "plain",
        Need.SHARES: bool(request.slices or request.gpu_milli),
    }
    return frozenset(need for need, is_asked in asked.items() if is_asked)
