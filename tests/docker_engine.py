"""The Docker engine and images of the tests that need real containers.

The images are cached between runs under `~/.cache/berth` (or `BERTH_CACHE_DIR`).
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.onebox.engine import EngineEndpoint, shared_engine
from deploy.onebox.images import build_images


def cache_dir() -> Path:
    """Folder for what is dear to make and safe to keep between runs."""
    return Path(os.environ.get("BERTH_CACHE_DIR", Path.home() / ".cache" / "berth"))


@contextmanager
def docker_engine() -> Iterator[EngineEndpoint]:
    """An engine with `berth/python:1` and `berth/jupyter-python:1`, stopped if started here."""
    with shared_engine(cache_dir() / "docker") as engine:
        with engine.client(timeout_s=600) as client:
            build_images(client, cache_dir())
        yield engine
