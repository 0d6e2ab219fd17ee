"""Images of the probes: this machine's own Python, and what an attacker would put beside it."""

import hashlib
import io
import json
import sys
import tarfile
from pathlib import Path
from typing import Final

from docker import DockerClient
from docker.errors import ImageNotFound

from tests import host_python
from tests.host_python import add_file, add_python, add_text, libraries

REPOSITORY: Final = "berth/probe"
SOURCE_LABEL: Final = "berth.source"
PROBE: Final = Path(__file__).with_name("probe.py")
PYTHON: Final = "/usr/local/bin/python-probe"
SETUID: Final = "/usr/local/bin/python-root"
"""The interpreter, owned by root and with the set-user-id bit."""
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
    sources = (Path(__file__), Path(host_python.__file__), PROBE)
    own = ([source.read_text() for source in sources], sys.version, changes)
    return hashlib.sha256(repr(own).encode()).hexdigest()


def _root() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        add_python(archive, (PYTHON, 0o755), (SETUID, 0o4755), is_compiled=False)
        add_text(archive, "/usr/local/bin/jupyter-lab", f"#!{PYTHON}\n{PROBE.read_text()}")
        add_text(archive, "/etc/probe.json", json.dumps({"python": PYTHON, "setuid": SETUID}))
    return buffer.getvalue()


def _shell_root(links: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        shell = Path("/bin/sh")
        for path in (shell, *sorted(libraries([shell]))):
            add_file(archive, path.resolve(), str(path))
        add_text(archive, "/etc/own", "")
        for where, target in links.items():
            link = tarfile.TarInfo(where.lstrip("/"))
            link.type, link.linkname = tarfile.SYMTYPE, target
            archive.addfile(link)
    return buffer.getvalue()
