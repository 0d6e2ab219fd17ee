"""The rule: the smallest number of replicas that meets the target until one more could be there."""

from dataclasses import dataclass, replace
from typing import Final

from scheduler.scaling.load import Demand, carried, demand, observed, open_now, queued, slack_ms
from scheduler.scaling.state import FIRST_CAUTION, ScalingState
from scheduler.scaling.values import (
    DemandInterval,
    Quality,
    ReplicaSeen,
    ScalingDecision,
    ScalingInput,
    ScalingReason,
    Warmth,
)
from scheduler.scaling.values import ScalingReasonCode as Code

WINDOW_MS: Final = 60_000
"""The load is looked back at for so long, or two cold starts if that is longer."""
LEAST_HOLD_MS: Final = 10_000
HOLD_PERMILLE: Final = 1_500
"""An unneeded replica stays for so many thousandths of a cold start, times the price factor."""
STEP_FACTOR: Final = 2
"""A load of so many times what the replicas carry is a step."""
MOST_CAUTION: Final = 6_000_000
STAY_CAUTION: Final = 300_000
"""What is there stays for a load by so much less likely, so the number does not swing."""
LATE_COSTS: Final = 100_000
"""Each late answer adds so many millionths of a deviation; as many in time as twice the target allows
for one late one take them away again."""
MOST_RISE: Final = 500_000
BUCKETS: Final = 32


@dataclass(frozen=True, slots=True)
class _Times:
    horizon_ms: int
    """How far a new replica is away."""
    hold_ms: int
    """How long one stays that is not needed."""


