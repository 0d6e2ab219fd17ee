"""What groups deserve and do not hold: the work that they could reclaim for goes first in the queue."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from scheduler.core.model.entities import GroupId, PoolId, QuotaView
from scheduler.core.model.resources import Resource


@dataclass(slots=True)
class DeservedLeft:
    """The milli-GPUs that one group deserves and does not hold."""

    in_pool: dict[PoolId, int] = field(default_factory=dict)
    """Of each pool that promises it something."""
    anywhere: int = 0
    """Of what it is promised over all pools, beyond what pools set aside for it."""

    def covers(self, pool: PoolId, gpu_milli: int) -> bool:
        """Return whether the group deserves so much more in this pool."""
        beyond = gpu_milli - self.in_pool.get(pool, 0)
        return beyond <= 0 or beyond <= self.anywhere

    def take(self, pool: PoolId, gpu_milli: int) -> None:
        """Count so much as held: first of what the pool promises."""
        here = min(self.in_pool.get(pool, 0), gpu_milli)
        if here:
            self.in_pool[pool] -= here
        self.anywhere -= gpu_milli - here

    @property
    def has_any(self) -> bool:
        """Return whether the group deserves anything more."""
        return self.anywhere > 0 or any(self.in_pool.values())


def deserved_left(rows: Iterable[QuotaView]) -> dict[GroupId, DeservedLeft]:
    """Return what each group with a quota of GPUs deserves beyond what is used of it."""
    by_group: defaultdict[GroupId, list[QuotaView]] = defaultdict(list)
    for row in rows:
        if row.resource is Resource.GPU and not row.model:
            by_group[row.group].append(row)
    return {group: _left_of(own) for group, own in by_group.items()}


def _left_of(rows: Iterable[QuotaView]) -> DeservedLeft:
    left = DeservedLeft()
    promised = set_aside = 0
    everywhere: QuotaView | None = None
    for row in rows:
        if row.pool is None:
            everywhere = row
            continue
        most = max(row.deserved, row.guarantee)
        promised += most
        left.in_pool[row.pool] = max(most - row.used, 0)
        set_aside += left.in_pool[row.pool]
    if everywhere is not None:
        most = max(everywhere.deserved, everywhere.guarantee, promised)
        left.anywhere = max(most - everywhere.used - set_aside, 0)
    return left
