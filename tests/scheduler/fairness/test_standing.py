"""The standing that is shown is the order that decides."""

from hypothesis import given
from hypothesis import strategies as st

from scheduler.core.ledger import Ledger
from scheduler.core.model.entities import GroupId, UserId
from scheduler.core.ordering.fair_share_state import FairShareState, divide_use
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
    members = rank_members(state, {GroupId("lab")})[GroupId("lab")]
    assert (members[UserId("wang")].position, members[UserId("li")].position) == (1, 2)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_equal_use_shares_a_position(used: list[int]) -> None:
    users = [f"user-{number}" for number in range(len(used))]
    snapshot = snapshot_of(
        {
            "nodes": ["n1: 8 cards"],
            "groups": ["lab", *users],
            "quotas": [f"{user}: deserved 1 cards" for user in users],
            "usage": [
                f"{user} of {group}: {amount} card-seconds"
                for user, amount in zip(users, used, strict=True)
                for group in ("lab", user)
            ],
        }
    )
    state = FairShareState.from_snapshot(snapshot)
    members, groups = rank_members(state, {GroupId("lab")})[GroupId("lab")], rank_groups(state)
    against = {
        group: divide_use(state.used.get(group, 0), state.entitled[group]) for group in groups
    }

    assert [members[UserId(user)].position for user in users] == [
        1 + sum(other < amount for other in used) for amount in used
    ]
    assert {group: row.position for group, row in groups.items()} == {
        group: 1 + sum(other < rank for other in against.values())
        for group, rank in against.items()
    }


def test_groups_stand_among_those_with_the_same_parent_and_members_in_their_group() -> None:
    state = FairShareState.from_snapshot(
        snapshot_of(
            {
                "nodes": ["n1: 8 cards"],
                "groups": ["east", "vision: in east", "speech: in east", "west", "law: in west"],
                "usage": ["li of vision: 3600 card-seconds", "wu of law: 60 card-seconds"],
            }
        )
    )

    groups = rank_groups(state)

    assert {name: row.siblings for name, row in groups.items()} == {
        "east": 2,
        "west": 2,
        "vision": 2,
        "speech": 2,
        "law": 1,
    }
    assert {name: row.position for name, row in groups.items()} == {
        "east": 2,
        "west": 1,
        "vision": 2,
        "speech": 1,
        "law": 1,
    }
    assert {name: row.used_gpu_s for name, row in groups.items()} == {
        "east": 3600,
        "west": 60,
        "vision": 3600,
        "speech": 0,
        "law": 60,
    }
    members = rank_members(state, {GroupId("vision"), GroupId("speech")})
    assert set(members) == {"vision"}
    (li,) = members[GroupId("vision")].values()
    assert (li.used_gpu_s, li.position, li.members) == (3600, 1, 1)
