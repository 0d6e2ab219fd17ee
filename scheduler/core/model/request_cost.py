"""What a request costs, by the slices of its pool."""

from functools import lru_cache

from scheduler.core.model.entities import (
    PendingWorkload,
    PoolView,
    Request,
    RunningWorkload,
    WorkClass,
)
from scheduler.core.model.resources import Resources


def gpu_milli_per_replica(request: Request, pool: PoolView) -> int:
    """Return the milli-GPUs that one replica takes, with the slices of its pool.

    A slice costs `1000 // slices_per_card`; the division is exact because a pool may only cut its
    cards into 1, 2, 4, 5, 8 or 10 slices.
    """
    return _gpu_milli_per_replica(request, pool.slices_per_card)


def _gpu_milli_per_replica(request: Request, slices_per_card: int) -> int:
    slices = request.slices and request.slices * (1000 // max(slices_per_card, 1))
    return request.gpus * 1000 + slices + request.gpu_milli


def uses_gpus(request: Request) -> bool:
    """Return whether it takes anything of a GPU."""
    return bool(request.gpus or request.slices or request.gpu_milli)


def demand_per_replica(request: Request, pool: PoolView, device_mib: int = 0) -> Resources:
    """Return what one replica costs; a slice comes with the slice memory of its pool.

    `device_mib` is the memory of each whole card, or of the MIG instance, that it gets.
    """
    return _demand_per_replica(request, pool.slices_per_card, pool.slice_mib, device_mib)


@lru_cache(maxsize=4096)
def _demand_per_replica(
    request: Request, slices_per_card: int, slice_mib: int, device_mib: int
) -> Resources:
    of_slices = device_mib if request.mig_profile else request.slices * slice_mib
    return Resources(
        gpu=_gpu_milli_per_replica(request, slices_per_card),
        gpu_memory=request.gpus * device_mib + of_slices + request.gpu_memory_mib,
        cpu=request.cpu_milli,
        memory=request.memory_mib,
    )


def total_gpu_milli(work: PendingWorkload | RunningWorkload | WorkClass, pool: PoolView) -> int:
    """Return the milli-GPUs of all replicas; work without cards counts as one thousandth."""
    return gpu_milli_per_replica(work.request, pool) * work.request.replicas or 1
