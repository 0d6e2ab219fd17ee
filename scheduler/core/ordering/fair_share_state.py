"""The fair-share state of every group and member when a cycle begins: use against entitlement.

Use is decayed GPU time in thousandths of a GPU-second. Running work counts at least the entry
penalty, so that a burst of starts counts before any of its use is measured.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from scheduler.core.model.entities import GroupId, Millis, PoolId, PoolView, RunningWorkload, UserId
from scheduler.core.model.request_cost import total_gpu_milli
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.quotas.demand import ScopeResource
from scheduler.core.quotas.fair_share import FairShares
from scheduler.core.quotas.group_tree import GroupPath, group_paths

_RESOLUTION: Final = 1 << 20
"""Use is compared as seconds of the whole entitlement, in so many parts of a second."""

Amount = TypeVar("Amount", int, npt.NDArray[np.int64])


def divide_use(used: Amount, entitled: Amount) -> tuple[Amount, Amount]:
    """Return use against entitlement, as whole seconds and parts of one: less goes first.

    Exact enough, and no product exceeds 64 bits.
    """
    seconds = used // entitled
    return seconds, (used - seconds * entitled) * _RESOLUTION // entitled


class StartRecord(NamedTuple):
    """A start, as far as the entry penalty depends on it."""

    member: tuple[GroupId, UserId]
    gpu_milli: int
    """Of all replicas."""
    started_at: Millis | None


@dataclass(frozen=True, slots=True)
class FairShareState:
    """Everything that the order between groups and members depends on; made once for each cycle."""

    pools: Mapping[PoolId, PoolView]
    paths: Mapping[GroupId, GroupPath]
    used: Mapping[GroupId, int]
    """Decayed use in milli-GPU-seconds of the group and all groups below it."""
    used_by_member: Mapping[tuple[GroupId, UserId], int]
    """The same of one member in one leaf group."""
    charged: Mapping[GroupId, int]
    """As much of `used` as is entry penalty, and was not used yet."""
    charged_by_member: Mapping[tuple[GroupId, UserId], int]
    entitled: Mapping[GroupId, int]
    """Milli-GPUs that use is compared with; at least 1."""
    guarantee_left: Mapping[tuple[GroupId, PoolId], int]
    """Milli-GPUs that the group may still start inside its guarantee; absent without one."""
    entry_penalty_s: int
    """Charged for every start, in seconds of what it takes."""

    @classmethod
    def from_snapshot(
        cls,
        snapshot: Snapshot,
        entitled: Mapping[GroupId, int] | None = None,
        starts: Iterable[StartRecord] | None = None,
    ) -> "FairShareState":
        """Return the state of every group at `snapshot.taken_at`.

        `entitled` is what `compute_entitlements` returned for the same quotas and cards. `starts`
        are those of the running work that may still be charged the entry penalty: by default, of
        all of it.
        """
        pools = {pool.id: pool for pool in snapshot.pools}
        paths = group_paths(snapshot)
        if starts is None:
            starts = [start_record_of(run, pools[run.pool]) for run in snapshot.running]
        charged_by_member = _charges_by_member(snapshot, starts)
        used_by_member = _use_by_member(snapshot, charged_by_member)
        return cls(
            pools=pools,
            paths=paths,
            used=_sum_by_group(used_by_member, paths),
            used_by_member=used_by_member,
            charged=_sum_by_group(charged_by_member, paths),
            charged_by_member=charged_by_member,
            entitled=compute_entitlements(snapshot) if entitled is None else entitled,
            guarantee_left=_guarantees_left(snapshot),
            entry_penalty_s=snapshot.fair_share.entry_penalty_s,
        )


_ByMember = Mapping[tuple[GroupId, UserId], int]


def _use_by_member(snapshot: Snapshot, charged: _ByMember) -> _ByMember:
    """Return measured use, with what is charged for starts."""
    used: dict[tuple[GroupId, UserId], int] = defaultdict(int, charged)
    for row in snapshot.usage:
        used[row.group, row.user] += row.gpu_seconds * 1000
    return used


def _charges_by_member(snapshot: Snapshot, starts: Iterable[StartRecord]) -> _ByMember:
    """Return the rest of the entry penalty of what started recently."""
    charged: dict[tuple[GroupId, UserId], int] = defaultdict(int)
    now, penalty_s = snapshot.taken_at, snapshot.fair_share.entry_penalty_s
    for member, gpu_milli, started_at in starts:
        if started_at is None or started_at >= now:
            charged[member] += gpu_milli * penalty_s
        elif (rest_s := penalty_s - (now - started_at) // 1000) > 0:
            charged[member] += gpu_milli * rest_s
    return charged


def _sum_by_group(
    by_member: _ByMember, paths: Mapping[GroupId, GroupPath]
) -> Mapping[GroupId, int]:
    """Return what the members of each group, and of all groups below it, have together."""
    found: Counter[GroupId] = Counter()
    for (leaf, _), amount in by_member.items():
        for group in paths.get(leaf, (leaf,)):
            found[group] += amount
    return found


def compute_entitlements(
    snapshot: Snapshot, capacities: Mapping[ScopeResource, int] | None = None
) -> Mapping[GroupId, int]:
    """Return the milli-GPUs that each group is entitled to, in all pools together; at least 1.

    That is what it deserves, and its part by weight of what no group deserves. It depends on quotas
    and cards only, so a ledger that is used for many cycles computes it once. `capacities` are those
    of the pools of a snapshot without cards.
    """
    shares = FairShares.entitlements(snapshot, capacities)
    entitled = dict.fromkeys(shares.paths, 0)
    for (_, resource), by_group in shares.shares.items():
        if resource is Resource.GPU:
            for group, share in by_group.items():
                entitled[group] += share.fair_share
    return {group: max(amount, 1) for group, amount in entitled.items()}


def _guarantees_left(snapshot: Snapshot) -> Mapping[tuple[GroupId, PoolId], int]:
    left: dict[tuple[GroupId, PoolId], int] = {}
    for row in snapshot.quotas:
        if row.resource is not Resource.GPU or row.model or row.guarantee <= row.used:
            continue
        for pool in [pool.id for pool in snapshot.pools if row.pool in {None, pool.id}]:
            key = row.group, pool
            left[key] = max(left.get(key, 0), row.guarantee - row.used)
    return left


def start_record_of(run: RunningWorkload, pool: PoolView) -> StartRecord:
    """Return the start of running work."""
    return StartRecord((run.group, run.user), total_gpu_milli(run, pool), run.started_at)
