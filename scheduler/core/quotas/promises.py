"""Promises: what must stay free for other groups, and how much that leaves to one group.

A promise is made to a group whether it uses it or not. In one pool other groups may hold what is left
once every unused promise is set aside:

    available(g) = capacity − Σ max(promised, held)        over everything beside g

Over all pools together the same holds, with one thing more: what a pool promises a group and the group
does not hold there is set aside in that pool. So over all pools a group counts with what it has `taken`,
which is what each pool keeps for it and what it has borrowed, and with its promise over all pools if
that is more.

Both are one walk up the group tree. At each level as much is kept for a group as the most of its
promise, of what it has taken, and of what is kept for its children together. A start or an end changes
a few numbers at each level. Where promises exceed what there is they are cut in proportion.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from scheduler.core.model.entities import GroupId, PoolId
from scheduler.core.model.resources import Resource, Resources
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.undo_log import UndoLog
from scheduler.core.quotas.demand import Scope, ScopeResource, scope_capacities
from scheduler.core.quotas.division import GroupDemand, divide_fairly
from scheduler.core.quotas.group_tree import ROOT, GroupPath, GroupTree, group_paths
from scheduler.core.quotas.terms import sum_terms

_Promised = Mapping[GroupId, int]
Changes = list[int]
"""By how much more is kept for each group of a path, from its end up."""


@dataclass(slots=True)
class _PromiseAccount:
    """The numbers of a scope, each by group with all groups below it."""

    held: dict[GroupId, int] = field(default_factory=lambda: defaultdict(int))
    taken: dict[GroupId, int] = field(default_factory=lambda: defaultdict(int))
    """What single pools keep for it, and what it has borrowed; in one pool, the same as `held`."""
    below: dict[GroupId, int] = field(default_factory=lambda: defaultdict(int))
    """What is kept for its children, and what its own work holds."""
    kept: dict[GroupId, int] = field(default_factory=lambda: defaultdict(int))

    def copy(self) -> "_PromiseAccount":
        """Return an independent copy."""
        tables = (self.held, self.taken, self.below, self.kept)
        return _PromiseAccount(*(defaultdict(int, table) for table in tables))


class PromiseLine:
    """What is promised of one resource in one scope, and what is held of it; writes can be undone."""

    def __init__(
        self,
        where: ScopeResource,
        capacity: int,
        promised: _Promised,
        tree: GroupTree,
        *,
        undo_log: UndoLog,
        of_pools: "Mapping[PoolId, PromiseLine]" = MappingProxyType({}),
    ) -> None:
        """Begin with nothing held. Over all pools, `of_pools` are the lines of the single pools."""
        self.scope: Final[Scope] = where[0]
        self.resource: Final = where[1]
        self._capacity = capacity
        self.promised: Final = promised
        self._undo_log = undo_log
        self._of_pools = of_pools
        self._now = _PromiseAccount()
        if not of_pools:
            self._now.taken = self._now.held
        for group in tree.bottom_up:
            taken = sum(line.kept(group) for line in self._of_pools.values())
            below = sum(self._now.kept[child] for child in tree.children.get(group, ()))
            self._now.taken[group], self._now.below[group] = taken, below
            self._now.kept[group] = max(promised.get(group, 0), taken, below)
        self._now.below[ROOT] = sum(self._now.kept[top] for top in tree.children.get(ROOT, ()))
        self._empty = self._now.copy()

    def count(self, path: GroupPath, amount: int, changes: "Changes | None" = None) -> "Changes":
        """Count so much more as held by the group at the end of the path; less if negative.

        Over all pools, `changes` is by how much more is kept for each group of the path, from its
        end up, in the pool itself; None where nothing there is filled or kept. Returns the same
        for this line.
        """
        write, now, more = self._undo_log.write, self._now, amount
        kept_more: list[int] = []
        for level, group in enumerate(reversed(path)):
            write(now.held, group, now.held[group] + amount)
            if self._of_pools:
                taken = amount if changes is None else changes[level]
                write(now.taken, group, now.taken[group] + taken)
            if more:
                write(now.below, group, now.below[group] + more)
            kept = max(self.promised.get(group, 0), now.taken[group], now.below[group])
            more = kept - now.kept[group]
            kept_more.append(more)
            if more:
                write(now.kept, group, kept)
        write(now.held, ROOT, now.held[ROOT] + amount)
        if more:
            write(now.below, ROOT, now.below[ROOT] + more)
        return kept_more

    def kept(self, group: GroupId) -> int:
        """Return what the group and all below it hold, or is kept for them."""
        return self._now.kept[group]

    def held(self, group: GroupId) -> int:
        """Return what the group and all below it hold."""
        return self._now.held[group]

    def available(self, path: GroupPath, pool: PoolId, *, borrowed: bool = False) -> int:
        """Return how much more of this pool's, or of borrowed cards, the group may hold.

        It is negative where more is held than promises allow. What a pool is short of itself is not
        kept in the others, which could not make up for it.
        """
        short = sum(line.shortage for line in self._of_pools.values())
        return self._capacity + short - self._beside(self._now, path, None if borrowed else pool)

    @property
    def shortage(self) -> int:
        """How much more is held, or kept for groups, than there is."""
        return max(self._now.below[ROOT] - self._capacity, 0)

    def is_set_aside(self, path: GroupPath, pool: PoolId, *, borrowed: bool = False) -> bool:
        """Return whether anything that nobody holds is kept, which this group may not use here."""
        beside = self._beside(self._now, path, None if borrowed else pool)
        return beside > self._now.held[ROOT]

    def most_available(self, path: GroupPath, pool: PoolId) -> int:
        """Return what the group could hold if no other group held more than its promise."""
        return self._capacity - self._beside(self._empty, path, pool)

    def _beside(self, account: _PromiseAccount, path: GroupPath, pool: PoolId | None) -> int:
        """Return what is held by, or kept for, everything beside one more start of the group.

        A start of `x` leaves `max(kept of all now, beside + x)` in all. On the way up the tree this
        form stays: what the start adds at one level is what exceeds the slack of that level.
        """
        line = None if pool is None else self._of_pools.get(pool)
        slacks = None if line is None else line.slacks(path, at_first=account is self._empty)
        return self._walk(account, path, slacks)[-1]

    def slacks(self, path: GroupPath, *, at_first: bool) -> list[int]:
        """Return how much a start could take without more being kept, at each level of the path.

        The levels are from its end up; `at_first` is before anything was held.
        """
        account = self._empty if at_first else self._now
        beside = self._walk(account, path, None)
        return [account.kept[group] - beside[level] for level, group in enumerate(reversed(path))]

    def _walk(
        self, account: _PromiseAccount, path: GroupPath, slacks: list[int] | None
    ) -> list[int]:
        """Return what is kept beside a start inside each group of the path, from its end up; then in all."""
        beside, found = account.below[path[-1]], []
        for level, group in enumerate(reversed(path)):
            slack = 0 if slacks is None else slacks[level]
            beside = max(beside, account.taken[group] - slack)
            found.append(beside)
            parent = path[-level - 2] if level + 1 < len(path) else ROOT
            beside += account.below[parent] - account.kept[group]
        return [*found, beside]


_Lines = Mapping[ScopeResource, PromiseLine]


class PromiseBook:
    """The lines of every scope in which one kind of promise is made, and what is held of them."""

    def __init__(self, lines: _Lines) -> None:
        """Take the lines, one of each scope and resource."""
        self._over: dict[PoolId, tuple[PromiseLine, ...]] = {}
        self._everywhere = tuple(line for (scope, _), line in lines.items() if scope is None)
        self._of_pool: defaultdict[PoolId, tuple[PromiseLine, ...]] = defaultdict(tuple)
        for (scope, _), line in lines.items():
            if scope is not None:
                self._of_pool[scope] += (line,)

    def lines_over(self, pool: PoolId) -> tuple[PromiseLine, ...]:
        """Return the lines that count the work of a pool: those over all pools, then its own."""
        if pool not in self._over:
            self._over[pool] = self._everywhere + self._of_pool.get(pool, ())
        return self._over[pool]

    def over_all_pools(self) -> tuple[PromiseLine, ...]:
        """Return the lines over all pools."""
        return self._everywhere

    def count(
        self, path: GroupPath, pool: PoolId, at_home: Resources, borrowed: Resources, times: int
    ) -> None:
        """Count what work of this pool holds there and on other pools' cards; `times` may be -1."""
        changes: dict[Resource, Changes] = {}
        for line in self._of_pool.get(pool, ()):
            if amount := at_home.get(line.resource) * times:
                changes[line.resource] = line.count(path, amount)
        for line in self._everywhere:
            if amount := at_home.get(line.resource) * times:
                line.count(path, amount, changes.get(line.resource))
            if amount := borrowed.get(line.resource) * times:
                line.count(path, amount)


