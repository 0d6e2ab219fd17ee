"""Soft constraints: among the rooms that could take the work, which one should.

A score compares a room before and after the work moved in; the least one wins.
"""

from scheduler.core.entities import Request
from scheduler.core.room import Room

Score = tuple[int, int, int]


def score(request: Request, before: Room, after: Room) -> Score:
    """Prefer to open no untouched card, then the tightest fit, then the node with most idle CPU.

    The tightest fit keeps large gaps large: a node that is left with no free card is better than
    one left with three, and a card left with no free slice is better than one left with seven.
    """
    if request.slices == 0:
        return 0, len(after.whole_cards()), -after.cpu
    pairs = zip(before.cards, after.cards, strict=True)
    changed = [(was, now) for was, now in pairs if was != now]
    opened = sum(was.untouched for was, _ in changed)
    left = sum(len(now.free) for _, now in changed)
    return opened, left, -after.cpu
