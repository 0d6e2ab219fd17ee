"""Storages that volumes lie on: a disk, a file system of its own, a folder mounted from it, a mounted bucket."""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.request import Request, urlopen

import pytest

from tests.waiting import wait_until

S3FS_OPTIONS: Final = "use_path_request_style,stat_cache_expire=1,attr_timeout=0,entry_timeout=0"
"""How docs/admin/storage.md mounts a bucket, less who may look at it."""


@dataclass(frozen=True, slots=True)
class Storage:
    """The same folder as the portal and as a node have it."""

    portal: Path
    node: Path


@contextmanager
def disk(place: Path) -> Iterator[Storage]:
    """Provide a folder of the disk."""
    folder = place / "storage"
    folder.mkdir()
    yield Storage(folder, folder)


@contextmanager
def mounted(place: Path) -> Iterator[Storage]:
    """Provide a small file system of its own, mounted as the guide for administrators says."""
    folder = place / "storage"
    folder.mkdir()
    options = "size=80m,nr_inodes=1000,nosuid,nodev"
    with _mounted(folder, "-t", "tmpfs", "-o", options, "tmpfs"):
        yield Storage(folder, folder)


@contextmanager
def mounted_elsewhere(place: Path) -> Iterator[Storage]:
    """Provide a folder of such a file system that is mounted from it, as a node may have it."""
    with mounted(place) as storage:
        again = place / "again"
        again.mkdir()
        with _mounted(again, "--bind", str(storage.portal)):
            yield Storage(again, storage.portal)


@contextmanager
def bucket(place: Path) -> Iterator[Storage]:
    """Provide a bucket of an S3 server that portal and node mount, each by itself."""
    secret = place / "secret"
    secret.touch(0o600)
    secret.write_text("berth:only-for-tests\n")
    with _s3_server("volumes") as endpoint:
        options = f"passwd_file={secret},url={endpoint},{S3FS_OPTIONS}"
        with (
            _s3fs(place / "portal", "volumes", options) as portal,
            _s3fs(place / "node", "volumes", options) as node,
        ):
            yield Storage(portal, node)


STORAGES: Final[Mapping[str, Callable[[Path], AbstractContextManager[Storage]]]] = {
    "disk": disk,
    "mounted": mounted,
    "mounted elsewhere": mounted_elsewhere,
    "bucket": bucket,
}
KINDS: Final = [
    pytest.param(name, marks=pytest.mark.docker) if name == "bucket" else name for name in STORAGES
]
"""Names for parameters of tests: a bucket needs tools that only root can install."""


@contextmanager
def _mounted(folder: Path, *arguments: str) -> Iterator[None]:
    subprocess.run(["mount", *arguments, str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def _s3fs(folder: Path, bucket_name: str, options: str) -> Iterator[Path]:
    folder.mkdir()
    subprocess.run(["s3fs", bucket_name, folder, "-o", options], check=True)
    try:
        wait_until(folder.is_mount)
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@contextmanager
def _s3_server(bucket_name: str) -> Iterator[str]:
    """Serve one empty bucket; `rclone serve s3` has no keys that end in a slash, which folders are."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    endpoint = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: _makes_bucket(f"{endpoint}/{bucket_name}"))
        yield endpoint
    finally:
        process.terminate()
        process.wait(timeout=60)


def _makes_bucket(address: str) -> bool:
    try:
        with urlopen(Request(address, method="PUT"), timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
