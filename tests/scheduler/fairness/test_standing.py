"""The standing that is shown is the order that decides."""

from hypothesis import given
from hypothesis import strategies as st

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import GroupId
from scheduler.core.ordering.fair_share_state import FairShareState
from scheduler.core.ordering.queue_order import sort_queue
from scheduler.core.ordering.standing import rank_groups, rank_members
from tests.scheduler.scenario import snapshot_of

NAMES = ("a", "b", "c", "d")

amounts = st.integers(0, 10**7)


@given(
    st.lists(amounts, min_size=4, max_size=4), st.lists(st.integers(0, 4), min_size=4, max_size=4)
)
def test_groups_and_members_stand_as_their_work_is_ordered(
    used: list[int], deserved: list[int]
) -> None:
    snapshot = snapshot_of(
        {
            "nodes": ["n1: 8 cards", "n2: 8 cards"],
            "groups": list(NAMES),
            "quotas": [
                f"{name}: deserved {cards} cards"
                for name, cards in zip(NAMES, deserved, strict=True)
            ],
            "usage": [
                f"li of {name}: {amount} card-seconds"
                for name, amount in zip(NAMES, used, strict=True)
            ],
            "waiting": [f"w-{name}: 1 cards by li of {name}" for name in NAMES],
        }
    )
    state = FairShareState.from_snapshot(snapshot)
    standing = rank_groups(state)
    ledger = Ledger(snapshot)

    queue = sort_queue(ledger.pending.values(), ledger.fair_share_state())

    positions = [standing[work.group].position for work in queue]
    assert positions == sorted(positions)
    assert {row.siblings for name, row in standing.items() if name in NAMES} == {4}


def test_a_group_inside_its_guarantee_is_named_and_members_stand_by_use() -> None:
    snapshot = snapshot_of(
        {
            "nodes": ["n1: 8 cards"],
            "groups": ["lab"],
            "quotas": ["lab: guarantee 2 cards, deserved 2 cards"],
            "usage": ["li of lab: 3600 card-seconds", "wang of lab: 60 card-seconds"],
        }
    )
    state = FairShareState.from_snapshot(snapshot)

    assert rank_groups(state)[GroupId("lab")].is_below_guarantee
    members = {user: row for (_, user), row in rank_members(state).items()}
    assert (members["wang"].position, members["li"].position) == (1, 2)  # type: ignore[index]
