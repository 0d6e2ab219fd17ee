"""Builds libraries that stand in for others from their C sources, once per version of them."""

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Final

from tests.docker_engine import cache_dir

FLAGS: Final = ("-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-pthread")


def compiler() -> str | None:
    """Return the machine's C compiler, if it has one."""
    return shutil.which("cc") or shutil.which("gcc")


def build_library(folder: Path, soname: str) -> Path:
    """Return the library of a folder's sources; the folder around it can stand on `LD_LIBRARY_PATH`."""
    sources = sorted(folder.glob("*.c"))
    text = b"".join(path.read_bytes() for path in (*sources, *sorted(folder.glob("*.h"))))
    built = cache_dir() / folder.name / hashlib.sha256(text).hexdigest()[:16]
    built.mkdir(parents=True, exist_ok=True)
    library = built / soname
    with (built / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not library.exists():
            _compile(sources, library)
    return library


def _compile(sources: list[Path], library: Path) -> None:
    cc = compiler()
    assert cc is not None, "no C compiler: install gcc and libc6-dev"
    unfinished = library.with_suffix(".unfinished")
    names = [str(path) for path in sources]
    soname = f"-Wl,-soname,{library.name}"
    subprocess.run([cc, *FLAGS, soname, "-o", str(unfinished), *names], check=True)
    unfinished.rename(library)
