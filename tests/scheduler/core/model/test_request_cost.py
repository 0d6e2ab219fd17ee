"""What a request costs: one row for each kind of part of a card."""

from dataclasses import replace

import pytest

from scheduler.core.model.entities import PoolView, Request
from scheduler.core.model.request_cost import (
    demand_per_replica,
    gpu_milli_per_replica,
    total_gpu_milli,
    uses_gpus,
)
from scheduler.core.model.resources import Resource, Resources
from tests.scheduler.core.tables import a_snapshot, a_waiting

WHOLE, SLICED = a_snapshot(pools=["whole", "sliced: 4 slices of 8192 MiB"]).pools

MILLI: dict[str, tuple[Request, PoolView, int]] = {
    "nothing": (Request(cpu_milli=4000), WHOLE, 0),
    "whole cards": (Request(gpus=3), WHOLE, 3000),
    "whole cards of a pool of slices": (Request(gpus=3), SLICED, 3000),
    "a share": (Request(gpu_milli=300), WHOLE, 300),
    "a slice of four": (Request(slices=1), SLICED, 250),
    "three slices of four": (Request(slices=3), SLICED, 750),
    "replicas do not count": (Request(gpus=1, replicas=5), WHOLE, 1000),
}


@pytest.mark.parametrize("row", MILLI.values(), ids=MILLI)
def test_thousandths_of_cards_of_one_replica(row: tuple[Request, PoolView, int]) -> None:
    request, pool, milli = row

    assert gpu_milli_per_replica(request, pool) == milli
    assert uses_gpus(request) is (milli > 0)


TOTAL: dict[str, tuple[Request, PoolView, int]] = {
    "each replica": (Request(gpus=2, replicas=3), WHOLE, 6000),
    "slices of each replica": (Request(slices=2, replicas=2), SLICED, 1000),
    "work without cards is a thousandth": (Request(cpu_milli=1), WHOLE, 1),
    "however many replicas": (Request(cpu_milli=1, replicas=4), WHOLE, 1),
}


@pytest.mark.parametrize("row", TOTAL.values(), ids=TOTAL)
def test_thousandths_of_cards_of_all_replicas(row: tuple[Request, PoolView, int]) -> None:
    request, pool, milli = row

    assert total_gpu_milli(replace(a_waiting(""), request=request), pool) == milli


DEMAND: dict[str, tuple[Request, PoolView, int, Resources]] = {
    "CPU and memory": (
        *(Request(cpu_milli=4000, memory_mib=512), WHOLE, 0),
        Resources(cpu=4000, memory=512),
    ),
    "cards with their memory": (
        *(Request(gpus=2), WHOLE, 32768),
        Resources(gpu=2000, gpu_memory=65536),
    ),
    "slices with the memory of the pool's": (
        *(Request(slices=3), SLICED, 0),
        Resources(gpu=750, gpu_memory=3 * 8192),
    ),
    "an instance with its own memory": (
        *(Request(slices=1, mig_profile="1g.10gb"), SLICED, 9984),
        Resources(gpu=250, gpu_memory=9984),
    ),
    "a share with the memory that it asks for": (
        *(Request(gpu_milli=300, gpu_memory_mib=4096), WHOLE, 32768),
        Resources(gpu=300, gpu_memory=4096),
    ),
}


@pytest.mark.parametrize("row", DEMAND.values(), ids=DEMAND)
def test_demand_of_one_replica(row: tuple[Request, PoolView, int, Resources]) -> None:
    request, pool, device_mib, demand = row

    assert demand_per_replica(request, pool, device_mib) == demand


def test_amounts_are_added_component_by_component() -> None:
    one, other = Resources(8, 7, 6, 5), Resources(1, 2, 3, 4)

    assert one + other == Resources(9, 9, 9, 9)
    assert one - other == Resources(7, 5, 3, 1)
    assert other.times(3) == Resources(3, 6, 9, 12)
    assert other.times(1) == other
    assert other.times(0) == Resources()
    assert [one.get(resource) for resource in Resource] == [8, 7, 6, 5]