def build_promise_books(snapshot: Snapshot, undo_log: UndoLog) -> tuple[PromiseBook, PromiseBook]:
    """Return the books of what is guaranteed, and of what is deserved; nothing is held yet.

    The first is kept free of all other work, the second of work that cannot be preempted.
    """
    if not any(row.guarantee or row.deserved for row in snapshot.quotas):
        return PromiseBook({}), PromiseBook({})
    build = _BookBuilder(snapshot, undo_log)
    guaranteed = build.lines_of("guarantee", {})
    return PromiseBook(guaranteed), PromiseBook(build.lines_of("deserved", guaranteed))


class _BookBuilder:
    """Builds the lines of one kind of promise, with all of them cut to what can be kept.

    Where promises exceed the capacity they are cut in proportion, down the tree. Otherwise a broken
    node would leave nothing to anyone.
    """

    def __init__(self, snapshot: Snapshot, undo_log: UndoLog) -> None:
        self._snapshot, self._undo_log = snapshot, undo_log
        self._tree = GroupTree.of(group_paths(snapshot))
        self._terms = sum_terms(snapshot, self._tree)
        self._capacities = scope_capacities(snapshot)

    def lines_of(self, kind: str, first: _Lines) -> _Lines:
        """Return the lines of every scope in which something is promised.

        `kind` is a column of the quotas. What is promised `first`, a part of it, is cut last.
        """
        lines: dict[ScopeResource, PromiseLine] = {}
        for (pool, resource), terms in sorted(self._terms.items(), key=_pools_before_all):
            ahead = first.get((pool, resource))
            before = ahead.promised if ahead else {}
            of_pools: Mapping[PoolId, PromiseLine] = {}
            promised: _Promised = {group: int(getattr(each, kind)) for group, each in terms.items()}
            if pool is None:
                of_pools = {
                    at: line for (at, each), line in lines.items() if at and each is resource
                }
                promised = self._over_all_pools(kind, resource, of_pools)
                before = {
                    group: max(before.get(group, 0), _in_pools(of_pools, group))
                    for group in promised
                }
            if any(promised.values()):
                capacity = self._capacities.get((pool, resource), 0)
                kept = _cut_to(capacity, promised, before, self._tree)
                lines[pool, resource] = PromiseLine(
                    *((pool, resource), capacity, kept, self._tree),
                    undo_log=self._undo_log,
                    of_pools=of_pools,
                )
        return lines

    def _over_all_pools(
        self, kind: str, resource: Resource, of_pools: Mapping[PoolId, PromiseLine]
    ) -> _Promised:
        """Return what is promised over all pools: at least what can be kept of the pools' promises."""
        own = {
            row.group: max(int(getattr(row, kind)), row.guarantee)
            for row in self._snapshot.quotas
            if row.pool is None and row.resource is resource and not row.model
        }
        promised: dict[GroupId, int] = {}
        for group in self._tree.bottom_up:
            below = sum(promised[child] for child in self._tree.children.get(group, ()))
            promised[group] = max(own.get(group, 0), below, _in_pools(of_pools, group))
        return promised


def _pools_before_all(item: tuple[ScopeResource, object]) -> tuple[bool, str, str]:
    pool, resource = item[0]
    return pool is None, pool or "", resource


def _in_pools(of_pools: Mapping[PoolId, PromiseLine], group: GroupId) -> int:
    return sum(line.promised.get(group, 0) for line in of_pools.values())


def _cut_to(capacity: int, promised: _Promised, first: _Promised, tree: GroupTree) -> _Promised:
    """Return the promises that can be kept together."""
    kept: dict[GroupId, int] = {}
    parts = {ROOT: capacity}
    for parent in (ROOT, *reversed(tree.bottom_up)):
        demands = [
            GroupDemand(
                group,
                requested=promised[group],
                guarantee=min(first.get(group, 0), promised[group]),
                deserved=promised[group],
            )
            for group in tree.children.get(parent, ())
        ]
        found = divide_fairly(parts[parent], demands)
        kept.update(found)
        parts.update(found)
    return kept
