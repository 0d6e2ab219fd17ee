"""Builds the container images of `deploy/images/`, from a registry's Debian or from debootstrap.

An image carries the hash of its sources as a label and is built only when that differs.
Packages are downloaded by the host's pip, with the host's configuration, so that a build itself
needs neither the network nor that configuration.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from docker import DockerClient
from docker.errors import APIError, ImageNotFound

PYTHON_IMAGE: Final = "berth/python:1"
JUPYTER_IMAGE: Final = "berth/jupyter-python:1"
SIMULATED_IMAGES: Final = {
    "berth/simulated-notebook:1": "simulated-notebook",
    "berth/simulated-model:1": "simulated-model",
}
"""What the simulated people and the seeded service of the demo run, by their folders."""
SOURCES: Final = Path(__file__).resolve().parents[1] / "images"
REGISTRY_BASE: Final = "debian:bookworm-slim"
LOCAL_BASE: Final = "berth/base:bookworm"
BASE_PACKAGES: Final = ("python3", "python3-venv", "ca-certificates")
SOURCE_LABEL: Final = "berth.source"

Report = Callable[[str], None]


class ImageBuildError(Exception):
    """An image cannot be built here, for the reason in the message."""


def build_images(client: DockerClient, cache: Path, report: Report = print) -> None:
    """Make the images of `deploy/images/` exist and match their sources."""
    python_source = _digest(SOURCES / "Dockerfile")
    jupyter_source = _digest(SOURCES / "Dockerfile", SOURCES / "jupyter")
    stages = (
        (PYTHON_IMAGE, "python", python_source),
        (JUPYTER_IMAGE, "jupyter", jupyter_source),
    )
    missing = [stage for stage in stages if not _is_current(client, stage[0], stage[2])]
    base = find_base_image(client, cache, report) if missing else ""
    for name, target, source in missing:
        report(f"building {name} from {base}")
        _build_stage(client, name, target, source, base)
    for name, folder in SIMULATED_IMAGES.items():
        simulated_source = _digest(SOURCES / "Dockerfile", SOURCES / folder)
        if not _is_current(client, name, simulated_source):
            report(f"building {name}")
            arguments = {"BASE_IMAGE": PYTHON_IMAGE}
            _build(client, SOURCES / folder, name, simulated_source, arguments)


def _build_stage(client: DockerClient, name: str, target: str, source: str, base: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        context = Path(folder) / "context"
        shutil.copytree(SOURCES, context)
        if target == "jupyter":
            download_wheels(context / "jupyter/requirements.txt", context / "jupyter/wheels")
        arguments = {"BASE_IMAGE": base, "PIP_NO_INDEX": "1"}
        _build(client, context, name, source, arguments, target)


def download_wheels(requirements: Path, wheels: Path) -> None:
    """Download pinned wheels with the host's pip, which reads the host's configuration."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    pins = ["--require-hashes", "--no-deps", "--only-binary=:all:", "--python-version=3.11"]
    _run([*pip, *pins, "--dest", str(wheels), "-r", str(requirements)])


def find_base_image(
    client: DockerClient,
    cache: Path,
    report: Report,
    packages: Sequence[str] = BASE_PACKAGES,
) -> str:
    """Return a Debian image: a local one, else from the registry, else made by debootstrap."""
    more = "".join(f"-{name}" for name in packages if name not in BASE_PACKAGES)
    local = LOCAL_BASE + more
    for name in (REGISTRY_BASE, local):
        if _label(client, name) is not None:
            return name
    try:
        client.images.pull(REGISTRY_BASE)
    except APIError as fault:
        report(f"no {REGISTRY_BASE} from a registry, using debootstrap")
        archive = cache / f"debian-bookworm{more}.tar"
        _bootstrap(archive, packages, str(fault))
        _import_base(client, archive, local)
        return local
    return REGISTRY_BASE


def _bootstrap(archive: Path, packages: Sequence[str], fault: str) -> None:
    """Make a tar file of a minimal Debian bookworm, once per cache folder."""
    if archive.exists():
        return
    if shutil.which("debootstrap") is None or os.geteuid() != 0:
        raise ImageBuildError(f"{fault}; without a registry, debootstrap and root are needed")
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        root, partial = Path(folder) / "root", Path(folder) / "archive"
        include = f"--include={','.join(packages)}"
        _run(["debootstrap", "--variant=minbase", include, "bookworm", str(root), _mirror()])
        shutil.rmtree(root / "var/cache/apt/archives", ignore_errors=True)
        _run(
            [
                "tar",
                "-C",
                str(root),
                "--numeric-owner",
                "--exclude=./dev/*",
                "-cf",
                str(partial),
                ".",
            ]
        )
        partial.rename(archive)


def _mirror() -> str:
    """Return the Debian mirror of this machine's apt."""
    sources = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    for source in filter(Path.is_file, sources):
        for word in source.read_text().split():
            if word.startswith("http") and word.rstrip("/").endswith("/debian"):
                return word
    return "http://deb.debian.org/debian"


def _import_base(client: DockerClient, archive: Path, name: str) -> None:
    with archive.open("rb") as stream:
        repository, tag = name.split(":")
        client.api.import_image_from_data(stream, repository=repository, tag=tag)


def _build(
    client: DockerClient,
    context: Path,
    name: str,
    source: str,
    arguments: Mapping[str, str],
    target: str = "",
) -> None:
    client.images.build(
        path=str(context),
        tag=name,
        rm=True,
        buildargs=dict(arguments),
        target=target or None,
        labels={SOURCE_LABEL: source},
    )


def _is_current(client: DockerClient, name: str, source: str) -> bool:
    return _label(client, name) == source


def _label(client: DockerClient, name: str) -> str | None:
    """Return the image's source label (empty when it has none), None when there is no image."""
    try:
        return str((client.images.get(name).labels or {}).get(SOURCE_LABEL, ""))
    except ImageNotFound:
        return None


def _digest(*sources: Path) -> str:
    """Return a digest of files, and of the files in folders."""
    digest = hashlib.sha256()
    for source in sources:
        for path in sorted(source.iterdir()) if source.is_dir() else (source,):
            digest.update(f"{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _run(command: list[str]) -> None:
    """Run a tool to its end; raise with its output when it fails."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise ImageBuildError(
            f"{command[0]} failed:\n{result.stdout[-2000:]}{result.stderr[-2000:]}"
        )
