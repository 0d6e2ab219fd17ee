"""From an order to a command line and an environment; pure but for the folders."""

import subprocess
import sys
from pathlib import Path

import pytest

from nodeagent.disk.container_dir import AppEndpoint, ContainerDir
from nodeagent.host.free_ports import find_free_port
from nodeagent.launch.environment import ContainerPaths, container_environment
from nodeagent.ports import StartError
from nodeagent.process.launch import ProcessSettings, prepare_launch
from tests.fakes.work import SLEEPS, an_order
from wire.words import Device, ExitCause

PLACES = ContainerPaths("/home", "/work", "/bin")
NOTEBOOK = AppEndpoint("127.0.0.1", 40_000, "/e/w/", "secret-token")


def test_own_variables_change_common_ones_but_never_reserved_ones() -> None:
    own = {
        "LANG": "zh_CN.UTF-8",
        "MY": "1",
        "LD_PRELOAD": "/evil.so",
        "CUDA_VISIBLE_DEVICES": "all",
        "NVIDIA_VISIBLE_DEVICES": "all",
        "BERTH_NODE": "other",
    }
    env = container_environment(an_order(SLEEPS, env=own), PLACES, "gpu-1")
    assert (env["LANG"], env["MY"]) == ("zh_CN.UTF-8", "1")
    assert "LD_PRELOAD" not in env
    assert env["BERTH_NODE"] == "gpu-1"


def test_without_cards_all_cards_are_hidden() -> None:
    env = container_environment(an_order(SLEEPS, env={}), PLACES, "gpu-1")
    assert (env["CUDA_VISIBLE_DEVICES"], env["NVIDIA_VISIBLE_DEVICES"]) == ("", "void")


def test_slices_of_one_card_name_it_once_and_add_up() -> None:
    slices = tuple(Device("SIM-1", 4096, slot=slot, slices=8) for slot in range(3))
    env = container_environment(an_order(SLEEPS, devices=slices), PLACES, "gpu-1")
    assert env["CUDA_VISIBLE_DEVICES"] == "SIM-1"
    assert (env["BERTH_GPU_SLICES"], env["BERTH_GPU_MEMORY_MIB"]) == ("3", "12288")


def test_a_task_of_an_array_knows_which_one_it_is() -> None:
    task = {"id": "sweep", "index": 7, "size": 10}
    env = container_environment(an_order(SLEEPS, array=task), PLACES, "gpu-1")
    names = ("BERTH_ARRAY_ID", "BERTH_ARRAY_INDEX", "BERTH_ARRAY_SIZE")
    assert [env[name] for name in names] == ["sweep", "7", "10"]
    single = container_environment(an_order(SLEEPS), PLACES, "gpu-1")
    assert not set(names) & set(single)


def test_training_logs_to_mlflow_in_its_outputs_unless_it_says_otherwise() -> None:
    env = container_environment(an_order(SLEEPS), PLACES, "gpu-1")
    assert env["MLFLOW_TRACKING_URI"] == "file:/work/mlruns"
    ours = {"MLFLOW_TRACKING_URI": "https://mlflow.example.org"}
    assert container_environment(an_order(SLEEPS, env=ours), PLACES, "gpu-1")[
        "MLFLOW_TRACKING_URI"
    ].startswith("https:")
    notebook = container_environment(an_order(SLEEPS, kind="environment"), PLACES, "gpu-1")
    assert "MLFLOW_TRACKING_URI" not in notebook


def test_notebook_runs_in_its_workspace_with_its_secret_off_the_command_line(
    tmp_path: Path,
) -> None:
    settings, place = a_node(tmp_path, Path(sys.prefix))
    launch = prepare_launch(settings, an_order((), kind="environment"), place, NOTEBOOK)
    workspace = str(tmp_path / "storage/workspaces/job")
    assert (launch.cwd, launch.env["HOME"], launch.nice) == (workspace, workspace, 0)
    assert launch.env["JUPYTER_TOKEN"] == "secret-token"
    assert "secret-token" not in " ".join(launch.argv)
    assert f"--ServerApp.root_dir={workspace}" in launch.argv


@pytest.mark.parametrize(
    ("script", "is_direct"), [("#!/usr/bin/env python\n", True), ("echo hi\n", False)]
)
def test_script_without_an_interpreter_is_for_the_shell(
    tmp_path: Path, script: str, is_direct: bool
) -> None:
    settings, place = a_node(tmp_path, Path(sys.prefix))
    launch = prepare_launch(settings, an_order((), script=script), place, None)
    path = str(place.script_path)
    assert launch.argv == ((path,) if is_direct else ("/bin/sh", path))
    assert place.script_path.read_text() == script


@pytest.mark.parametrize("prefix", [None, Path("/nowhere")])
def test_image_without_a_local_environment_is_unavailable(
    tmp_path: Path, prefix: Path | None
) -> None:
    settings, place = a_node(tmp_path, prefix)
    with pytest.raises(StartError) as caught:
        prepare_launch(settings, an_order(SLEEPS), place, None)
    assert caught.value.cause is ExitCause.IMAGE_UNAVAILABLE


def test_image_without_jupyterlab_cannot_be_a_notebook(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    settings, place = a_node(tmp_path, tmp_path)
    with pytest.raises(StartError) as caught:
        prepare_launch(settings, an_order((), kind="environment"), place, NOTEBOOK)
    assert caught.value.cause is ExitCause.IMAGE_UNAVAILABLE


@pytest.mark.parametrize(
    ("launcher", "hosts", "way"),
    [
        ("mpi", ("10.0.0.7", "10.0.0.7"), "^vader,sm"),
        ("mpi", ("10.0.0.7", "10.0.0.8"), None),
        ("torchrun", ("10.0.0.7", "10.0.0.7"), None),
    ],
)
def test_ranks_of_mpi_that_share_a_host_do_not_share_its_memory(
    tmp_path: Path, launcher: str, hosts: tuple[str, ...], way: str | None
) -> None:
    """Each of them would make it under the same name: two ranks of two cards crashed."""
    settings, place = a_node(tmp_path, Path(sys.prefix))
    order = an_order(SLEEPS, ranks=2, hosts=hosts, launcher=launcher, env={})
    assert prepare_launch(settings, order, place, None).env.get("OMPI_MCA_btl") == way


def test_training_without_a_command_does_not_start(tmp_path: Path) -> None:
    settings, place = a_node(tmp_path, Path(sys.prefix))
    with pytest.raises(StartError) as caught:
        prepare_launch(settings, an_order(()), place, None)
    assert caught.value.cause is ExitCause.START_FAILED


def a_node(root: Path, prefix: Path | None) -> tuple[ProcessSettings, ContainerDir]:
    place = ContainerDir(root / "containers", an_order(()).key)
    place.path.mkdir(parents=True)
    return ProcessSettings("gpu-1", root / "storage", "127.0.0.1", {}, prefix), place


def test_picked_port_is_nobody_elses_before_its_server_listens() -> None:
    picked = find_free_port("127.0.0.1")
    asks = f"from nodeagent.host.free_ports import reserve_port; print(reserve_port({picked}))"
    answer = subprocess.run([sys.executable, "-c", asks], capture_output=True, check=True)
    assert answer.stdout == b"False\n"
