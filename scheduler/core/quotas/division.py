"""Weighted max-min division of one amount between sibling groups, in exact integers.

Source: the fair share of KAI (deserved first, then the surplus by weight in rounds), with the
guarantee before both, and the over-quota weights of Run:ai as words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scheduler.core.model.entities import GroupId
from scheduler.core.model.policy import OVER_QUOTA_WEIGHTS, OverQuotaWeight


@dataclass(frozen=True, slots=True)
class GroupDemand:
    """What one group asks for of its parent's part, in units of one resource."""

    group: GroupId
    requested: int
    guarantee: int = 0
    deserved: int = 0
    ceiling: int | None = None
    weight: OverQuotaWeight = OverQuotaWeight.MEDIUM

    @property
    def limit(self) -> int:
        """Return what it could use: its request, up to its ceiling."""
        return self.requested if self.ceiling is None else min(self.requested, self.ceiling)


def divide_fairly(amount: int, demands: Sequence[GroupDemand]) -> dict[GroupId, int]:
    """Return the part of each group: together never above `amount`, none above its own `limit`.

    Guarantees first, then what is deserved, then the surplus by weight; `lowest` shares what all
    others leave, `none` gets nothing beyond deserved. Where guarantees exceed the amount they are
    cut in proportion. A greater weight or guarantee never makes a part smaller.
    """
    parts = {demand.group: 0 for demand in demands}
    demands = sorted(demands, key=lambda demand: demand.group)
    # (up to how much, by which weight) in each of the four rounds
    rounds = (
        {demand.group: (demand.guarantee, demand.guarantee) for demand in demands},
        {demand.group: (demand.deserved, demand.deserved) for demand in demands},
        {demand.group: (demand.limit, OVER_QUOTA_WEIGHTS[demand.weight]) for demand in demands},
        {
            demand.group: (demand.limit, int(demand.weight is OverQuotaWeight.LOWEST))
            for demand in demands
        },
    )
    for targets in rounds:
        missing = {
            demand.group: min(targets[demand.group][0], demand.limit) - parts[demand.group]
            for demand in demands
        }
        weights = {group: weight for group, (_, weight) in targets.items() if missing[group] > 0}
        for group, more in _fill(amount - sum(parts.values()), missing, weights).items():
            parts[group] += more
    return parts


def _fill(
    amount: int, missing: Mapping[GroupId, int], weights: Mapping[GroupId, int]
) -> dict[GroupId, int]:
    """Divide the amount by weight (water-filling); what one group cannot use goes to the others.

    The last units, fewer than there are groups, go to the greatest weight, then by id: the one rule
    of rounding under which more weight never means less.
    """
    filled: dict[GroupId, int] = {}
    active = {group: weight for group, weight in weights.items() if weight > 0}
    while active and amount > 0:
        total = sum(active.values())
        satisfied = [g for g in active if missing[g] * total <= amount * active[g]]
        if not satisfied:
            break
        for group in satisfied:
            filled[group] = missing[group]
            amount -= missing[group]
            del active[group]
    total = sum(active.values())
    filled |= {group: amount * weight // total for group, weight in active.items()}
    rest = amount - sum(filled[group] for group in active) if active else 0
    for group in sorted(active, key=lambda group: (-active[group], group))[:rest]:
        filled[group] += 1
    return filled
