"""This machine's Python with pip, for an image that packages are installed in without any network."""

import io
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path
from typing import Final

HOME: Final = "py"
"""The folder of that Python in the image."""
WHEELS: Final = Path("/usr/share/python-wheels")
"""Where Debian keeps what `ensurepip` of others has beside it."""
LEFT_OUT: Final = frozenset(
    ("__pycache__", "test", "tests", "idlelib", "lib2to3", "tkinter", "pydoc_data", "site-packages")
)


def with_python(root: bytes) -> bytes:
    """Add Python and pip to a root."""
    stdlib = Path(sysconfig.get_path("stdlib"))
    inside = f"{HOME}/lib/python{sysconfig.get_python_version()}"
    binary = Path(sys.base_prefix, "bin", f"python{sysconfig.get_python_version()}").resolve()
    buffer = io.BytesIO(root)
    with tarfile.open(fileobj=buffer, mode="a", dereference=True) as archive:
        known = set(archive.getnames())
        archive.add(binary, f"{HOME}/bin/python3")
        archive.add(stdlib, inside, filter=_only_needed)
        for library in _libraries(binary, *stdlib.glob("lib-dynload/*.so")):
            if str(library).lstrip("/") not in known:
                archive.add(library.resolve(), str(library))
        with zipfile.ZipFile(_pip_wheel(stdlib)) as wheel:
            for name in wheel.namelist():
                facts, content = tarfile.TarInfo(f"{inside}/site-packages/{name}"), wheel.read(name)
                facts.size = len(content)
                archive.addfile(facts, io.BytesIO(content))
    return buffer.getvalue()


def a_wheel(name: str, source: str) -> bytes:
    """Pack one module as a wheel."""
    buffer = io.BytesIO()
    info = f"{name}-1.0.dist-info"
    tag = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(f"{name}.py", source)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", tag)
        archive.writestr(f"{info}/RECORD", "")
    return buffer.getvalue()


def _only_needed(item: tarfile.TarInfo) -> tarfile.TarInfo | None:
    parts = item.name.split("/")
    if LEFT_OUT & set(parts) or any(part.startswith("config-") for part in parts):
        return None
    return item


def _libraries(*binaries: Path) -> set[Path]:
    listing = subprocess.run(["ldd", *binaries], check=False, capture_output=True, text=True).stdout
    words = listing.split()
    return {Path(word) for word in words if word.startswith("/") and not word.endswith(":")}


def _pip_wheel(stdlib: Path) -> Path:
    beside = stdlib / "ensurepip" / "_bundled"
    return next(path for folder in (beside, WHEELS) for path in folder.glob("pip-*.whl"))
