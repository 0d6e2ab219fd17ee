"""Shapes without a meaning are refused; what is just allowed is kept."""

from collections.abc import Callable

import pytest

from scheduler.core.placement.shape import Shape

SOUND: dict[str, tuple[Shape, int]] = {
    "nothing": (Shape(), 0),
    "CPU only": (Shape(cpu_milli=1000), 0),
    "whole cards": (Shape(gpus=3), 3000),
    "the least share": (Shape(gpu_milli=1), 1),
    "the most of a share": (Shape(gpu_milli=999), 999),
}


@pytest.mark.parametrize("row", SOUND.values(), ids=SOUND)
def test_thousandths_of_cards_of_a_shape(row: tuple[Shape, int]) -> None:
    shape, total = row

    assert shape.total_milli == total


REFUSED: dict[str, Callable[[], Shape]] = {
    "a whole card as a share": lambda: Shape(gpu_milli=1000),
    "cards and a share": lambda: Shape(gpus=1, gpu_milli=1),
    "negative cards": lambda: Shape(gpus=-1),
    "a negative share": lambda: Shape(gpu_milli=-1),
    "negative memory of a share": lambda: Shape(gpu_memory_mib=-1),
    "negative CPU": lambda: Shape(cpu_milli=-1),
    "negative memory": lambda: Shape(memory_mib=-1),
    "a negative least memory": lambda: Shape(min_card_memory_mib=-1),
    "a negative most memory": lambda: Shape(max_card_memory_mib=-1),
    "a negative bandwidth": lambda: Shape(min_bandwidth_gbps=-1),
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_refused(make: Callable[[], Shape]) -> None:
    with pytest.raises(ValueError, match="request"):
        make()
