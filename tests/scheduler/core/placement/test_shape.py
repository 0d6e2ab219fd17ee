"""Shapes without a meaning are refused; what is just allowed is kept."""

import pytest

from scheduler.core.placement.shape import Shape

SOUND: dict[str, tuple[dict[str, int], int]] = {
    "nothing": ({}, 0),
    "CPU only": ({"cpu_milli": 1000}, 0),
    "whole cards": ({"gpus": 3}, 3000),
    "the least share": ({"gpu_milli": 1}, 1),
    "the most of a share": ({"gpu_milli": 999}, 999),
}


@pytest.mark.parametrize("row", SOUND.values(), ids=SOUND)
def test_thousandths_of_cards_of_a_shape(row: tuple[dict[str, int], int]) -> None:
    amounts, total = row

    assert Shape(**amounts).total_milli == total


REFUSED: dict[str, dict[str, int]] = {
    "a whole card as a share": {"gpu_milli": 1000},
    "cards and a share": {"gpus": 1, "gpu_milli": 1},
    "negative cards": {"gpus": -1},
    "a negative share": {"gpu_milli": -1},
    "negative memory of a share": {"gpu_memory_mib": -1},
    "negative CPU": {"cpu_milli": -1},
    "negative memory": {"memory_mib": -1},
    "a negative least memory": {"min_card_memory_mib": -1},
    "a negative most memory": {"max_card_memory_mib": -1},
    "a negative bandwidth": {"min_bandwidth_gbps": -1},
}


@pytest.mark.parametrize("amounts", REFUSED.values(), ids=REFUSED)
def test_refused(amounts: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="request"):
        Shape(**amounts)
