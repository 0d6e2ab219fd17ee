"""Where every group and every member stands before anybody is called: use against entitlement.

Use is decayed card time in thousandths of a card-second. Work that runs counts at least the entry
penalty, so that a burst cannot win before it is measured.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from scheduler.core.model.entities import (
    GroupId,
    Millis,
    PendingWorkload,
    PoolId,
    PoolView,
    RunningWorkload,
    UserId,
    gpu_milli_per_replica,
)
from scheduler.core.model.resources import Resource
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.quotas.fair_share import FairShares, GroupPath, group_paths


class StartRecord(NamedTuple):
    """A start, as the entry penalty sees it."""

    member: tuple[GroupId, UserId]
    gpu_milli: int
    """Milli-cards of all replicas."""
    started_at: Millis | None


@dataclass(frozen=True, slots=True)
class FairShareState:
    """What the line is formed by; made once for each cycle."""

    pools: Mapping[PoolId, PoolView]
    paths: Mapping[GroupId, GroupPath]
    used: Mapping[GroupId, int]
    """Decayed use in milli-card-seconds of the group and everybody below it."""
    used_by_member: Mapping[tuple[GroupId, UserId], int]
    """The same of one member in one leaf group."""
    entitled: Mapping[GroupId, int]
    """Milli-cards that use is compared with; at least 1."""
    guarantee_left: Mapping[tuple[GroupId, PoolId], int]
    """Milli-cards that the group may still start inside its guarantee; absent without one."""
    entry_penalty_s: int
    """Charged for every start, in seconds of what it takes."""

    @classmethod
    def from_snapshot(
        cls,
        snapshot: Snapshot,
        entitled: Mapping[GroupId, int] | None = None,
        entries: Iterable[StartRecord] | None = None,
    ) -> "FairShareState":
        """Read the standing of every group at `snapshot.taken_at`.

        `entitled` is what `entitlements` returned for the same quotas and cards, `entries` are those
        of the running work that may still be charged the entry penalty: by default, of all of it.
        """
        pools = {pool.id: pool for pool in snapshot.pools}
        paths = group_paths(snapshot)
        if entries is None:
            entries = [start_record_of(run, pools[run.pool]) for run in snapshot.running]
        used_by = _used_by(snapshot, entries)
        used: Counter[GroupId] = Counter()
        for (leaf, _), amount in used_by.items():
            for group in paths.get(leaf, (leaf,)):
                used[group] += amount
        return cls(
            pools=pools,
            paths=paths,
            used=used,
            used_by_member=used_by,
            entitled=compute_entitlements(snapshot) if entitled is None else entitled,
            guarantee_left=_guaranteed(snapshot),
            entry_penalty_s=snapshot.fair_share.entry_penalty_s,
        )


def _used_by(
    snapshot: Snapshot, entries: Iterable[StartRecord]
) -> Mapping[tuple[GroupId, UserId], int]:
    """Return measured use, with the rest of the entry penalty of what started lately."""
    used: dict[tuple[GroupId, UserId], int] = defaultdict(int)
    for row in snapshot.usage:
        used[row.group, row.user] += row.gpu_seconds * 1000
    now, penalty_s = snapshot.taken_at, snapshot.fair_share.entry_penalty_s
    for member, cards, started_at in entries:
        if started_at is None or started_at >= now:
            used[member] += cards * penalty_s
        elif (rest_s := penalty_s - (now - started_at) // 1000) > 0:
            used[member] += cards * rest_s
    return used


def compute_entitlements(snapshot: Snapshot) -> Mapping[GroupId, int]:
    """Return the milli-cards that each group stands for, in all pools together; at least 1.

    What it deserves, and its part by weight of what nobody deserves. Depends on quotas and cards
    only, so a ledger that lives on computes it once.
    """
    shares = FairShares.entitlements(snapshot)
    entitled = dict.fromkeys(shares.paths, 0)
    for (_, resource), line in shares.shares.items():
        if resource is Resource.GPU:
            for group, share in line.items():
                entitled[group] += share.fair_share
    return {group: max(amount, 1) for group, amount in entitled.items()}


def _guaranteed(snapshot: Snapshot) -> Mapping[tuple[GroupId, PoolId], int]:
    room: dict[tuple[GroupId, PoolId], int] = {}
    for row in snapshot.quotas:
        if row.resource is not Resource.GPU or row.guarantee <= row.used:
            continue
        for pool in [pool.id for pool in snapshot.pools if row.pool in {None, pool.id}]:
            key = row.group, pool
            room[key] = max(room.get(key, 0), row.guarantee - row.used)
    return room


def start_record_of(run: RunningWorkload, pool: PoolView) -> StartRecord:
    """Return the start of running work."""
    return StartRecord((run.group, run.user), total_gpu_milli(run, pool), run.started_at)


def total_gpu_milli(work: PendingWorkload | RunningWorkload, pool: PoolView) -> int:
    """Return the milli-cards of all replicas; work without cards counts as a thousandth of one."""
    return gpu_milli_per_replica(work.request, pool) * work.request.replicas or 1
