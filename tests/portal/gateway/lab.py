"""A real JupyterLab, started as a node agent does."""

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from deploy.onebox.options import find_free_port
from nodeagent.disk.container_dir import AppEndpoint
from nodeagent.launch.jupyter import copy_lab_files, lab_argv, lab_environment
from portal.endpoints.values import base_path
from tests.waiting import PATIENCE_S, wait_until


@contextmanager
def running_lab(notebook: UUID, home: Path, token: str) -> Iterator[AppEndpoint]:
    """Run it for the length of the block, as this notebook."""
    endpoint = AppEndpoint("127.0.0.1", find_free_port(), base_path(notebook), token)
    lab_files = copy_lab_files(home, {})
    program = str(Path(sys.executable).with_name("jupyter-lab"))
    process = subprocess.Popen(
        lab_argv(
            program,
            listen_on="127.0.0.1",
            endpoint=endpoint,
            root_dir=str(home),
            lab_files=str(lab_files),
        ),
        env={
            **os.environ,
            **lab_environment(endpoint, str(home), str(lab_files)),
            "HOME": str(home),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_until(lambda: _answers(endpoint), within_s=2 * PATIENCE_S)
        yield endpoint
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=PATIENCE_S)


def _answers(endpoint: AppEndpoint) -> bool:
    url = f"http://127.0.0.1:{endpoint.port}{endpoint.base_path}api/status?token={endpoint.token}"
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False
