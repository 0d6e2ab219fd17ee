"""What JupyterLab shows of the notebook it runs in: its end, the use of its GPUs, what idleness costs.

Everything is derived from the grant that opened the notebook, at the moment of the request.
"""

from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import DeniedError, NotFoundError
from portal.common.site_config import get_site_config
from portal.endpoints import services as endpoints
from portal.notebooks import services as notebooks
from portal.notices import inbox
from portal.telemetry.selectors import workload_chart
from portal.telemetry.time_axis import choose_axis
from portal.workloads.models import Workload
from portal.workloads.responses.idleness import find_idleness
from portal.workloads.responses.workloads import find_end

MEASURED_WITHIN: Final = timedelta(minutes=1)
"""The newest measurement of its GPUs that is shown is no older."""
STEP_S: Final = 15
"""Over how long measurements are averaged."""
NOTICES_OF: Final = timedelta(hours=1)
"""Unread notices that are no older are shown, too."""
NOTICES_MAX: Final = 5
"""As many of them, the newest."""


def read_lab_status(secret: str, workload_id: UUID, language: str) -> dict[str, Any] | None:
    """Return what a notebook's own page shows to the holder of a grant; None if it opens nothing."""
    granted = endpoints.load_granted(secret, workload_id)
    if granted is None:
        return None
    workload, is_own = granted.workload, granted.share is None
    portal, end = get_site_config().portal_url, find_end(workload)
    # A job sees the files of the home, and none of a notebook's own workspace.
    may_submit = is_own and bool(workload.spec.get("home"))
    form = f"{portal}/jobs/new?{urlencode({'notebook': workload.pk})}"
    return {
        "name": workload.name,
        "is_own": is_own,
        "now": now().isoformat(),
        "ends_at": end.isoformat() if end else None,
        "gpu": _gpu_use(granted.holder, workload),
        "idle": _idle(workload),
        "notices": _notices(workload, language) if is_own else [],
        "page_url": f"{portal}/notebooks/{workload.pk}",
        "job_form_url": form if may_submit else None,
        "language": language,
    }


def keep_from_lab(secret: str, workload_id: UUID) -> None:
    """Postpone the next step against an idle notebook, for its owner only."""
    granted = endpoints.load_granted(secret, workload_id)
    if granted is None:
        raise NotFoundError("workload")
    if granted.share is not None:
        raise DeniedError("denied")
    notebooks.keep_notebook(actor=granted.holder, workload_id=workload_id)


def _gpu_use(holder: Actor, workload: Workload) -> dict[str, float | None] | None:
    """Return the newest measured use of its slice or cards; None where it has none now."""
    axis = choose_axis(now() - MEASURED_WITHIN, None, STEP_S)
    lines = {line.metric: line for line in workload_chart(holder, workload.pk, axis)}
    used, memory = lines.get("gpu_utilisation"), lines.get("gpu_memory")
    if used is None or memory is None or memory.limit is None:
        return None
    return {
        "utilisation_pct": _newest(used.values),
        "memory_mib": _newest(memory.values),
        "memory_limit_mib": memory.limit,
    }


def _newest(values: list[float | None]) -> float | None:
    return next((value for value in reversed(values) if value is not None), None)


def _idle(workload: Workload) -> dict[str, Any] | None:
    """Return what the notebook loses next if it stays idle, and where its GPUs are."""
    found = find_idleness(workload)
    if found is None:
        return None
    row, use = found
    return {
        "next": use.next,
        "next_at": use.next_at.isoformat() if use.next_at else None,
        "is_warned": use.is_warned,
        "keeps_left": use.keeps_left,
        "keep_s": use.keep_s,
        "gpu_state": row.gpu_state,
    }


def _notices(workload: Workload, language: str) -> list[dict[str, str]]:
    """Return its owner's news, but not of this notebook's own idleness, which the page shows itself."""
    portal, own_page = get_site_config().portal_url, f"/notebooks/{workload.pk}"
    return [
        {
            "id": str(notice.pk),
            "text": inbox.describe_notice(notice, language),
            "url": f"{portal}{notice.path}",
        }
        for notice in inbox.list_notices(workload.owner_id)[:NOTICES_MAX]
        if notice.read_at is None
        and now() - notice.created_at <= NOTICES_OF
        and not (notice.path == own_page and notice.code.startswith("idle_warned_"))
    ]
