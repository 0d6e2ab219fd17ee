"""The order by its words: call the best head again and again. Slow, and nothing to go wrong."""

from collections.abc import Iterable
from fractions import Fraction

from scheduler.core.model.entities import GroupId, PendingWorkload, UserId
from scheduler.core.model.request_cost import total_gpu_milli
from scheduler.core.ordering.fair_share_state import FairShareState

Rank = tuple[object, ...]


class _Line:
    """A queue of one member, or of a group whose children queue below it."""

    def __init__(self, group: GroupId, standing: FairShareState) -> None:
        self._group, self._standing = group, standing
        self._used = standing.used.get(group, 0)
        self._started = 0
        self.members: dict[UserId, list[PendingWorkload]] = {}
        self._member_use: dict[UserId, int] = {}
        self.children: dict[GroupId, _Line] = {}

    def head(self) -> PendingWorkload | None:
        heads = [(child.rank(), child.head()) for child in self.children.values() if child.head()]
        if heads:
            return min(heads, key=lambda pair: pair[0])[1]
        own = [(self._member_rank(user), queue[0]) for user, queue in self.members.items() if queue]
        return min(own, key=lambda pair: pair[0])[1] if own else None

    def rank(self) -> Rank:
        """Below guarantee, use over entitlement, age, id."""
        head = self.head()
        assert head is not None
        cost = _charge(head, self._standing)
        room = self._standing.guarantee_left.get((self._group, head.pool), 0)
        within = cost > 0 and self._started + cost <= room
        entitled = self._standing.entitled.get(self._group, 1)
        use = Fraction(self._used + self._started * self._standing.entry_penalty_s, entitled)
        return not within, use, head.submitted_at, head.id

    def _member_rank(self, user: UserId) -> Rank:
        head = self.members[user][0]
        used = self._standing.used_by_member.get((self._group, user), 0) + self._member_use.get(
            user, 0
        )
        return -head.priority, used, head.submitted_at, head.id

    def call(self, work: PendingWorkload) -> None:
        """Take the head out and charge everybody on its way."""
        cost = _charge(work, self._standing)
        self._started += cost
        for child in self.children.values():
            if child.head() is work:
                child.call(work)
                return
        self.members[work.user].pop(0)
        more = self._member_use.get(work.user, 0) + cost * self._standing.entry_penalty_s
        self._member_use[work.user] = more


def _charge(work: PendingWorkload, standing: FairShareState) -> int:
    return 0 if work.held else total_gpu_milli(work, standing.pools[work.pool])


def called_one_by_one(
    pending: Iterable[PendingWorkload], standing: FairShareState
) -> tuple[PendingWorkload, ...]:
    """Return the order of the work of one pool, of which all groups are leaves."""
    root = _Line(GroupId(""), standing)
    waiting = sorted(pending, key=lambda work: (-work.priority, work.submitted_at, work.id))
    for work in waiting:
        line = root
        for group in standing.paths[work.group]:
            line = line.children.setdefault(group, _Line(group, standing))
        line.members.setdefault(work.user, []).append(work)
    order = []
    while head := root.head():
        root.call(head)
        order.append(head)
    return tuple(order)
