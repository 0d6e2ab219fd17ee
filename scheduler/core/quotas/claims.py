"""What groups deserve and do not hold: the work that they could reclaim for goes first in the queue."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from scheduler.core.model.entities import PoolId, QuotaView
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


def deserved_left(rows: Iterable[QuotaView]) -> DeservedLeft:
    """Return what a group with these quotas deserves of GPUs beyond what is used of it."""
    left = DeservedLeft()
    promised = set_aside = 0
    everywhere: QuotaView | None = None
    for row in rows:
        if row.resource is not Resource.GPU or row.model:
            continue
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
