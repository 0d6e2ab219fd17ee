"""Advice that less of a card is enough, as the API shows it."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from portal.inventory.models import Pool
from portal.workloads.responses.queue_status import with_datetimes
from scheduler.core.advice import Advice, AdvisedRequest


def present_advice(advice: Advice | None) -> dict[str, Any] | None:
    """Return the measured need and what would be enough for it; None if there is no advice."""
    if advice is None:
        return None
    pools = Pool.objects.in_bulk([UUID(item.request.pool) for item in advice.enough])
    return {
        "runs": advice.need.runs,
        "peak_gpu_memory_mib": advice.need.peak_mib,
        "busy_pct": advice.need.busy_pct,
        "requested_gpu_memory_mib": advice.asked.memory_mib,
        "requested_gpu_milli": advice.asked.gpu_milli,
        "enough": [
            _present_advised(item, pools[key])
            for item in advice.enough
            if (key := UUID(item.request.pool)) in pools
        ],
    }


def _present_advised(item: AdvisedRequest, pool: Pool) -> dict[str, Any]:
    part, verdict = item.request, item.verdict
    return {
        "code": part.code.value,
        "pool": pool,
        "model": part.model,
        "gpus": part.request.gpus,
        # Under MIG the slices follow from the profile, and are not asked for.
        "slices": 0 if part.request.mig_profile else part.request.slices,
        "gpu_milli": part.request.gpu_milli,
        "gpu_memory_mib": part.request.gpu_memory_mib,
        "mig_profile": part.request.mig_profile,
        "total_gpu_memory_mib": part.size.memory_mib,
        "total_gpu_milli": part.size.gpu_milli,
        "verdict": verdict.outcome.value,
        "position": verdict.position,
        "expected_start": with_datetimes(asdict(verdict.expected)) if verdict.expected else None,
    }
