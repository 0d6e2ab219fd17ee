"""The light notebook of the demo, as its node starts it: it answers as a JupyterLab does, and is small."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import psutil
import pytest

from deploy.onebox.nodes import list_nodes, write_config
from deploy.onebox.options import find_free_port, parse_options
from nodeagent.app.readiness import SERVER_PROBE, wait_for_server
from nodeagent.config import load_config
from nodeagent.disk.container_dir import AppEndpoint
from nodeagent.idle.jupyter_client import read_activity
from nodeagent.launch.jupyter import PROGRAM, lab_argv
from portal.demo.organisation import build_simulated_image
from portal.inventory.gpu_models import find_gpu_model

MEMORY_MAX = 12 * 2**20


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The program that stands for the image on a node of the launcher."""
    options = parse_options(["--data-dir", str(tmp_path), "--nodes", "5"])
    node = list_nodes(options)[-1]
    write_config(node, options, None, "")
    prefix = load_config(node.config).process_images[build_simulated_image().reference]
    assert (prefix / "bin" / "python").exists()
    return prefix / "bin" / PROGRAM


@contextmanager
def started(program: Path, endpoint: AppEndpoint) -> Iterator[psutil.Process]:
    argv = lab_argv(
        str(program), listen_on=endpoint.host, endpoint=endpoint, root_dir="/", lab_files="/lab"
    )
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL) as process:
        try:
            yield psutil.Process(process.pid)
        finally:
            process.terminate()


async def test_it_is_ready_idle_small_and_says_what_it_is(program: Path) -> None:
    endpoint = AppEndpoint("127.0.0.1", find_free_port(), "/e/some-notebook/", "token")
    with started(program, endpoint) as process:
        await wait_for_server(endpoint, SERVER_PROBE)
        activity = await read_activity(endpoint)
        assert (activity.is_busy, activity.kernels, activity.terminals) == (False, "", "")
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"http://127.0.0.1:{endpoint.port}/e/some-notebook/lab") as answer,
        ):
            assert "Simulated notebook · 模拟 Notebook" in await answer.text()
        assert process.memory_info().rss <= MEMORY_MAX


def test_the_last_nodes_have_four_cards_each_in_a_pool_of_its_own(
    tmp_path: Path,
) -> None:
    options = parse_options(["--data-dir", str(tmp_path)])
    nodes = list_nodes(options)
    assert [(node.name, node.pool) for node in nodes] == [
        ("gpu-dev-1", "development"),
        ("gpu-train-1", "training"),
        ("gpu-dev-2", "development"),
        ("gpu-train-2", "training"),
        ("gpu-share-1", "shares"),
        ("gpu-serve-1", "services"),
    ]
    for node in nodes:
        write_config(node, options, None, "")
    cards = [load_config(node.config).simulated.expand() for node in nodes]
    assert [len(each) for each in cards] == [8, 8, 8, 8, 4, 4]
    model = find_gpu_model(cards[4][0].model)
    assert model is not None
    assert model.name == "NVIDIA L40S 48GB"
    assert cards[4][0].memory_mib < model.memory_mib
