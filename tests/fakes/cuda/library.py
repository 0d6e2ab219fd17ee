"""Builds the fake libcuda from its C source."""

import subprocess
from pathlib import Path
from typing import Final

from tests.fakes.c_library import compiler

SOURCE: Final = Path(__file__).with_name("libcuda.c")
FLAGS: Final = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-pthread")
PIDS: Final = (4711, 4712)
NOT_SUPPORTED: Final = 801


def build(folder: Path) -> Path:
    """Compile the library into a folder, and return its file."""
    library = folder / "libcuda.so.1"
    cc = compiler()
    assert cc is not None
    subprocess.run([cc, *FLAGS, "-o", str(library), str(SOURCE)], check=True)
    return library
