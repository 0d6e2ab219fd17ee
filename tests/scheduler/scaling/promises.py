"""What every decision keeps, whatever the rule: broken promises in words; planted bugs break them."""

from collections.abc import Callable
from dataclasses import replace

from scheduler.scaling.load import open_now, slack_ms
from scheduler.scaling.values import InputAges, ScalingDecision, ScalingInput
from tests.scheduler.scaling.worlds import doubled

Decide = Callable[[ScalingInput], ScalingDecision]


def within_bounds(decide: Decide, given: ScalingInput) -> bool:
    """Never more than may run, never fewer than asked for."""
    wanted = decide(given).replicas
    return wanted is not None and given.bounds.minimum <= wanted <= given.bounds.maximum


def zero_only_when_quiet(decide: Decide, given: ScalingInput) -> bool:
    """Whoever waits is answered, if anything may run."""
    return decide(given).replicas != 0 or not open_now(given) or not given.bounds.maximum


def carries_what_is_open(decide: Decide, given: ScalingInput) -> bool:
    """Scale-in leaves at least the slots that answer what is open in time."""
    wanted = decide(given).replicas
    if wanted is None or wanted >= min(given.size, given.bounds.maximum):
        return True
    service = given.capacity.service_ms
    slots = open_now(given) * service // (service + slack_ms(given))
    rate = given.target.rate_milli * service // 1_000_000 if given.target.rate_milli else slots
    return (wanted + 1) * given.capacity.open_requests >= min(slots, rate)


def names_who_leaves(decide: Decide, given: ScalingInput) -> bool:
    """As many leave as are too many, each once, and nobody with more open requests than one who stays."""
    decision = decide(given)
    surplus = 0 if decision.replicas is None else max(0, given.size - decision.replicas)
    going = [seen for seen in given.replicas if seen.key in decision.leaving]
    staying = [seen for seen in given.replicas if seen.key not in decision.leaving]
    most = max((seen.open_requests for seen in going), default=0)
    least = min((seen.open_requests for seen in staying if seen.warmth == "ready"), default=most)
    return len(set(decision.leaving)) == len(decision.leaving) == surplus and most <= least


def keeps_its_size_when_stale(decide: Decide, given: ScalingInput) -> bool:
    """Old inputs change nothing, and the reason says which is old."""
    answers = [
        decide(replace(given, ages=ages))
        for ages in (InputAges(load_ms=10_001, replicas_ms=0), InputAges(0, replicas_ms=30_001))
    ]
    return [(a.replicas, a.leaving, a.state, a.reason.code.value) for a in answers] == [
        (None, (), given.state, "stale_load"),
        (None, (), given.state, "stale_replicas"),
    ]


def more_load_never_means_fewer(decide: Decide, given: ScalingInput) -> bool:
    """Twice the load wants at least as many."""
    once, twice = decide(given).replicas, decide(doubled(given)).replicas
    return once is not None and twice is not None and once <= twice


def stays_where_it_came_to(decide: Decide, given: ScalingInput) -> bool:
    """Asked again at the same moment it does not turn around."""
    first = decide(given)
    kept = tuple(seen for seen in given.replicas if seen.key not in first.leaving)
    again = decide(replace(given, replicas=kept, state=first.state))
    if first.leaving:
        return again.replicas == first.replicas
    return again.replicas is not None and again.replicas >= (first.replicas or 0)


PROMISES: tuple[Callable[[Decide, ScalingInput], bool], ...] = (
    within_bounds,
    zero_only_when_quiet,
    carries_what_is_open,
    names_who_leaves,
    keeps_its_size_when_stale,
    more_load_never_means_fewer,
    stays_where_it_came_to,
)
