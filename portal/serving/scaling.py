"""How many replicas a service is to have, from what its endpoint reports: reads, asks the rule, writes.

A service whose least is its most keeps that size. Without reports of its load it keeps the size that it has.
"""

from collections.abc import Collection, Sequence
from typing import Final

from portal.common.clock import now, to_millis
from portal.serving.capacity import capacity_of, cold_starts_of, learn
from portal.serving.forecasts import expected_demand, forecast_of
from portal.serving.load import NEVER_MS
from portal.serving.models import ScalingStep, Service
from portal.serving.presets import ServicePreset
from portal.serving.rollout import SeenReplica, Stage
from portal.serving.services import log_step
from portal.serving_usage.loads import SecondOfLoad, merge_histograms
from scheduler.scaling.learning import service_time_ms
from scheduler.scaling.rule import decide
from scheduler.scaling.shares import ShareReason
from scheduler.scaling.state import ScalingState, from_record
from scheduler.scaling.values import (
    InputAges,
    LearnedCapacity,
    LoadSample,
    Quality,
    ReplicaBounds,
    ReplicaSeen,
    ScalingInput,
    ScalingReason,
    ScalingReasonCode,
    ServiceTarget,
    Warmth,
)

_SECOND_MS: Final = 1000
_WARMTH: Final = {
    Stage.WAITING: Warmth.STARTING,
    Stage.STARTING: Warmth.STARTING,
    Stage.READY: Warmth.READY,
}


def scale_by_load(
    service: Service,
    preset: ServicePreset,
    replicas: Sequence[SeenReplica],
    seconds: Sequence[SecondOfLoad],
    cap: int | None = None,
) -> None:
    """Set how many replicas a locked service is to have, and log why if that changes.

    Args:
        service: its row is locked.
        preset: what its replicas run.
        replicas: those that have not ended.
        seconds: its load of the last minutes, oldest first.
        cap: no more than so many, at least its minimum, because others of its group have a stronger claim.
    """
    is_fixed = service.replicas_min == service.replicas_max
    if is_fixed or service.state != Service.WantedState.RUNNING:
        return
    given = _input(service, preset, replicas, seconds)
    decision = decide(given)
    before, record = service.replicas_wanted, decision.state.record()
    decided = before if decision.replicas is None else decision.replicas
    decided = min(max(decided, service.replicas_min), service.replicas_max)
    service.replicas_wanted = decided if cap is None else min(decided, cap)
    if service.replicas_wanted not in {before, decided}:
        log_step(service, ShareReason.YIELDED, before, {"replicas": service.replicas_wanted})
    elif service.replicas_wanted != before:
        log_step(service, decision.reason.code, before, dict(decision.reason.params))
    if decision.reason.code is ScalingReasonCode.STALE_WAITING:
        _log_stale(service, decision.reason)
    has_learned = decision.replicas is not None and _learn(service, given)
    if service.replicas_wanted != before or has_learned or record != service.scaling_state:
        service.scaling_state = record
        service.save(update_fields=["replicas_wanted", "scaling_state", "capacity_state"])


def _log_stale(service: Service, reason: ScalingReason) -> None:
    """Keep that the size stays because its server tells its queue no more, once until the size changes."""
    newest = ScalingStep.objects.filter(service=service).order_by("-id")
    if newest.values_list("code", flat=True).first() != reason.code.value:
        log_step(service, reason.code, service.replicas_wanted, dict(reason.params))


def _learn(service: Service, given: ScalingInput) -> bool:
    """Learn from the seconds that this decision has judged for the first time."""
    ready = sum(each.warmth is Warmth.READY for each in given.replicas)
    news = [each for each in given.load if each.at_ms > given.state.judged_until_ms]
    return learn(service, ready, news)


def _input(
    service: Service,
    preset: ServicePreset,
    replicas: Collection[SeenReplica],
    seconds: Sequence[SecondOfLoad],
) -> ScalingInput:
    state, moment = from_record(service.scaling_state), to_millis(now())
    starts = cold_starts_of(service)
    load = tuple(_sample(each, service, state) for each in seconds)
    carried = capacity_of(service, preset)
    service_ms = service_time_ms(load, otherwise=service.target_ms or 1000)
    return ScalingInput(
        now_ms=moment,
        target=_target(service),
        bounds=ReplicaBounds(
            service.replicas_min, service.replicas_max, service.zero_after_s * 1000
        ),
        replicas=tuple(_seen(each, moment) for each in replicas if each.stage in _WARMTH),
        load=load,
        capacity=LearnedCapacity(carried.open_requests, service_ms, seen=carried.answers),
        cold_starts=starts,
        forecast=expected_demand(forecast_of(service), starts.p90_ms),
        ages=InputAges(
            load_ms=moment - load[-1].at_ms if load else NEVER_MS,
            replicas_ms=0,
            waiting_ms=seconds[-1].waiting_age_ms if seconds else 0,
        ),
        state=state,
    )


def _target(service: Service) -> ServiceTarget:
    if service.quality == Service.QualityClass.THROUGHPUT:
        return ServiceTarget(Quality.THROUGHPUT, rate_milli=service.rate_milli)
    return ServiceTarget(
        Quality.LATENCY, service.target_ms or 0, first_token=service.is_first_token
    )


def _seen(replica: SeenReplica, moment: int) -> ReplicaSeen:
    is_leaving = replica.draining_since is not None
    return ReplicaSeen(
        str(replica.id),
        Warmth.LEAVING if is_leaving else _WARMTH[replica.stage],
        replica.open_requests,
        replica.draining_since or moment,
    )


def _sample(second: SecondOfLoad, service: Service, state: ScalingState) -> LoadSample:
    """Return a second as the rule takes it; how late its answers were only if that was not judged yet."""
    at = to_millis(second.second) + _SECOND_MS
    late, total_ms = 0, 0
    if at > state.judged_until_ms and service.target_ms is not None:
        encoded = second.first_byte if service.is_first_token else second.latency
        late, total_ms = _late(encoded, service.target_ms)
    return LoadSample(
        at_ms=at,
        span_ms=_SECOND_MS,
        in_flight=second.in_flight,
        held=second.held,
        arrivals=second.arrivals,
        completed=second.completed,
        failed=second.failed,
        waiting=min(second.waiting, second.in_flight),
        latency_sum_ms=total_ms,
        late=min(late, second.completed),
    )


def _late(encoded: str, target_ms: int) -> tuple[int, int]:
    """Return how many answers of a histogram took longer, and the milliseconds of all together."""
    histogram = merge_histograms([encoded])
    total = histogram.get_total_count()
    if not total:
        return 0, 0
    late = sum(
        each.count_at_value_iterated_to
        for each in histogram.get_recorded_iterator()
        if each.value_iterated_to > target_ms * 1000
    )
    return late, int(histogram.get_mean_value() * total) // 1000
