"""Builds the library from its C sources, once per version of them."""

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Final

from tests.docker_engine import cache_dir

SOURCES: Final = Path(__file__).parent
SONAME: Final = "libnvidia-ml.so.1"
FLAGS: Final = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-pthread")


def compiler() -> str | None:
    """Return the machine's C compiler, if it has one."""
    return shutil.which("cc") or shutil.which("gcc")


def built() -> Path:
    """Return the library's file; the folder around it can stand on `LD_LIBRARY_PATH`."""
    sources = sorted(SOURCES.glob("*.c"))
    text = b"".join(path.read_bytes() for path in (*sources, SOURCES / "state.h"))
    folder = cache_dir() / "nvml" / hashlib.sha256(text).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / SONAME
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not library.exists():
            _compile(sources, library)
    return library


def _compile(sources: list[Path], library: Path) -> None:
    cc = compiler()
    assert cc is not None, "no C compiler: install gcc and libc6-dev"
    unfinished = library.with_suffix(".unfinished")
    names = [str(path) for path in sources]
    soname = f"-Wl,-soname,{SONAME}"
    subprocess.run([cc, *FLAGS, soname, "-o", str(unfinished), *names], check=True)
    unfinished.rename(library)
