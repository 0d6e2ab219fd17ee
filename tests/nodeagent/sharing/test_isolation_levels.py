"""Which isolation a share gets: never less than demanded, never two kinds on one card."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodeagent.sharing.grants import grants_by_card
from nodeagent.sharing.isolation_levels import (
    LEVELS,
    CardIsolation,
    IsolationUnavailableError,
    choose_isolation,
    levels_at_least,
    weakest_isolation,
)
from wire.words import Device, Isolation

modes = st.sampled_from(list(Isolation))
offers = st.sets(modes)


def test_isolation_levels_are_those_of_the_wire() -> None:
    names = ("exclusive", "mig", "cgroup", "hami", "mps", "timeslice")
    assert tuple(mode.value for mode in LEVELS) == names


def test_strongest_of_what_is_there_is_chosen() -> None:
    card = CardIsolation("GPU-1", {Isolation.TIMESLICE, Isolation.CGROUP, Isolation.EXCLUSIVE})
    assert choose_isolation(card, Isolation.TIMESLICE, is_whole=False) is Isolation.CGROUP


def test_weaker_than_demanded_is_refused_in_words() -> None:
    card = CardIsolation("GPU-1", {Isolation.MPS, Isolation.TIMESLICE})
    with pytest.raises(IsolationUnavailableError, match="enforces mps, timeslice; demanded is cgr"):
        choose_isolation(card, Isolation.CGROUP, is_whole=False)


@given(offered=offers, in_use=offers, required=st.none() | modes)
def test_never_silently_less_and_never_mixed(
    offered: set[Isolation], in_use: set[Isolation], required: Isolation | None
) -> None:
    try:
        mode = choose_isolation(CardIsolation("GPU-1", offered, in_use), required, is_whole=False)
    except IsolationUnavailableError:
        return
    assert mode in offered
    assert mode in levels_at_least(required)
    assert not in_use or mode in in_use


def test_whole_card_needs_no_mode_but_not_one_that_is_divided_by_mig() -> None:
    assert choose_isolation(CardIsolation("GPU-1", ()), None, is_whole=True) is Isolation.EXCLUSIVE
    with pytest.raises(IsolationUnavailableError, match="cut"):
        choose_isolation(CardIsolation("GPU-1", {Isolation.MIG}), None, is_whole=True)


def test_simulated_card_enforces_what_is_asked_of_it() -> None:
    card = CardIsolation("SIM-1", (), is_simulated=True)
    for mode in (Isolation.MIG, Isolation.HAMI, Isolation.TIMESLICE):
        assert choose_isolation(card, mode, is_whole=False) is mode


def test_container_can_count_on_the_weakest_of_its_cards() -> None:
    assert weakest_isolation([Isolation.EXCLUSIVE, Isolation.MPS]) is Isolation.MPS
    assert weakest_isolation([]) is None


def test_slots_of_one_card_are_one_grant() -> None:
    devices = (
        Device(
            "GPU-1",
            4096,
            slot=2,
            slices=8,
            ceiling_mib=8192,
            compute_milli=125,
            isolation=Isolation.MPS,
        ),
        Device("GPU-1", 4096, slices=8, compute_milli=125, isolation=Isolation.CGROUP),
        Device("GPU-2", 81920),
    )
    shared, whole = grants_by_card(devices)
    assert (shared.slots, shared.memory_mib, shared.ceiling_mib) == ((0, 2), 8192, 12288)
    assert (shared.compute_pct, shared.required) == (25, Isolation.CGROUP)
    assert (whole.is_whole, whole.compute_pct, whole.required) == (True, 100, None)
