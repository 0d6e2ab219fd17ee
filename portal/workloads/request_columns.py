"""The columns of a workload that say what it asks for, and the same in the words of the engine."""

from collections.abc import Sequence
from typing import Any, Final

from scheduler.core.model.entities import Request

REQUEST_COLUMNS: Final = (
    *("replicas", "gpus", "slices", "cpu_milli", "memory_mib"),
    *("gpu_milli", "gpu_memory_mib", "mig_profile"),
)


def build_request(columns: Sequence[Any]) -> Request:
    """Return what these columns ask for, given in the order of `REQUEST_COLUMNS`."""
    replicas, cards, slices, cpu, memory, share, gpu_memory_mib, profile = columns
    return Request(
        replicas=replicas,
        gpus=cards,
        slices=slices,
        cpu_milli=cpu,
        memory_mib=memory,
        gpu_milli=share,
        gpu_memory_mib=gpu_memory_mib,
        mig_profile=profile,
    )


def columns_of(row: object) -> tuple[Any, ...]:
    """Return the columns of a row that has them as attributes."""
    return tuple(getattr(row, name) for name in REQUEST_COLUMNS)
