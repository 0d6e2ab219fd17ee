"""What a service claims of the GPUs of its group: reads, asks the rule, writes priorities.

A replica that is promised or needed goes before those that are spare, and before everything of low priority,
inside the group; the queue evicts for it what may be evicted. Between groups it is the quotas that decide.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Final

from portal.common.actor import Actor
from portal.common.clock import now, to_millis
from portal.quotas.priorities import PRIORITIES
from portal.serving.capacity import capacity_of
from portal.serving.load import NEVER_MS
from portal.serving.models import Replica, Service
from portal.serving.presets import ServicePreset
from portal.serving.replicas import in_order, stage_of
from portal.serving.rollout import Stage
from portal.serving.services import log_step
from portal.serving_usage.loads import SecondOfLoad, merge_histograms, percentile_ms
from portal.workloads.operations.priorities import keep_priorities
from scheduler.core.model.states import WorkloadState
from scheduler.scaling.shares import (
    ServiceShare,
    ShareClaim,
    ShareReason,
    ShareState,
    decide_claims,
    share_from_record,
)
from scheduler.scaling.values import Quality

JUDGED: Final = timedelta(seconds=30)
"""The latency of so long decides whether a service is near its target."""
PERCENT: Final = 95.0
PRIORITY_OF: Final[Mapping[ShareClaim, str]] = {
    ShareClaim.PROMISED: "normal",
    ShareClaim.NEEDED: "normal",
    ShareClaim.SPARE: "low",
}
_SECOND: Final = timedelta(seconds=1)


def claim_shares(
    service: Service,
    preset: ServicePreset,
    rows: Iterable[Replica],
    seconds: Sequence[SecondOfLoad],
    actor: Actor,
) -> None:
    """Give the replicas of a locked service the priorities of their claims, and log why those change.

    Args:
        service: its row is locked.
        preset: what its replicas run.
        rows: its replicas that have not ended, with their work.
        seconds: its load of the last minutes, oldest first.
        actor: of the changes.
    """
    staying = in_order(rows)
    state = share_from_record(service.share_state)
    decision = decide_claims(to_millis(now()), _share(service, preset, staying, seconds, state))
    claims = {row.pk: claim for row, (_, claim) in zip(staying, decision.claims, strict=True)}
    changed = {
        row.pk: PRIORITY_OF[claims[row.pk]]
        for row in staying
        if row.workload.priority != PRIORITIES[PRIORITY_OF[claims[row.pk]]]
    }
    if changed:
        keep_priorities(changed, actor=actor)
    if decision.reason is not None:
        log_step(service, decision.reason, service.replicas_wanted, dict(decision.params))
    _keep(service, _with_given(service, decision.state, staying))


def priority_of_next(service: Service, live: int) -> str:
    """Return the priority by name of one more replica of a service that has so many."""
    claims = share_from_record(service.share_state).claims_since_ms is not None
    beyond = ShareClaim.NEEDED if claims else ShareClaim.SPARE
    return PRIORITY_OF[ShareClaim.PROMISED if live < service.replicas_min else beyond]


def _share(
    service: Service,
    preset: ServicePreset,
    staying: Collection[Replica],
    seconds: Sequence[SecondOfLoad],
    state: ShareState,
) -> ServiceShare:
    stages = [stage_of(row.workload) for row in staying]
    opened, age_ms = _open_and_age(seconds)
    return ServiceShare(
        quality=Quality(service.quality),
        minimum=service.replicas_min,
        replicas=tuple(str(row.pk) for row in staying),
        waiting=stages.count(Stage.WAITING),
        open_requests=opened,
        slots=stages.count(Stage.READY) * capacity_of(service, preset).open_requests,
        latency_permille=_latency_permille(service, seconds),
        load_age_ms=age_ms,
        state=state,
    )


def _open_and_age(seconds: Sequence[SecondOfLoad]) -> tuple[int, int]:
    """Return the most requests open or held in the newest two seconds, and how old these are."""
    if not seconds:
        return 0, NEVER_MS
    newest = seconds[-1].second
    recent = [each for each in seconds if each.second >= newest - _SECOND]
    opened = max(each.in_flight + each.held for each in recent)
    return opened, to_millis(now()) - to_millis(newest + _SECOND)


def _latency_permille(service: Service, seconds: Iterable[SecondOfLoad]) -> int:
    if not service.target_ms:
        return 0
    since = now() - JUDGED
    encoded = (
        each.first_byte if service.is_first_token else each.latency
        for each in seconds
        if each.second >= since
    )
    measured = percentile_ms(merge_histograms(encoded), PERCENT)
    return 0 if measured is None else round(1000 * measured / service.target_ms)


def _with_given(service: Service, state: ShareState, staying: Iterable[Replica]) -> ShareState:
    """Return the state with how many replicas have given way to other services; log if that changes."""
    beneficiaries = [
        row.workload.evicted_for
        for row in staying
        if row.workload.state == WorkloadState.QUEUED and row.workload.evicted_for is not None
    ]
    given = 0
    if beneficiaries:
        others = Replica.objects.filter(pk__in=beneficiaries).exclude(service=service)
        known = set(others.values_list("pk", flat=True))
        given = sum(each in known for each in beneficiaries)
    if given != state.given:
        reason = ShareReason.GIVEN if given > state.given else ShareReason.BACK
        said = {"replicas": abs(given - state.given)}
        log_step(service, reason, service.replicas_wanted, said)
    return ShareState(state.claims_since_ms, state.easy_since_ms, given)


def _keep(service: Service, state: ShareState) -> None:
    record = state.record()
    if record != service.share_state and (service.share_state or state != ShareState()):
        service.share_state = record
        service.save(update_fields=["share_state"])
