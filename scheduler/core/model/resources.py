"""Integer resource vectors: milli-GPUs, MiB, milli-CPU. No floats, ever."""

from dataclasses import dataclass
from enum import StrEnum


class Resource(StrEnum):
    """What a quota limits. Units: `gpu` and `cpu` in thousandths, the rest in MiB."""

    GPU = "gpu"
    GPU_MEMORY = "gpu_memory"
    CPU = "cpu"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Resources:
    """An amount of every resource; arithmetic is exact and component-wise."""

    gpu: int = 0
    """Milli-GPUs: a whole card is 1000, one of eight slices 125."""
    gpu_memory: int = 0
    """Accelerator memory in MiB."""
    cpu: int = 0
    """Milli-CPU."""
    memory: int = 0
    """Host memory in MiB."""

    def __add__(self, other: "Resources") -> "Resources":
        return Resources(
            self.gpu + other.gpu,
            self.gpu_memory + other.gpu_memory,
            self.cpu + other.cpu,
            self.memory + other.memory,
        )

    def __sub__(self, other: "Resources") -> "Resources":
        return Resources(
            self.gpu - other.gpu,
            self.gpu_memory - other.gpu_memory,
            self.cpu - other.cpu,
            self.memory - other.memory,
        )

    def times(self, count: int) -> "Resources":
        """Return this amount `count` times over."""
        if count == 1:
            return self
        return Resources(
            self.gpu * count, self.gpu_memory * count, self.cpu * count, self.memory * count
        )

    def get(self, resource: Resource) -> int:
        """Return the amount of one resource in its own unit."""
        amount: int = getattr(self, resource)
        return amount
