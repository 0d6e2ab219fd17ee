"""Two hosts that have an engine each, and a cable of their own between them."""

import io
import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from tests.host_python import add_file, add_python, libraries
from tests.nodeagent.docker.daemon.daemon import Daemon
from tests.nodeagent.faults.hosts import Host, a_cable
from tests.training_images import torch_site

IMAGE: Final = "berth/python-of-host:1"


@contextmanager
def engines_on(hosts: Sequence[Host]) -> Iterator[tuple[Daemon, Daemon]]:
    """Give each of two hosts an engine with an image of Python, and lay the cable."""
    with ExitStack() as stack:
        stack.enter_context(a_cable(hosts))
        first, second = [stack.enter_context(_engine_on(host)) for host in hosts]
        root = _python_root()
        with ThreadPoolExecutor() as both:
            list(both.map(lambda engine: _bring(engine, root), (first, second)))
        yield first, second


@contextmanager
def _engine_on(host: Host) -> Iterator[Daemon]:
    home = Path(tempfile.mkdtemp(prefix="berth-gang-"))
    daemon = Daemon(home, host=host.name)
    daemon.mount()
    daemon.start()
    try:
        yield daemon
    finally:
        daemon.close()
        shutil.rmtree(home)


def _bring(engine: Daemon, image: bytes) -> None:
    name, tag = IMAGE.split(":")
    with engine.client() as client:
        client.api.import_image_from_data(image, repository=name, tag=tag)


def _python_root() -> bytes:
    """Pack what a script of Python needs that imports PyTorch from elsewhere."""
    site = torch_site()
    env = Path("/usr/bin/env")
    needed = libraries([env, site / "torch" / "lib" / "libtorch_python.so"])
    foreign = [path for path in needed if not path.is_relative_to(site)]
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        python = ("/usr/bin/python3", 0o755)
        add_python(archive, python, is_compiled=True, more_libraries=foreign)
        add_file(archive, env, str(env))
    return buffer.getvalue()
