"""Where every group and every member stands before anybody is called: use against entitlement.

Use is decayed card time in thousandths of a card-second. Work that runs counts at least the entry
penalty, so that a burst cannot win before it is measured.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from scheduler.core.entities import (
    GroupId,
    PendingWorkload,
    PoolId,
    PoolView,
    RunningWorkload,
    UserId,
    milli_cards,
)
from scheduler.core.resources import Resource
from scheduler.core.shares import Path, Shares, paths_of
from scheduler.core.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Standing:
    """What the line is formed by; made once for each cycle."""

    pools: Mapping[PoolId, PoolView]
    paths: Mapping[GroupId, Path]
    used: Mapping[GroupId, int]
    """Decayed use in milli-card-seconds of the group and everybody below it."""
    used_by: Mapping[tuple[GroupId, UserId], int]
    """The same of one member in one leaf group."""
    entitled: Mapping[GroupId, int]
    """Milli-cards that use is compared with; at least 1."""
    guaranteed: Mapping[tuple[GroupId, PoolId], int]
    """Milli-cards that the group may still start inside its guarantee; absent without one."""
    penalty_s: int
    """Charged for every start, in seconds of what it takes."""

    @classmethod
    def of(cls, snapshot: Snapshot, entitled: Mapping[GroupId, int] | None = None) -> "Standing":
        """Read the standing of every group at `snapshot.taken_at`.

        `entitled` is what `entitlements` returned for the same quotas and cards.
        """
        pools = {pool.id: pool for pool in snapshot.pools}
        paths = paths_of(snapshot)
        used_by = _used_by(snapshot, pools)
        used: Counter[GroupId] = Counter()
        for (leaf, _), amount in used_by.items():
            for group in paths.get(leaf, (leaf,)):
                used[group] += amount
        return cls(
            pools=pools,
            paths=paths,
            used=used,
            used_by=used_by,
            entitled=entitlements(snapshot) if entitled is None else entitled,
            guaranteed=_guaranteed(snapshot),
            penalty_s=snapshot.fair_share.entry_penalty_s,
        )


def _used_by(
    snapshot: Snapshot, pools: Mapping[PoolId, PoolView]
) -> Mapping[tuple[GroupId, UserId], int]:
    """Return measured use, with the rest of the entry penalty of what started lately."""
    used: Counter[tuple[GroupId, UserId]] = Counter()
    for row in snapshot.usage:
        used[row.group, row.user] += row.card_seconds * 1000
    penalty_s = snapshot.fair_share.entry_penalty_s
    for run in snapshot.running:
        started = snapshot.taken_at if run.started_at is None else run.started_at
        rest_s = penalty_s - max(snapshot.taken_at - started, 0) // 1000
        if rest_s > 0:
            used[run.group, run.user] += cards_of(run, pools[run.pool]) * rest_s
    return used


def entitlements(snapshot: Snapshot) -> Mapping[GroupId, int]:
    """Return the milli-cards that each group stands for, in all pools together; at least 1.

    What it deserves, and its part by weight of what nobody deserves. Depends on quotas and cards
    only, so a ledger that lives on computes it once.
    """
    shares = Shares.entitlements(snapshot)
    entitled = dict.fromkeys(shares.paths, 0)
    for (_, resource), line in shares.numbers.items():
        if resource is Resource.GPU:
            for group, share in line.items():
                entitled[group] += share.fair
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


def cards_of(work: PendingWorkload | RunningWorkload, pool: PoolView) -> int:
    """Return the milli-cards of all replicas; work without cards counts as a thousandth of one."""
    return milli_cards(work.request, pool) * work.request.replicas or 1
