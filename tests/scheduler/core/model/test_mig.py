"""Partitions in hardware: nothing overlaps, nothing that fits is refused, the best place is taken."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from scheduler.core.model.mig import (
    MigProfileSpec,
    choose_slots,
    count_fitting,
    count_instances,
    count_usable_slices,
    find_smallest_profile,
    is_legal_placement,
    placements_of_profile,
    slot_mask,
)

H100 = (
    MigProfileSpec("1g.10gb", 9984, 1, 1, (0, 1, 2, 3, 4, 5, 6)),
    MigProfileSpec("1g.20gb", 19968, 1, 2, (0, 2, 4, 6)),
    MigProfileSpec("2g.20gb", 20096, 2, 2, (0, 2, 4)),
    MigProfileSpec("3g.40gb", 40448, 3, 4, (0, 4)),
    MigProfileSpec("4g.40gb", 40448, 4, 4, (0,)),
    MigProfileSpec("7g.80gb", 81152, 7, 8, (0,)),
)
A30 = (
    MigProfileSpec("1g.6gb", 5952, 1, 1, (0, 1, 2, 3)),
    MigProfileSpec("2g.12gb", 11968, 2, 2, (0, 2)),
    MigProfileSpec("4g.24gb", 24192, 4, 4, (0,)),
)
ALL = frozenset(range(8))
cards = st.sampled_from([(H100, 8, 7), (A30, 4, 4)])


def brute_force_count(profile: MigProfileSpec, free: int) -> int:
    """Try every set of places."""
    open_runs = [item for item in profile.runs if free & item == item]
    for size in range(len(open_runs), 0, -1):
        for chosen in combinations(open_runs, size):
            if sum(map(int.bit_count, chosen)) == int.bit_count(sum(chosen)):
                return size
    return 0


def test_count_and_best_place_equal_brute_force_on_every_state_of_a_card() -> None:
    for profiles, slices in ((H100, 8), (A30, 4)):
        for free in range(1 << slices):
            total = sum(brute_force_count(item, free) * item.size for item in profiles)
            assert count_usable_slices(profiles, free) == total
            for profile in profiles:
                assert count_instances(profile, free) == brute_force_count(profile, free)
                known = placements_of_profile(profiles, profile.name)
                assert known is not None
                left = [
                    count_usable_slices(profiles, free & ~item)
                    for item in profile.runs
                    if free & item == item
                ]
                assert (int(known.start[free]) >= 0) == bool(left)
                assert int(known.loss[free]) == (total - max(left) if left else 0)


@given(cards, st.data())
def test_partitions_come_and_go_without_ever_overlapping(
    card: tuple[tuple[MigProfileSpec, ...], int, int], data: st.DataObject
) -> None:
    profiles, slices, compute = card
    free = set(range(slices))
    held: list[tuple[str, tuple[int, ...]]] = []
    for _ in range(data.draw(st.integers(1, 24))):
        gives_back: bool = data.draw(st.booleans())
        if held and gives_back:
            _, slots = held.pop(data.draw(st.integers(0, len(held) - 1)))
            free |= set(slots)
            continue
        profile: MigProfileSpec = data.draw(st.sampled_from(profiles))
        slots = choose_slots(profiles, profile.name, free)
        could = any(set(range(s, s + profile.size)) <= free for s in profile.starts)
        assert bool(slots) == could
        assert bool(slots) == (count_fitting(profiles, profile.name, free) > 0)
        if slots:
            assert set(slots) <= free
            assert is_legal_placement(profiles, profile.name, slots)
            free -= set(slots)
            held.append((profile.name, slots))
        by_name = {item.name: item.compute for item in profiles}
        assert sum(by_name[name] for name, _ in held) <= compute


def test_the_place_that_leaves_most_is_taken() -> None:
    assert choose_slots(H100, "1g.10gb", ALL) == (6,)
    assert choose_slots(H100, "3g.40gb", ALL) == (4, 5, 6, 7)
    assert choose_slots(H100, "4g.40gb", range(4)) == (0, 1, 2, 3)
    assert choose_slots(H100, "2g.20gb", {0, 1, 2, 3, 6, 7}) in {(0, 1), (2, 3)}
    assert choose_slots(H100, "1g.20gb", {0, 1, 2, 3, 6, 7}) == (6, 7)
    assert choose_slots(H100, "4g.40gb", {1, 2, 3, 4, 5, 6, 7}) == ()
    assert choose_slots(A30, "1g.10gb", range(4)) == ()


def test_amounts_become_the_smallest_profile_that_has_them() -> None:
    def name(**asked: int) -> str | None:
        found = find_smallest_profile(H100, **asked)
        return None if found is None else found.name

    assert name(slices=1) == "1g.10gb"
    assert name(slices=2) == "1g.20gb"
    assert name(milli=200, mib=9000) == "2g.20gb"
    assert name(milli=100, mib=12_000) == "1g.20gb"
    assert name(slices=5) == "7g.80gb"
    assert name(mib=90_000) is None
    assert slot_mask({0, 2}) == 0b101
