"""One tiny image of this machine's own programs: nothing is pulled, nothing is built."""

import io
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Final

from docker import DockerClient

from deploy.onebox.engine import EngineEndpoint, shared_engine
from tests.docker_engine import cache_dir

IMAGE: Final = "berth/contract:1"
PROGRAMS: Final = ("sh", "sleep", "tail", "echo", "true", "bash", "cat", "ls", "stty", "perl")


@contextmanager
def tiny_engine() -> Iterator[EngineEndpoint]:
    """An engine with the image, stopped by its last user if one of them started it."""
    with shared_engine(cache_dir() / "docker") as engine:
        with engine.client() as client:
            bring_tiny_image(client)
        yield engine


def bring_tiny_image(client: DockerClient) -> None:
    """Give an engine the image."""
    name, tag = IMAGE.split(":")
    client.api.import_image_from_data(programs_root(), repository=name, tag=tag)


@cache
def programs_root(programs: tuple[str, ...] = PROGRAMS) -> bytes:
    """Pack some programs with their libraries, as a tar file."""
    paths = {Path("/bin") / name for name in programs}
    listing = subprocess.run(["ldd", *paths], check=True, capture_output=True, text=True).stdout
    paths |= {
        Path(word) for word in listing.split() if word.startswith("/") and not word.endswith(":")
    }
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", dereference=True) as archive:
        for path in sorted(paths):
            archive.add(path.resolve(), arcname=str(path))
    return buffer.getvalue()
