"""Who holds more of a shared card than its share: warned, then stopped, alone; pure.

Nothing refuses memory in this mode, so the agent looks at what each container holds. Above the
ceiling and a margin for 10 s: a warning. As long again: a stop. When a card is full, whoever is
above the guarantee gives way, at once and the furthest above first; whoever keeps within it never
does, however full the card is.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from nodeagent.core.state import ContainerKey

MARGIN_PCT: Final = 5
PATIENCE_MS: Final = 10_000
FULL_PCT: Final = 98
"""Of a card's memory: the driver keeps some for itself, so no card ever shows 100."""


@dataclass(frozen=True, slots=True)
class GpuHolding:
    """What one container holds of one card now."""

    key: ContainerKey
    card: str
    used_mib: int
    guarantee_mib: int
    ceiling_mib: int

    @property
    def limit_mib(self) -> int:
        """What it may hold for a while without being stopped."""
        return self.ceiling_mib + self.ceiling_mib * MARGIN_PCT // 100

    @property
    def borrowed_mib(self) -> int:
        """What it holds beyond its guarantee and the margin."""
        allowed = self.guarantee_mib + self.guarantee_mib * MARGIN_PCT // 100
        return max(0, self.used_mib - allowed)


@dataclass(frozen=True, slots=True)
class OveruseWarning:
    """Tell a container that it holds too much."""

    holding: GpuHolding

    @property
    def detail(self) -> str:
        """The numbers, for whoever it concerns."""
        item = self.holding
        return f"{item.used_mib} MiB used of a share of {item.ceiling_mib} MiB on {item.card}"


@dataclass(frozen=True, slots=True)
class OveruseStop:
    """Stop a container because of what it holds."""

    holding: GpuHolding
    is_for_others: bool
    """The card was full and somebody's guarantee was at stake; else it was over its ceiling."""

    @property
    def detail(self) -> str:
        """The numbers, for whoever it concerns."""
        item = self.holding
        if self.is_for_others:
            return (
                f"the card is full: {item.used_mib} MiB used, "
                f"{item.guarantee_mib} MiB guaranteed on {item.card}"
            )
        return f"{item.used_mib} MiB used, {item.ceiling_mib} MiB granted on {item.card}"


@dataclass(frozen=True, slots=True)
class OveruseSince:
    """Since when a container has been over, on the monotonic clock."""

    since: int
    warned_at: int | None = None


@dataclass(frozen=True, slots=True)
class OveruseState:
    """What is remembered between two looks."""

    over: Mapping[tuple[ContainerKey, str], OveruseSince] = field(default_factory=dict)


OveruseAction = OveruseWarning | OveruseStop


def evaluate_overuse(
    watch: OveruseState, holdings: Iterable[GpuHolding], free_mib: Mapping[str, int], now: int
) -> tuple[OveruseState, tuple[OveruseAction, ...]]:
    """Take one look; `free_mib` is what is left of each card, absent where that is not known.

    Returns what to remember and what to do, each container at most once per card.
    """
    items = sorted(holdings, key=lambda item: (item.card, item.key))
    acts: list[OveruseAction] = []
    over: dict[tuple[ContainerKey, str], OveruseSince] = {}
    for item in items:
        if item.used_mib <= item.limit_mib:
            continue
        before = watch.over.get((item.key, item.card), OveruseSince(now))
        after, act = _evaluate(item, before, now)
        over[item.key, item.card] = after
        acts += [act] if act else []
    stopped = {(act.holding.key, act.holding.card) for act in acts if isinstance(act, OveruseStop)}
    for give in _room_for_guarantees(items, free_mib):
        if (give.holding.key, give.holding.card) not in stopped:
            acts.append(give)
    return OveruseState(over), tuple(acts)


def _evaluate(
    item: GpuHolding, before: OveruseSince, now: int
) -> tuple[OveruseSince, OveruseAction | None]:
    if before.warned_at is None:
        if now - before.since < PATIENCE_MS:
            return before, None
        return OveruseSince(before.since, now), OveruseWarning(item)
    if now - before.warned_at < PATIENCE_MS:
        return before, None
    return before, OveruseStop(item, is_for_others=False)


def _room_for_guarantees(
    items: Iterable[GpuHolding], free_mib: Mapping[str, int]
) -> tuple[OveruseStop, ...]:
    """Return who gives way, on each full card where somebody has less than the guarantee."""
    by_card: dict[str, list[GpuHolding]] = {}
    for item in items:
        by_card.setdefault(item.card, []).append(item)
    leaving: list[OveruseStop] = []
    for card, holders in by_card.items():
        free = free_mib.get(card)
        if free is None:
            continue
        total = free + sum(item.used_mib for item in holders)
        owed = sum(max(0, item.guarantee_mib - item.used_mib) for item in holders)
        missing = owed - free
        if missing <= 0 or free > total * (100 - FULL_PCT) // 100:
            continue
        borrowers = sorted(holders, key=lambda item: (-item.borrowed_mib, item.key))
        for item in borrowers:
            if missing <= 0 or not item.borrowed_mib:
                break
            leaving.append(OveruseStop(item, is_for_others=True))
            missing -= item.used_mib
    return tuple(leaving)
