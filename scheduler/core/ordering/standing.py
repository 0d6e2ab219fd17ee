"""Standing in fair share: each group among its siblings, each member in its group.

Taken from the state that orders the queue, by the same comparison, so that what a page shows is what
decides. Priority, age and guarantees come besides: they depend on the work that waits.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from scheduler.core.model.entities import GroupId, UserId
from scheduler.core.ordering.fair_share_state import FairShareState, divide_use


@dataclass(frozen=True, slots=True)
class GroupStanding:
    """A group among the groups with the same parent."""

    used_gpu_s: int
    """Decayed use, with what the entry penalty still adds."""
    charged_gpu_s: int
    """As much of it as is that penalty."""
    entitled_gpu_milli: int
    position: int
    """1 goes first; groups of equal use share a position."""
    siblings: int
    """Groups with the same parent, itself among them."""
    is_below_guarantee: bool
    """Whether its next work goes first as far as its guarantee covers it."""


@dataclass(frozen=True, slots=True)
class MemberStanding:
    """A member among those of the same group who have used anything."""

    used_gpu_s: int
    charged_gpu_s: int
    position: int
    members: int


def rank_groups(state: FairShareState) -> Mapping[GroupId, GroupStanding]:
    """Return the standing of every group."""
    guaranteed = {group for group, _ in state.guarantee_left}
    siblings: dict[tuple[GroupId, ...], list[GroupId]] = defaultdict(list)
    for group, path in state.paths.items():
        siblings[path[:-1]].append(group)
    found = {}
    for groups in siblings.values():
        ranks = {
            group: divide_use(state.used.get(group, 0), state.entitled.get(group, 1))
            for group in groups
        }
        ranked = sorted(ranks.values())
        for group, rank in ranks.items():
            found[group] = GroupStanding(
                used_gpu_s=state.used.get(group, 0) // 1000,
                charged_gpu_s=state.charged.get(group, 0) // 1000,
                entitled_gpu_milli=state.entitled.get(group, 1),
                position=1 + bisect_left(ranked, rank),
                siblings=len(groups),
                is_below_guarantee=group in guaranteed,
            )
    return found


def rank_members(
    state: FairShareState, groups: Collection[GroupId]
) -> Mapping[GroupId, Mapping[UserId, MemberStanding]]:
    """Return the standing of every member of these groups who has used anything recently, by group."""
    by_group: dict[GroupId, dict[UserId, int]] = defaultdict(dict)
    for (group, user), used in state.used_by_member.items():
        if group in groups:
            by_group[group][user] = used
    return {group: _rank(state, group, members) for group, members in by_group.items()}


def _rank(
    state: FairShareState, group: GroupId, members: Mapping[UserId, int]
) -> Mapping[UserId, MemberStanding]:
    ranked = sorted(members.values())
    return {
        user: MemberStanding(
            used_gpu_s=used // 1000,
            charged_gpu_s=state.charged_by_member.get((group, user), 0) // 1000,
            position=1 + bisect_left(ranked, used),
            members=len(members),
        )
        for user, used in members.items()
    }
