"""Homes, group volumes and outputs of earlier jobs: found below the storage, and nothing else is."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import AppEndpoint, ContainerDir
from nodeagent.docker.containers.container_spec import DockerRuntimeSettings, create_options
from nodeagent.docker.start.mounts import ResolvedMounts, resolve_mounts
from nodeagent.docker.start.user_map import UserMap
from nodeagent.ports import ContainerOrder, StartError
from nodeagent.process.launch import ProcessSettings, prepare_launch
from tests.fakes.work import SLEEPS, an_order
from wire.messages import ContainerSpec
from wire.mounts import InputMount, VolumeMount

SPEC = ContainerSpec(
    kind="environment",
    workload="w",
    name="n",
    image="i",
    cpu_milli=1000,
    memory_mib=64,
    home=VolumeMount(name="home", volume="h"),
    volumes=(
        VolumeMount(name="shared", volume="s"),
        VolumeMount(name="readings", volume="r", is_read_only=True),
    ),
    inputs=(InputMount(name="model", workload="earlier"),),
)
ORDER = ContainerOrder(ContainerKey("a.0", 1), (), SPEC)
NOTEBOOK = AppEndpoint("127.0.0.1", 40_000, "/e/w/", "secret-token")


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    """The storage of a node, on which an earlier job has left something."""
    (tmp_path / "storage" / "outputs" / "earlier").mkdir(parents=True)
    (tmp_path / "storage" / "outputs" / "earlier" / "model.pt").write_text("weights")
    return tmp_path / "storage"


def docker_settings(storage: Path) -> DockerRuntimeSettings:
    return DockerRuntimeSettings(
        node="n",
        storage_dir=storage,
        bind_address="127.0.0.1",
        network="bridge",
        user_id=1000,
        cpu_milli_max=1000,
    )


def mounts(storage: Path, users: UserMap | None = None) -> ResolvedMounts:
    place = ContainerDir(storage.parent, ORDER.key)
    os.close(place.create(()))
    return resolve_mounts(docker_settings(storage), ORDER, place, users)


def test_a_container_has_them_at_the_same_places_everywhere(storage: Path) -> None:
    found = mounts(storage)

    places = {mount.target: (mount.source, mount.is_read_only) for mount in found.mounts}
    assert places["/home/berth"] == (storage / "volumes" / "h", False)
    assert places["/volumes/shared"] == (storage / "volumes" / "s", False)
    assert places["/volumes/readings"] == (storage / "volumes" / "r", True)
    assert places["/inputs/model"] == (storage / "outputs" / "earlier", True)
    assert {"/home/berth", "/volumes/shared", "/inputs/model"} <= dict(found.identities).keys()


def test_a_notebook_starts_in_its_home_and_a_job_in_its_outputs(storage: Path) -> None:
    def options(order: ContainerOrder, endpoint: AppEndpoint | None) -> tuple[str, str]:
        made = create_options(docker_settings(storage), order, endpoint, ())
        return made["working_dir"], made["environment"]["HOME"]

    job = ContainerOrder(
        ORDER.key, (), SPEC.model_copy(update={"kind": "training", "command": ("true",)})
    )
    without = ContainerOrder(ORDER.key, (), SPEC.model_copy(update={"home": None}))
    assert options(ORDER, NOTEBOOK) == ("/home/berth", "/home/berth")
    assert options(job, None) == ("/outputs", "/home/berth")
    assert options(without, NOTEBOOK) == ("/workspace", "/workspace")
    made = create_options(docker_settings(storage), ORDER, NOTEBOOK, ())
    assert "--ServerApp.root_dir=/home/berth" in made["command"]
    assert made["environment"]["JUPYTER_RUNTIME_DIR"] == "/workspace/.jupyter-runtime"


@pytest.mark.parametrize("users", [UserMap(), UserMap(100_000, 100_000)])
def test_volumes_belong_to_the_user_of_all_work(storage: Path, users: UserMap) -> None:
    mounts(storage, users)

    for name in ("h", "s", "r"):
        found = (storage / "volumes" / name).stat()
        assert (found.st_uid, found.st_gid) == users.host_owner(1000)


def a_link(place: Path) -> None:
    place.symlink_to("/etc")


def a_fifo(place: Path) -> None:
    os.mkfifo(place)


def a_socket_less_device(place: Path) -> None:
    os.mknod(place, 0o20600, os.makedev(1, 3))


@pytest.mark.parametrize("put", [a_link, a_fifo, a_socket_less_device])
@pytest.mark.parametrize(
    ("below", "refusal"),
    [("volumes/h", "volume_missing: berth"), ("outputs/earlier", "input_missing: model")],
)
def test_what_somebody_put_in_its_place_is_not_mounted(
    storage: Path, put: Callable[[Path], None], below: str, refusal: str
) -> None:
    place = storage / below
    if place.exists():
        (place / "model.pt").unlink()
        place.rmdir()
    place.parent.mkdir(exist_ok=True)
    put(place)

    with pytest.raises(StartError, match=refusal):
        mounts(storage)


def test_a_folder_above_that_is_a_link_is_not_followed(storage: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (storage / "volumes").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StartError, match="volume_missing"):
        mounts(storage)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_volume_that_is_read_only_elsewhere_keeps_a_name_of_255_bytes(storage: Path) -> None:
    (storage / "volumes" / "h").mkdir(parents=True)
    (storage / "volumes" / "h" / ("ü" * 127 + "x")).touch()

    assert mounts(storage).mounts


def test_outputs_that_are_gone_are_named(storage: Path) -> None:
    (storage / "outputs" / "earlier" / "model.pt").unlink()
    (storage / "outputs" / "earlier").rmdir()

    with pytest.raises(StartError, match="input_missing: model"):
        mounts(storage)


def test_work_without_a_container_gets_links_and_variables(storage: Path, tmp_path: Path) -> None:
    settings = ProcessSettings(
        node="n",
        storage_dir=storage,
        bind_address="127.0.0.1",
        images={},
        default_prefix=Path(sys.prefix),
    )
    order = an_order(SLEEPS, home=SPEC.home, volumes=SPEC.volumes, inputs=SPEC.inputs)
    place = ContainerDir(tmp_path, order.key)
    os.close(place.create(()))

    launch = prepare_launch(settings, order, place, None)

    assert Path(launch.env["HOME"]) == storage / "volumes" / "h"
    (Path(launch.env["BERTH_VOLUMES_DIR"]) / "shared" / "a.txt").write_text("1")
    assert (storage / "volumes" / "s" / "a.txt").read_text() == "1"
    assert (Path(launch.env["BERTH_INPUTS_DIR"]) / "model" / "model.pt").read_text() == "weights"
