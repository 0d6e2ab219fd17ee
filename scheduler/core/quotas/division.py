"""Dividing one amount between sisters: exact integers, nothing lost, nothing invented.

Source: the fair share of KAI (deserved first, then the surplus by weight in rounds), with the
guarantee before both and the over-quota weights of Run:ai in words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scheduler.core.model.entities import GroupId
from scheduler.core.model.policy import OVER_QUOTA_WEIGHTS, OverQuotaWeight


@dataclass(frozen=True, slots=True)
class GroupDemand:
    """What one group may ask of its parent's part, in units of one resource."""

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


def divide_fairly(amount: int, claims: Sequence[GroupDemand]) -> dict[GroupId, int]:
    """Return everybody's part; together never above `amount`, nor anybody's above its `most`.

    Guarantees first, then what is deserved, then the surplus by weight; `lowest` shares what all
    others leave, `none` gets nothing beyond deserved. Where promises exceed the amount they are
    cut in proportion. A greater weight, a greater promise never make a part smaller.
    """
    parts = {claim.group: 0 for claim in claims}
    claims = sorted(claims, key=lambda claim: claim.group)
    steps = (
        {claim.group: (claim.guarantee, claim.guarantee) for claim in claims},
        {claim.group: (claim.deserved, claim.deserved) for claim in claims},
        {claim.group: (claim.limit, OVER_QUOTA_WEIGHTS[claim.weight]) for claim in claims},
        {
            claim.group: (claim.limit, int(claim.weight is OverQuotaWeight.LOWEST))
            for claim in claims
        },
    )
    for step in steps:
        room = {
            claim.group: min(step[claim.group][0], claim.limit) - parts[claim.group]
            for claim in claims
        }
        weights = {group: weight for group, (_, weight) in step.items() if room[group] > 0}
        for group, more in _fill(amount - sum(parts.values()), room, weights).items():
            parts[group] += more
    return parts


def _fill(
    amount: int, room: Mapping[GroupId, int], weights: Mapping[GroupId, int]
) -> dict[GroupId, int]:
    """Pour the amount into rooms by weight; a full one leaves its rest to the others.

    The last units, fewer than there are rooms, go to the heaviest, then by id: the one rule of
    rounding under which more weight never means less.
    """
    poured: dict[GroupId, int] = {}
    thirsty = {group: weight for group, weight in weights.items() if weight > 0}
    while thirsty and amount > 0:
        total = sum(thirsty.values())
        full = [group for group in thirsty if room[group] * total <= amount * thirsty[group]]
        if not full:
            break
        for group in full:
            poured[group] = room[group]
            amount -= room[group]
            del thirsty[group]
    total = sum(thirsty.values())
    poured |= {group: amount * weight // total for group, weight in thirsty.items()}
    rest = amount - sum(poured[group] for group in thirsty) if thirsty else 0
    for group in sorted(thirsty, key=lambda group: (-thirsty[group], group))[:rest]:
        poured[group] += 1
    return poured
