"""The shape of one replica: the part of its request that placement depends on."""

from dataclasses import dataclass
from typing import Final

MILLI_PER_GPU: Final = 1000
"""Milli-GPUs of one whole card."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One replica on one node; equal shapes share their scores.

    Either whole cards (`gpus`) or a share of one card (`gpu_milli`), never both; neither is CPU-only
    work.
    """

    cpu_milli: int = 0
    """Milli-CPU."""
    memory_mib: int = 0
    """Host memory in MiB."""
    gpus: int = 0
    """Whole cards, all on one node."""
    gpu_milli: int = 0
    """Thousandths of one card, 1 to 999."""
    gpu_memory_mib: int = 0
    """Memory of that share in MiB."""
    mig_profile: str = ""
    """MIG profile of exactly this part of a card."""
    mig_slices: int = 0
    """Memory slices that it covers."""
    models: frozenset[str] = frozenset()
    """Card models that will do; empty is any."""
    min_card_memory_mib: int = 0
    """Least memory of each card in MiB."""
    max_card_memory_mib: int = 0
    """Most memory of each card in MiB; 0 is any."""
    features: frozenset[str] = frozenset()
    """Features that each card must have."""
    min_bandwidth_gbps: int = 0
    """Least memory bandwidth of each card in gigabytes per second."""

    def __post_init__(self) -> None:
        """Refuse amounts without a meaning.

        Raises:
            ValueError: something is negative, or both cards and a share are asked for.
        """
        if (
            min(
                self.cpu_milli,
                self.memory_mib,
                self.gpus,
                self.gpu_milli,
                self.gpu_memory_mib,
                self.min_card_memory_mib,
                self.max_card_memory_mib,
                self.min_bandwidth_gbps,
            )
            < 0
        ):
            raise ValueError("a request cannot be negative")
        if self.gpu_milli >= MILLI_PER_GPU or (self.gpus and self.gpu_milli):
            raise ValueError("a request is for whole cards or for less than one card")

    @property
    def total_milli(self) -> int:
        """Milli-GPUs in all."""
        return self.gpus * MILLI_PER_GPU + self.gpu_milli