def decide(given: ScalingInput) -> ScalingDecision:
    """Return how many replicas there are to be, why, and what to remember; never raises."""
    stale = _stale(given)
    if stale:
        return ScalingDecision(None, stale, given.state)
    given = replace(given, forecast=_fresh(given), capacity=carried(given))
    horizon = _horizon_ms(given)
    state = _judged(given, horizon)
    times = _Times(horizon, _hold_ms(given, horizon))
    seen = observed(given, max(WINDOW_MS, 2 * horizon))
    load = demand(given, seen, horizon, state.caution_micro // 1000)
    staying = demand(given, seen, horizon, (state.caution_micro + STAY_CAUTION) // 1000)
    state = _remembered(given, state, _staying(given, staying), times)
    return _decided(given, state, load, times)


def _stale(given: ScalingInput) -> ScalingReason | None:
    ages = given.ages
    for code, age, limit in (
        (Code.STALE_LOAD, ages.load_ms, ages.load_limit_ms),
        (Code.STALE_REPLICAS, ages.replicas_ms, ages.replicas_limit_ms),
        (Code.STALE_WAITING, ages.waiting_ms, ages.waiting_limit_ms),
    ):
        if age > limit:
            return ScalingReason(code, (("age_ms", age), ("limit_ms", limit)))
    return None


def _fresh(given: ScalingInput) -> DemandInterval | None:
    """The forecast, unless it is too old: without one the measured load decides alone."""
    forecast = given.forecast
    old = forecast and given.now_ms - forecast.made_at_ms > given.ages.forecast_limit_ms
    return None if old else forecast


def _horizon_ms(given: ScalingInput) -> int:
    """How far a new replica is away: a wake-up when one is asleep, else a start."""
    starts = given.cold_starts
    asleep = any(seen.warmth is Warmth.ASLEEP for seen in given.replicas)
    return starts.wake_ms if asleep and starts.wake_ms is not None else starts.p90_ms


def _hold_ms(given: ScalingInput, horizon_ms: int) -> int:
    held = horizon_ms * HOLD_PERMILLE // 1000 * given.bounds.price_factor_permille // 1000
    return max(LEAST_HOLD_MS, held)


def _judged(given: ScalingInput, horizon_ms: int) -> ScalingState:
    """Answers since the last decision move the caution; half of the allowed misses is the aim.

    Once grown it does not grow again until what was ordered then can be there.
    """
    state = given.state
    news = [sample for sample in given.load if sample.at_ms > state.judged_until_ms]
    judged = max((sample.at_ms for sample in news), default=state.judged_until_ms)
    late = sum(sample.late for sample in news)
    in_time = sum(sample.completed for sample in news) - late
    allowed = max(1, (1000 - given.target.attained_permille) // 2)
    caution = state.caution_micro - LATE_COSTS * in_time * allowed // (1000 - allowed)
    raised = state.raised_at_ms
    if late and given.now_ms - raised >= horizon_ms:
        caution += min(MOST_RISE, LATE_COSTS * late)
        raised = given.now_ms
    caution = min(max(caution, FIRST_CAUTION), MOST_CAUTION)
    return replace(state, caution_micro=caution, judged_until_ms=judged, raised_at_ms=raised)


def _replicas(given: ScalingInput, load: Demand) -> int:
    """The number that carries the load."""
    return -(-_slots(given, load) // max(1, given.capacity.open_requests))


def _staying(given: ScalingInput, load: Demand) -> int:
    """The number that stays: nobody leaves while requests queue inside those that are there."""
    needed = _replicas(given, load)
    is_queueing = given.target.quality is Quality.LATENCY and queued(given)
    return max(needed, given.size) if is_queueing else needed


def _slots(given: ScalingInput, load: Demand) -> int:
    if given.target.quality is Quality.LATENCY:
        return max(load.now, load.likely, load.forecast)
    rate = given.target.rate_milli
    wanted = -(-rate * given.capacity.service_ms // 1_000_000)
    return min(wanted, load.open_now) if rate else load.open_now


def _remembered(
    given: ScalingInput, state: ScalingState, staying: int, times: _Times
) -> ScalingState:
    """Keep the most that was needed in each bucket of time, as far back as an unneeded one stays."""
    width = max(1, times.hold_ms // BUCKETS)
    needs = [need for need in state.needs if need[0] > given.now_ms - times.hold_ms]
    if needs and needs[-1][0] > given.now_ms - width:
        needs[-1] = (needs[-1][0], max(needs[-1][1], staying))
    else:
        needs.append((given.now_ms, staying))
    while len(needs) > BUCKETS + 1:
        needs[:2] = [(needs[1][0], max(needs[0][1], needs[1][1]))]
    quiet = state.quiet_since_ms
    if open_now(given):
        quiet = None
    elif quiet is None:
        quiet = given.now_ms
    return replace(state, needs=tuple(needs), quiet_since_ms=quiet)


def _decided(
    given: ScalingInput, state: ScalingState, load: Demand, times: _Times
) -> ScalingDecision:
    size = given.size
    needed = _replicas(given, load)
    lower = _lower(given, state, times)
    wanted = _within(given, needed, lower)
    if wanted > size:
        return ScalingDecision(wanted, _why_more(given, load, needed, wanted), state)
    peak = _within(given, max(most for _, most in state.needs), lower)
    if peak >= size:
        return ScalingDecision(size, _why_same(given, state, needed, times), state)
    reason = _why_fewer(given, state, needed, peak, times)
    return ScalingDecision(peak, reason, state, _leaving(given, size - peak))


def _lower(given: ScalingInput, state: ScalingState, times: _Times) -> int:
    """The least that may be: one as long as somebody waits or the last request is not long ago.

    Where a wake-up fits into the target the last one leaves like every other.
    """
    if given.bounds.minimum or state.quiet_since_ms is None:
        return max(1, given.bounds.minimum)
    after = given.bounds.zero_after_ms
    if times.horizon_ms <= slack_ms(given):
        after = min(after, times.hold_ms)
    return int(given.size > 0 and given.now_ms - state.quiet_since_ms < after)


def _within(given: ScalingInput, needed: int, lower: int) -> int:
    return min(max(needed, lower), given.bounds.maximum)


def _leaving(given: ScalingInput, surplus: int) -> tuple[str, ...]:
    """Those that start go first, then those with the fewest open requests, the newest of them."""
    those = [seen for seen in given.replicas if seen.warmth in {Warmth.READY, Warmth.STARTING}]
    return tuple(seen.key for seen in sorted(those, key=_goes_first)[:surplus])


def _goes_first(seen: ReplicaSeen) -> tuple[bool, int, int, str]:
    return seen.warmth is Warmth.READY, seen.open_requests, -seen.since_ms, seen.key


def _why_more(given: ScalingInput, load: Demand, needed: int, wanted: int) -> ScalingReason:
    per_replica = given.capacity.open_requests
    if needed > given.bounds.maximum:
        return ScalingReason(
            Code.AT_MAXIMUM, (("maximum", given.bounds.maximum), ("needed", needed))
        )
    if not given.size and load.open_now:
        return ScalingReason(Code.FROM_ZERO, (("open", load.open_now), ("replicas", wanted)))
    if wanted > needed:
        return ScalingReason(
            Code.AT_MINIMUM, (("minimum", given.bounds.minimum), ("needed", needed))
        )
    common = (("per_replica", per_replica), ("replicas", wanted), ("needed", needed))
    if given.forecast and load.forecast > max(load.now, load.likely):
        return ScalingReason(Code.FORECAST, (("high_milli", given.forecast.high_milli), *common))
    opened = (("open", load.open_now), *common)
    if load.open_now >= STEP_FACTOR * given.size * per_replica:
        return ScalingReason(Code.STEP, (("before", given.size), *opened))
    return ScalingReason(Code.MORE_LOAD, opened)


def _why_same(
    given: ScalingInput, state: ScalingState, needed: int, times: _Times
) -> ScalingReason:
    size = given.size
    if needed > given.bounds.maximum:
        return ScalingReason(
            Code.AT_MAXIMUM, (("maximum", given.bounds.maximum), ("needed", needed))
        )
    if needed >= size:
        return ScalingReason(Code.ENOUGH, (("replicas", size), ("needed", needed)))
    if size == given.bounds.minimum:
        return ScalingReason(Code.AT_MINIMUM, (("minimum", size), ("needed", needed)))
    last = max((at for at, most in state.needs if most >= size), default=given.now_ms)
    left = max(0, last + times.hold_ms - given.now_ms)
    return ScalingReason(
        Code.STAYS_FOR_NOW, (("replicas", size), ("needed", needed), ("left_ms", left))
    )


def _why_fewer(
    given: ScalingInput, state: ScalingState, needed: int, wanted: int, times: _Times
) -> ScalingReason:
    if not wanted and state.quiet_since_ms is not None:
        return ScalingReason(Code.TO_ZERO, (("quiet_ms", given.now_ms - state.quiet_since_ms),))
    return ScalingReason(
        Code.UNNEEDED,
        (("replicas", given.size), ("needed", needed), ("unneeded_ms", times.hold_ms)),
    )
