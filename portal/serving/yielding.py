"""When a latency service lets replicas leave, because another one of its group waits with a stronger claim.

What can be evicted is evicted by the queue. Replicas of latency services cannot be, so those that nobody has
promised leave as on any other scale-in, one after the other, while somebody waits for what they hold.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from portal.serving.models import Replica, Service
from portal.serving.replicas import in_order, stage_of
from portal.serving.rollout import Stage
from portal.workloads.responses.queue_status import queue_statuses_for_system
from scheduler.core.model.reasons import ReasonCode
from scheduler.core.model.states import TERMINAL
from scheduler.scaling.shares import (
    ShareClaim,
    ShareState,
    SpareHolder,
    cap_for_others,
    claim_at,
    share_from_record,
    who_yields,
    yields_to,
)

NEEDS_ROOM: Final = frozenset(
    {
        ReasonCode.QUOTA_CEILING.value,
        ReasonCode.QUOTA_USER_CEILING.value,
        ReasonCode.BEHIND_OPEN_END.value,
        ReasonCode.GANG_INCOMPLETE.value,
        ReasonCode.FRAGMENTED.value,
        ReasonCode.INSUFFICIENT_NOW.value,
    }
)
"""Reasons of a wait that end when other work of the group leaves."""


@dataclass(frozen=True, slots=True)
class _Claimed:
    row: Replica
    claim: ShareClaim

    @property
    def holds(self) -> bool:
        return stage_of(self.row.workload) is not Stage.WAITING


def cap_of(service: Service, rows: Sequence[Replica]) -> int | None:
    """Return how many replicas a locked service may keep while others wait; None is any number.

    Args:
        service: its row is locked.
        rows: its replicas that have not ended, with their work.
    """
    claim = claim_at(service.replicas_min, service.replicas_min, _state(service))
    is_latency = service.quality == Service.QualityClass.LATENCY
    if not is_latency or max(len(rows), service.replicas_wanted) <= service.replicas_min:
        return None
    others = _others(service)
    pools = {row.workload.pool_id for row in rows}
    found = [
        each for items in others.values() for each in items if each.row.workload.pool_id in pools
    ]
    waiting = _claims_that_lack_room(found)
    if not yields_to(claim, waiting):
        return None
    if any(_is_evictable(each) for each in found):
        return None
    own = _claimed(service, rows)
    holders = [
        SpareHolder(
            str(key.pk),
            claim_at(key.replicas_min, key.replicas_min, _state(key)),
            sum(each.holds and each.claim is not ShareClaim.PROMISED for each in items),
        )
        for key, items in ((service, own), *others.items())
        if key.quality == Service.QualityClass.LATENCY
    ]
    leaving = sum(
        row.draining_since is not None or stage_of(row.workload) is Stage.ENDING for row in rows
    )
    return cap_for_others(
        service.replicas_min,
        sum(each.holds for each in own),
        leaving,
        is_chosen=who_yields(holders, waiting) == str(service.pk),
    )


def _others(service: Service) -> Mapping[Service, list[_Claimed]]:
    """Return the replicas that are to stay of the other services of its group, with their claims."""
    rows = Replica.objects.filter(service__group=service.group_id).exclude(service=service)
    live = rows.exclude(workload__state__in=[state.value for state in TERMINAL])
    found: dict[Service, list[Replica]] = defaultdict(list)
    for row in live.select_related("workload", "service").order_by("workload"):
        found[row.service].append(row)
    return {other: _claimed(other, items) for other, items in found.items()}


def _claimed(service: Service, rows: Sequence[Replica]) -> list[_Claimed]:
    state = _state(service)
    return [
        _Claimed(row, claim_at(place, service.replicas_min, state))
        for place, row in enumerate(in_order(rows))
    ]


def _claims_that_lack_room(found: Collection[_Claimed]) -> set[ShareClaim]:
    """Return the claims with which replicas of latency services wait for room."""
    waiting = [
        each
        for each in found
        if not each.holds and not each.row.workload.preemptible and not each.row.workload.held_by
    ]
    statuses = queue_statuses_for_system([each.row.workload for each in waiting])
    first: dict[UUID, str] = {
        key: status.reasons[0]["code"] for key, status in statuses.items() if status.reasons
    }
    return {each.claim for each in waiting if first.get(each.row.pk) in NEEDS_ROOM}


def _is_evictable(each: _Claimed) -> bool:
    is_promised = each.claim is ShareClaim.PROMISED
    return each.holds and each.row.workload.preemptible and not is_promised


def _state(service: Service) -> ShareState:
    return share_from_record(service.share_state)
