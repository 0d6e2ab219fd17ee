"""Images of the probes: this machine's own Python, and what an attacker would put beside it."""

import hashlib
import io
import json
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path
from typing import Final

from docker import DockerClient
from docker.errors import ImageNotFound

REPOSITORY: Final = "berth/probe"
SOURCE_LABEL: Final = "berth.source"
PROBE: Final = Path(__file__).with_name("probe.py")
PYTHON: Final = "/usr/local/bin/python-probe"
SETUID: Final = "/usr/local/bin/python-root"
"""The interpreter, owned by root and with the set-user-id bit."""
LEFT_OUT: Final = frozenset(
    {
        "test",
        "tests",
        "site-packages",
        "dist-packages",
        "idlelib",
        "tkinter",
        "lib2to3",
        "__pycache__",
    }
)
HOSTILE_ENV: Final = {
    "LD_PRELOAD": "/evil.so",
    "LD_LIBRARY_PATH": "/evil",
    "NVIDIA_VISIBLE_DEVICES": "all",
    "NVIDIA_DRIVER_CAPABILITIES": "all",
    "CUDA_VISIBLE_DEVICES": "0,1,2,3",
    "CUDA_MPS_PIPE_DIRECTORY": "/evil",
    "BERTH_NODE": "another",
    "FROM_IMAGE": "kept",
}


def build(client: DockerClient) -> str:
    """Return the image with the probe as `jupyter-lab`; its variables are hostile."""
    changes = [f"ENV {name}={value}" for name, value in HOSTILE_ENV.items()]
    name, source = f"{REPOSITORY}:1", _digest(changes)
    try:
        if client.images.get(name).labels.get(SOURCE_LABEL) == source:
            return name
    except ImageNotFound:
        pass  # nothing here yet
    changes.append(f"LABEL {SOURCE_LABEL}={source}")
    client.api.import_image_from_data(_root(), repository=REPOSITORY, tag="1", changes=changes)
    return name


def build_variant(client: DockerClient, tag: str, links: dict[str, str], workdir: str) -> str:
    """Return an image of a shell and links, `where` → `target`."""
    client.api.import_image_from_data(
        _shell_root(links), repository=REPOSITORY, tag=tag, changes=[f"WORKDIR {workdir}"]
    )
    return f"{REPOSITORY}:{tag}"


def _digest(changes: list[str]) -> str:
    own = (Path(__file__).read_text(), PROBE.read_text(), sys.version, changes)
    return hashlib.sha256(repr(own).encode()).hexdigest()


def _root() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        interpreter = Path(sys.executable).resolve()
        _file(archive, interpreter, PYTHON)
        _file(archive, interpreter, SETUID, 0o4755)
        _script(archive, "/usr/local/bin/jupyter-lab", f"#!{PYTHON}\n{PROBE.read_text()}")
        library = Path(sysconfig.get_path("stdlib"))
        modules = sorted(path for path in library.rglob("*") if _is_wanted(path, library))
        for path in modules:
            _file(archive, path, str(path))
        native = [interpreter, *(path for path in modules if path.suffix == ".so")]
        for path in sorted(_libraries(native)):
            _file(archive, path.resolve(), str(path))
        _script(archive, "/etc/probe.json", json.dumps({"python": PYTHON, "setuid": SETUID}))
    return buffer.getvalue()


def _shell_root(links: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        shell = Path("/bin/sh")
        for path in (shell, *sorted(_libraries([shell]))):
            _file(archive, path.resolve(), str(path))
        _script(archive, "/etc/own", "")
        for where, target in links.items():
            link = tarfile.TarInfo(where.lstrip("/"))
            link.type, link.linkname = tarfile.SYMTYPE, target
            archive.addfile(link)
    return buffer.getvalue()


def _is_wanted(path: Path, library: Path) -> bool:
    return path.is_file() and LEFT_OUT.isdisjoint(path.relative_to(library).parts)


def _libraries(files: list[Path]) -> set[Path]:
    """Ask the loader what programs need, all in one call."""
    listing = subprocess.run(["ldd", *files], check=True, capture_output=True, text=True).stdout
    return {
        Path(word) for word in listing.split() if word.startswith("/") and not word.endswith(":")
    }


def _file(archive: tarfile.TarFile, source: Path, name: str, mode: int = 0o755) -> None:
    entry = archive.gettarinfo(source, arcname=name)
    entry.uid = entry.gid = 0
    entry.mode = mode
    entry.type = tarfile.REGTYPE
    entry.size = source.stat().st_size
    with source.open("rb") as stream:
        archive.addfile(entry, stream)


def _script(archive: tarfile.TarFile, name: str, text: str) -> None:
    content = text.encode()
    entry = tarfile.TarInfo(name)
    entry.mode, entry.size = 0o755, len(content)
    archive.addfile(entry, io.BytesIO(content))
