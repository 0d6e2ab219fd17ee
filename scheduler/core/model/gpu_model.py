"""What is known of a model of GPUs; pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GpuModel:
    """The published properties of one model; 0 is not published."""

    name: str
    vendor: str
    memory_mib: int
    fp16_tflops: int = 0
    """Dense matrix operations in 16 bits, accumulated in 32, in 10^12 a second."""
    fp32_tflops: int = 0
    """Vector operations in 32 bits, in 10^12 a second."""
    bandwidth_gbps: int = 0
    """Of its memory, in gigabytes per second."""
    features: frozenset[str] = frozenset()
    """Number formats and links, such as `fp8`, `bf16`, `nvlink`."""
    is_mig_capable: bool = False

    @property
    def is_speed_known(self) -> bool:
        """Return whether compute and bandwidth are both published."""
        return bool(self.fp16_tflops and self.bandwidth_gbps)
