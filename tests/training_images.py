"""Images for the tests of distributed trainings, with PyTorch, Dask or Ray; made once and kept.

These are no part of any lock: pip brings them into folders of their own (`requirements/torch.txt` and so
on), and a container of the plain Python image becomes the image. Only what a training imports is compiled.
"""

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from docker import DockerClient
from docker.errors import ImageNotFound

from deploy.onebox.images import PYTHON_IMAGE
from tests.docker_engine import cache_dir
from tests.packages import packages_of

LABEL: Final = "berth.packages"
IMPORTED: Final[dict[str, str]] = {
    "torch": "import torch.distributed.run, torch.distributed.elastic.agent.server.api",
    "dask": "import distributed.cli.dask_scheduler, distributed.cli.dask_worker",
    "ray": "import ray.scripts.scripts",
}
FILL: Final = (
    "mkdir /opt/packages && cd /site"
    " && tar -cf - --exclude=./torch/include --exclude=./torch/test . | tar -C /opt/packages -xf -"
    " && PYTHONPATH=/opt/packages python3 -W ignore -c"
)


def training_image(client: DockerClient, name: str) -> str:
    """Return the reference of an image with `torch`, `dask` or `ray`, made first unless it is there."""
    reference = f"berth/{name}-test:1"
    site = torch_site() if name == "torch" else packages_of(name)
    with (cache_dir() / f"{name}-image.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        source = f"{site.name}-{client.images.get(PYTHON_IMAGE).id}"
        if not _is_current(client, reference, source):
            _make(client, reference, site, f"{FILL} '{IMPORTED[name]}'", source)
    return reference


def torch_site() -> Path:
    """Return a folder with PyTorch and what it needs, fetched first unless it is there.

    What a training imports is compiled by this machine's Python.
    """
    site = packages_of("torch")
    with (cache_dir() / "torch-site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (site / "torch" / "__pycache__").exists():
            python = [sys.executable, "-W", "ignore", "-c", IMPORTED["torch"]]
            env = {"PYTHONPATH": str(site), "PATH": os.environ["PATH"]}
            subprocess.run(python, env=env, check=True)
    return site


def _make(client: DockerClient, reference: str, site: Path, command: str, source: str) -> None:
    container = client.containers.create(
        PYTHON_IMAGE,
        ["sh", "-c", command],
        user="0",
        network_mode="none",
        volumes={str(site): {"bind": "/site", "mode": "ro"}},
    )
    try:
        container.start()
        status = container.wait()["StatusCode"]
        assert status == 0, container.logs().decode()
        name, tag = reference.split(":")
        changes = [f"LABEL {LABEL}={source}", "ENV PYTHONPATH=/opt/packages"]
        container.commit(name, tag, changes="\n".join(changes))
    finally:
        container.remove(force=True)


def _is_current(client: DockerClient, reference: str, source: str) -> bool:
    try:
        labels: dict[str, str] = client.images.get(reference).labels or {}
    except ImageNotFound:
        return False
    return labels.get(LABEL) == source
