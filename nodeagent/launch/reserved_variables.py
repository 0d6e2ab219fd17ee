"""The environment variables that only the agent may set; pure.

Hooks of the GPU runtime read a container's environment as root on the host (CVE-2025-23266), and
the same variables select the cards that a container sees. So neither an image nor a user may set
them.
"""

from collections.abc import Iterable
from typing import Final

PREFIXES: Final = ("LD_", "CUDA_", "NVIDIA_", "BERTH_", "LIBCUDA_", "NCCL_INJECTION_")
SUFFIXES: Final = ("_VISIBLE_DEVICES",)
"""Equivalents of other vendors: ROCR, HIP, ASCEND, CAMBRICON, MTHREADS."""
NAMES: Final = frozenset(
    {
        "ACTIVE_OOM_KILLER",
        "ASCEND_RT_VISIBLE_DEVICES",
        "GCONV_PATH",
        "GLIBC_TUNABLES",
        "GPU_CORE_UTILIZATION_POLICY",
        "GPU_DEVICE_ORDINAL",
        "ZE_AFFINITY_MASK",
    }
)
HARMLESS: Final = frozenset(
    {
        "CUDA_CACHE_MAXSIZE",
        "CUDA_CACHE_PATH",
        "CUDA_DEVICE_ORDER",
        "CUDA_HOME",
        "CUDA_LAUNCH_BLOCKING",
        "CUDA_MODULE_LOADING",
        "CUDA_PATH",
        "CUDA_VERSION",
        "NVIDIA_TF32_OVERRIDE",
    }
)
"""Allowed despite their prefix: tool paths of the image and computation settings that no hook
reads."""


def is_reserved(name: str) -> bool:
    """Return whether only the agent may set this variable, in any letter case."""
    plain = name.upper()
    if plain in HARMLESS:
        return False
    return plain.startswith(PREFIXES) or plain.endswith(SUFFIXES) or plain in NAMES


def names_to_unset(image_env: Iterable[str]) -> tuple[str, ...]:
    """Return the reserved names among an image's `NAME=value` lines, without duplicates, sorted."""
    names = {line.partition("=")[0] for line in image_env}
    return tuple(sorted(name for name in names if is_reserved(name)))
