"""Advice that less of a card is enough, as the API shows it."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from portal.inventory.models import Pool
from portal.workloads.queue import moments
from scheduler.core.advice import Advice, AdvisedRequest


def shown(advice: Advice | None) -> dict[str, Any] | None:
    """Return the measured need and what would be enough for it; None if there is no advice."""
    if advice is None:
        return None
    pools = Pool.objects.in_bulk([UUID(item.part.pool) for item in advice.enough])
    return {
        "runs": advice.need.runs,
        "peak_mib": advice.need.peak_mib,
        "busy_pct": advice.need.busy_pct,
        "asked_mib": advice.asked.mib,
        "asked_milli": advice.asked.milli,
        "enough": [
            _advised(item, pools[key])
            for item in advice.enough
            if (key := UUID(item.part.pool)) in pools
        ],
    }


def _advised(item: AdvisedRequest, pool: Pool) -> dict[str, Any]:
    part, verdict = item.part, item.verdict
    return {
        "code": part.code.value,
        "pool": pool,
        "model": part.model,
        "cards": part.request.cards,
        # Under MIG the slices follow from the profile, and are not asked for.
        "slices": 0 if part.request.profile else part.request.slices,
        "share_milli": part.request.share,
        "share_mib": part.request.share_mib,
        "mig_profile": part.request.profile,
        "memory_mib": part.size.mib,
        "card_milli": part.size.milli,
        "verdict": verdict.outcome.value,
        "position": verdict.position,
        "expected_start": moments(asdict(verdict.expected)) if verdict.expected else None,
    }
