"""The library that stands where NVIDIA's is loaded from."""

from pathlib import Path
from typing import Final

from tests.fakes.c_library import build_library

SONAME: Final = "libnvidia-ml.so.1"


def built() -> Path:
    """Return the library's file; the folder around it can stand on `LD_LIBRARY_PATH`."""
    return build_library(Path(__file__).parent, SONAME)
