"""Whether a request accepts a card: one row for each thing that it may ask for."""

import pytest

from scheduler.core.model.card_kind import (
    CardKind,
    describe_choice,
    device_memory_mib,
    is_card_suitable,
    is_memory_suitable,
    kind_of,
)
from scheduler.core.model.entities import Request
from scheduler.core.model.mig import MigProfileSpec
from tests.scheduler.core.tables import a_snapshot

SMALL = MigProfileSpec(name="1g.10gb", memory_mib=9984, compute=1, size=1, starts=(0, 1, 2, 3))
LARGE = MigProfileSpec(name="3g.40gb", memory_mib=40192, compute=3, size=4, starts=(0, 4))
PLAIN = CardKind("A", 32768)
MIG = CardKind("A", 81920, (SMALL, LARGE))
ABLE = CardKind("H", 81920, features=frozenset({"fp8", "bf16"}), bandwidth_gbps=3000)

Row = tuple[CardKind, Request, bool]

SUITABLE: dict[str, Row] = {
    "any card": (PLAIN, Request(gpus=1), True),
    "the model": (PLAIN, Request(gpus=1, gpu_models=frozenset({"A"})), True),
    "one of several models": (PLAIN, Request(gpus=1, gpu_models=frozenset({"A", "B"})), True),
    "another model": (PLAIN, Request(gpus=1, gpu_models=frozenset({"B"})), False),
    "just enough memory": (PLAIN, Request(gpus=1, gpu_memory_min_mib=32768), True),
    "too little memory": (PLAIN, Request(gpus=1, gpu_memory_min_mib=32769), False),
    "no more memory than a quota leaves": (
        *(PLAIN, Request(gpus=1, max_card_memory_mib=32768)),
        True,
    ),
    "more memory than a quota leaves": (PLAIN, Request(gpus=1, max_card_memory_mib=32767), False),
    "a feature": (ABLE, Request(gpus=1, gpu_features=frozenset({"fp8"})), True),
    "all features": (ABLE, Request(gpus=1, gpu_features=frozenset({"fp8", "bf16"})), True),
    "one feature too many": (ABLE, Request(gpus=1, gpu_features=frozenset({"fp8", "fp4"})), False),
    "no features at all": (PLAIN, Request(gpus=1, gpu_features=frozenset({"fp8"})), False),
    "just enough bandwidth": (ABLE, Request(gpus=1, gpu_bandwidth_min_gbps=3000), True),
    "too little bandwidth": (ABLE, Request(gpus=1, gpu_bandwidth_min_gbps=3001), False),
    "unknown bandwidth is none": (PLAIN, Request(gpus=1, gpu_bandwidth_min_gbps=1), False),
    "everything at once": (
        ABLE,
        Request(
            gpus=1,
            gpu_models=frozenset({"H"}),
            gpu_memory_min_mib=40000,
            gpu_features=frozenset({"fp8"}),
            gpu_bandwidth_min_gbps=2000,
        ),
        True,
    ),
    "a profile of its size": (MIG, Request(slices=1, mig_profile="1g.10gb"), True),
    "a larger profile of its size": (MIG, Request(slices=4, mig_profile="3g.40gb"), True),
    "a profile of another size": (MIG, Request(slices=2, mig_profile="1g.10gb"), False),
    "a profile that the card does not have": (MIG, Request(slices=1, mig_profile="1g.5gb"), False),
    "a profile on a card that is not cut": (
        *(PLAIN, Request(slices=1, mig_profile="1g.10gb")),
        False,
    ),
    "a card that is cut, without a profile": (MIG, Request(gpus=1), False),
    "a profile of another model": (
        MIG,
        Request(slices=1, mig_profile="1g.10gb", gpu_models=frozenset({"B"})),
        False,
    ),
}


@pytest.mark.parametrize("row", SUITABLE.values(), ids=SUITABLE)
def test_what_a_request_accepts(row: Row) -> None:
    card, request, expected = row

    assert is_card_suitable(card, request) is expected


MEMORY: dict[str, tuple[int, int, int, bool]] = {
    "any": (1, 0, 0, True),
    "the least": (100, 100, 0, True),
    "below the least": (99, 100, 0, False),
    "the most": (100, 0, 100, True),
    "above the most": (101, 0, 100, False),
    "between both": (100, 50, 150, True),
}


@pytest.mark.parametrize("row", MEMORY.values(), ids=MEMORY)
def test_memory_is_neither_too_small_nor_too_large(row: tuple[int, int, int, bool]) -> None:
    memory, least, most, expected = row
    request = Request(gpus=1, gpu_memory_min_mib=least, max_card_memory_mib=most)

    assert is_memory_suitable(memory, request) is expected


CHOICE: dict[str, tuple[Request, str]] = {
    "nothing": (Request(gpus=1), ""),
    "models by name": (Request(gpus=1, gpu_models=frozenset({"B", "A"})), "A, B"),
    "features by name": (
        Request(gpus=1, gpu_features=frozenset({"fp8", "bf16"})),
        "bf16 + fp8",
    ),
    "memory": (Request(gpus=1, gpu_memory_min_mib=40000), "≥ 40000 MiB"),
    "bandwidth": (Request(gpus=1, gpu_bandwidth_min_gbps=2000), "≥ 2000 GB/s"),
    "all": (
        Request(
            gpus=1,
            gpu_models=frozenset({"A"}),
            gpu_features=frozenset({"fp8"}),
            gpu_memory_min_mib=1,
            gpu_bandwidth_min_gbps=2,
        ),
        "A + fp8 + ≥ 1 MiB + ≥ 2 GB/s",
    ),
}


@pytest.mark.parametrize("row", CHOICE.values(), ids=CHOICE)
def test_choice_in_words(row: tuple[Request, str]) -> None:
    request, words = row

    assert describe_choice(request) == words


DEVICES: dict[str, tuple[CardKind, Request, int]] = {
    "a whole card": (PLAIN, Request(gpus=2), 32768),
    "an instance": (MIG, Request(slices=1, mig_profile="1g.10gb"), 9984),
    "a larger instance": (MIG, Request(slices=4, mig_profile="3g.40gb"), 40192),
    "an instance that the card does not have": (PLAIN, Request(slices=1, mig_profile="x"), 0),
}


@pytest.mark.parametrize("row", DEVICES.values(), ids=DEVICES)
def test_memory_of_one_device(row: tuple[CardKind, Request, int]) -> None:
    card, request, memory = row

    assert device_memory_mib(card, request) == memory


def test_cards_of_one_kind_are_equal_for_every_request() -> None:
    one, other, able = a_snapshot(
        nodes=["n1: 2 cards", "n2: 1 cards, features fp8, 900 GB/s, 81920 MiB"]
    ).accelerators

    assert kind_of(one) == kind_of(other) == CardKind("A", 32768)
    assert kind_of(able) == CardKind("A", 81920, (), frozenset({"fp8"}), 900)
