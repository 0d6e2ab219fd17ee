"""PyTorch for the tests of distributed trainings, as an image that is made once and kept.

It is no part of any lock: pip brings it into a folder of its own (`requirements/torch.txt`), and a
container of the plain Python image becomes the image. Only what a training imports is compiled.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from docker import DockerClient
from docker.errors import ImageNotFound

from deploy.onebox.images import PYTHON_IMAGE
from deploy.onebox.options import REPOSITORY
from tests.docker_engine import cache_dir
from tests.packages import fetch_packages

IMAGE: Final = "berth/torch-test:1"
REQUIREMENTS: Final = REPOSITORY / "requirements" / "torch.txt"
LABEL: Final = "berth.torch"
IMPORTED: Final = "import torch.distributed.run, torch.distributed.elastic.agent.server.api"
FILL: Final = (
    "mkdir /opt/torch && cd /site"
    " && tar -cf - --exclude=./torch/include --exclude=./torch/test . | tar -C /opt/torch -xf -"
    f" && PYTHONPATH=/opt/torch python3 -W ignore -c '{IMPORTED}'"
)


def torch_image(client: DockerClient) -> str:
    """Return the name of an image with PyTorch, made first unless it is there."""
    with (_made(cache_dir()) / "torch.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        python = client.images.get(PYTHON_IMAGE).id
        source = f"{_digest()}-{python}"
        if not _is_current(client, source):
            _make(client, torch_site(), source)
    return IMAGE


def torch_site() -> Path:
    """Return a folder with PyTorch and what it needs, fetched first unless it is there.

    What a training imports is compiled by this machine's Python.
    """
    site = cache_dir() / f"torch-{_digest()[:16]}"
    with (_made(cache_dir()) / "torch-site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not site.exists():
            fetch_packages(site, REQUIREMENTS)
        if not (site / "torch" / "__pycache__").exists():
            python = [sys.executable, "-W", "ignore", "-c", IMPORTED]
            env = {"PYTHONPATH": str(site), "PATH": os.environ["PATH"]}
            subprocess.run(python, env=env, check=True)
    return site


def _make(client: DockerClient, site: Path, source: str) -> None:
    container = client.containers.create(
        PYTHON_IMAGE,
        ["sh", "-c", FILL],
        user="0",
        network_mode="none",
        volumes={str(site): {"bind": "/site", "mode": "ro"}},
    )
    try:
        container.start()
        status = container.wait()["StatusCode"]
        assert status == 0, container.logs().decode()
        name, tag = IMAGE.split(":")
        changes = [f"LABEL {LABEL}={source}", "ENV PYTHONPATH=/opt/torch"]
        container.commit(name, tag, changes="\n".join(changes))
    finally:
        container.remove(force=True)


def _is_current(client: DockerClient, source: str) -> bool:
    try:
        labels: dict[str, str] = client.images.get(IMAGE).labels or {}
    except ImageNotFound:
        return False
    return labels.get(LABEL) == source


def _digest() -> str:
    return hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
