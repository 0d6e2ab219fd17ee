"""Finds containers that use more memory of a shared card than their share; pure.

No limit is enforced in these modes, so the agent measures each container's memory. Use above the
ceiling and a margin is warned about after 10 s, and the container is stopped after as long again.
When a card is full, containers above their guarantee are stopped at once, beginning with the
furthest above it; a container within its guarantee never is.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from nodeagent.core.state import ContainerKey

MARGIN_PCT: Final = 5
GRACE_MS: Final = 10_000
FULL_PCT: Final = 98
"""Percent of a card's memory; the driver reserves some, so no card ever reaches 100."""


@dataclass(frozen=True, slots=True)
class GpuHolding:
    """The memory that one container uses on one card now."""

    key: ContainerKey
    card: str
    used_mib: int
    guarantee_mib: int
    ceiling_mib: int

    @property
    def limit_mib(self) -> int:
        """The most that it may use without being stopped."""
        return self.ceiling_mib + self.ceiling_mib * MARGIN_PCT // 100

    @property
    def borrowed_mib(self) -> int:
        """Its use beyond its guarantee and the margin."""
        allowed = self.guarantee_mib + self.guarantee_mib * MARGIN_PCT // 100
        return max(0, self.used_mib - allowed)


@dataclass(frozen=True, slots=True)
class OveruseWarning:
    """Warn a container about its memory use."""

    holding: GpuHolding

    @property
    def detail(self) -> str:
        """The numbers, for the user."""
        item = self.holding
        return f"{item.used_mib} MiB used of a share of {item.ceiling_mib} MiB on {item.card}"


@dataclass(frozen=True, slots=True)
class OveruseStop:
    """Stop a container because of its memory use."""

    holding: GpuHolding
    is_for_others: bool
    """The card was full and another container's guarantee was not met; else it was over its
    ceiling."""

    @property
    def detail(self) -> str:
        """A code and the numbers, for the user."""
        item = self.holding
        if self.is_for_others:
            return (
                f"gpu_memory_full: {item.used_mib} MiB used, "
                f"{item.guarantee_mib} MiB guaranteed on {item.card}"
            )
        return (
            f"over_gpu_memory: {item.used_mib} MiB used, "
            f"{item.ceiling_mib} MiB granted on {item.card}"
        )


@dataclass(frozen=True, slots=True)
class OveruseSince:
    """Since when a container has been over its ceiling, on the monotonic clock."""

    since: int
    warned_at: int | None = None


@dataclass(frozen=True, slots=True)
class OveruseState:
    """The state between two evaluations."""

    over: Mapping[tuple[ContainerKey, str], OveruseSince] = field(default_factory=dict)


OveruseAction = OveruseWarning | OveruseStop


def evaluate_overuse(
    state: OveruseState, holdings: Iterable[GpuHolding], free_mib: Mapping[str, int], now: int
) -> tuple[OveruseState, tuple[OveruseAction, ...]]:
    """Evaluate the current use; `free_mib`: free memory of each card, absent if unknown.

    Returns the new state and the actions, at most one per container and card.
    """
    items = sorted(holdings, key=lambda item: (item.card, item.key))
    actions: list[OveruseAction] = []
    over: dict[tuple[ContainerKey, str], OveruseSince] = {}
    for item in items:
        if item.used_mib <= item.limit_mib:
            continue
        before = state.over.get((item.key, item.card), OveruseSince(now))
        after, action = _evaluate(item, before, now)
        over[item.key, item.card] = after
        actions += [action] if action else []
    stopped = {
        (action.holding.key, action.holding.card)
        for action in actions
        if isinstance(action, OveruseStop)
    }
    for stop in _find_stops_for_guarantees(items, free_mib):
        if (stop.holding.key, stop.holding.card) not in stopped:
            actions.append(stop)
    return OveruseState(over), tuple(actions)


def _evaluate(
    item: GpuHolding, before: OveruseSince, now: int
) -> tuple[OveruseSince, OveruseAction | None]:
    if before.warned_at is None:
        if now - before.since < GRACE_MS:
            return before, None
        return OveruseSince(before.since, now), OveruseWarning(item)
    if now - before.warned_at < GRACE_MS:
        return before, None
    return before, OveruseStop(item, is_for_others=False)


def _find_stops_for_guarantees(
    items: Iterable[GpuHolding], free_mib: Mapping[str, int]
) -> tuple[OveruseStop, ...]:
    """Return which containers to stop, on each full card on which a guarantee is not met."""
    by_card: dict[str, list[GpuHolding]] = {}
    for item in items:
        by_card.setdefault(item.card, []).append(item)
    stops: list[OveruseStop] = []
    for card, holders in by_card.items():
        free = free_mib.get(card)
        if free is None:
            continue
        total = free + sum(item.used_mib for item in holders)
        unmet = sum(max(0, item.guarantee_mib - item.used_mib) for item in holders)
        missing = unmet - free
        if missing <= 0 or free > total * (100 - FULL_PCT) // 100:
            continue
        borrowers = sorted(holders, key=lambda item: (-item.borrowed_mib, item.key))
        for item in borrowers:
            if missing <= 0 or not item.borrowed_mib:
                break
            stops.append(OveruseStop(item, is_for_others=True))
            missing -= item.used_mib
    return tuple(stops)
