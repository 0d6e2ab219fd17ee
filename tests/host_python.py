"""This machine's own Python as files of an image: nothing is pulled, and what runs inside is known here."""

import io
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

LEFT_OUT: Final = frozenset(
    {"test", "tests", "site-packages", "dist-packages", "idlelib", "tkinter", "lib2to3"}
)
COMPILED: Final = "__pycache__"
OPTIMISED: Final = ".opt-"
FOR_BUILDS: Final = "config-"
"""A folder of this name has the interpreter once more, for programs that embed it."""


def add_python(
    archive: tarfile.TarFile,
    *programs: tuple[str, int],
    is_compiled: bool,
    more_libraries: Collection[Path] = (),
) -> None:
    """Add the standard library where it is here, and the interpreter as each (path, mode)."""
    interpreter = Path(sys.executable).resolve()
    for name, mode in programs:
        add_file(archive, interpreter, name, mode)
    library = Path(sysconfig.get_path("stdlib"))
    modules = sorted(path for path in library.rglob("*") if _is_wanted(path, library, is_compiled))
    for path in modules:
        add_file(archive, path, str(path))
    native = [interpreter, *(path for path in modules if path.suffix == ".so")]
    for path in sorted(libraries(native).union(more_libraries)):
        add_file(archive, path.resolve(), str(path))


def libraries(files: Iterable[Path]) -> set[Path]:
    """Ask the loader what programs need, all in one call."""
    listing = subprocess.run(["ldd", *files], check=True, capture_output=True, text=True).stdout
    return {
        Path(word) for word in listing.split() if word.startswith("/") and not word.endswith(":")
    }


def add_file(archive: tarfile.TarFile, source: Path, name: str, mode: int = 0o755) -> None:
    """Add a file of this machine under a name, owned by root."""
    entry = archive.gettarinfo(source, arcname=name)
    entry.uid = entry.gid = 0
    entry.mode = mode
    entry.type = tarfile.REGTYPE
    entry.size = source.stat().st_size
    with source.open("rb") as stream:
        archive.addfile(entry, stream)


def add_text(archive: tarfile.TarFile, name: str, text: str) -> None:
    """Add a file that everybody may read and run."""
    content = text.encode()
    entry = tarfile.TarInfo(name)
    entry.mode, entry.size = 0o755, len(content)
    archive.addfile(entry, io.BytesIO(content))


def _is_wanted(path: Path, library: Path, is_compiled: bool) -> bool:
    parts = path.relative_to(library).parts
    if COMPILED in parts and (not is_compiled or OPTIMISED in path.name):
        return False
    is_left_out = not LEFT_OUT.isdisjoint(parts) or parts[0].startswith(FOR_BUILDS)
    return path.is_file() and not is_left_out
