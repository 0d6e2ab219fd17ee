"""Data sets are found below their folder, and nothing else is."""

import os
from pathlib import Path

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.datasets.places import (
    ENTRIES_MAX,
    DatasetPlaces,
    DatasetsInspection,
    link_datasets,
    resolve_dataset,
)
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.docker.containers.container_spec import DockerRuntimeSettings
from nodeagent.docker.start.mounts import resolve_mounts
from nodeagent.launch.environment import ContainerPaths, container_environment
from nodeagent.ports import ContainerOrder, StartError
from wire.facts import DATASET_FOLDERS_MAX
from wire.messages import ContainerSpec
from wire.mounts import DatasetMount

SPEC = ContainerSpec(
    kind="environment",
    workload="w",
    name="n",
    image="i",
    cpu_milli=1000,
    memory_mib=64,
    datasets=(DatasetMount(name="faces", path="vision/faces", version=3),),
)
ORDER = ContainerOrder(ContainerKey("a.0", 1), (), SPEC)


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """A node's folder of data sets with one in it, and a link that leads out."""
    (tmp_path / "sets" / "vision" / "faces").mkdir(parents=True)
    (tmp_path / "sets" / "vision" / "faces" / "one.txt").write_text("1")
    (tmp_path / "sets" / "out").symlink_to("/etc")
    return tmp_path / "sets"


def test_work_without_a_container_gets_links(sets: Path, tmp_path: Path) -> None:
    places = DatasetPlaces(sets, tmp_path)
    folder = link_datasets(places, SPEC.datasets, tmp_path)
    again = link_datasets(places, SPEC.datasets, tmp_path)

    assert (folder / "faces" / "one.txt").read_text() == "1"
    assert again == folder
    assert not link_datasets(places, (), sets).exists()


def test_a_container_gets_a_mount_that_nobody_writes_to(sets: Path, tmp_path: Path) -> None:
    settings = DockerRuntimeSettings(
        node="n",
        storage_dir=tmp_path / "storage",
        bind_address="127.0.0.1",
        network="bridge",
        user_id=1000,
        cpu_milli_max=1000,
        datasets_dir=sets,
    )
    settings.storage_dir.mkdir()

    place = ContainerDir(tmp_path, ORDER.key)
    os.close(place.create(()))

    found = resolve_mounts(settings, ORDER, place, None)

    [mount] = [mount for mount in found.mounts if mount.target == "/data/faces"]
    assert (mount.source, mount.is_read_only) == (sets / "vision" / "faces", True)
    assert "/data/faces" in dict(found.identities)


@pytest.mark.parametrize("path", ["missing", "out", "../sets", "/etc", "vision/../../etc"])
def test_what_is_not_below_the_folder_is_no_data_set(sets: Path, path: str) -> None:
    with pytest.raises(StartError, match="dataset_missing: x"):
        resolve_dataset(DatasetPlaces(sets, sets), DatasetMount(name="x", path=path), sets)


def test_a_node_without_the_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(StartError, match=r"dataset_missing: x$"):
        resolve_dataset(DatasetPlaces(None, tmp_path), DatasetMount(name="x", path="x"), tmp_path)


def test_what_the_portal_published_is_found_on_the_storage(sets: Path, tmp_path: Path) -> None:
    storage = tmp_path / "storage"
    (storage / "published" / "1").mkdir(parents=True)
    (storage / "published" / "out").symlink_to("/etc")
    item = DatasetMount(name="x", path="published/1", is_published=True)

    for places in (DatasetPlaces(sets, storage), DatasetPlaces(None, storage)):
        assert resolve_dataset(places, item, tmp_path).path == storage / "published" / "1"
        with pytest.raises(StartError, match="dataset_missing: x"):
            resolve_dataset(places, item.model_copy(update={"path": "published/out"}), tmp_path)
    with pytest.raises(StartError, match="dataset_missing: x"):
        resolve_dataset(
            DatasetPlaces(sets, storage), item.model_copy(update={"is_published": False}), tmp_path
        )


async def test_a_node_reports_its_folders_of_data(sets: Path, tmp_path: Path) -> None:
    async def folders(of: Path | None) -> tuple[str, ...] | None:
        return (await DatasetsInspection(of).inspect()).dataset_folders

    assert await folders(sets) == ("out", "vision", "vision/faces")
    (tmp_path / "flat" / "photos" / "new").mkdir(parents=True)
    for number in range(ENTRIES_MAX):
        (tmp_path / "flat" / "photos" / f"{number}.jpg").touch()
    assert await folders(tmp_path / "flat") == ("photos",), "too much in it to be told whole"
    for number in range(DATASET_FOLDERS_MAX - 2):
        (sets / "vision" / str(number)).mkdir()
    assert await folders(sets) == ("out", "vision"), "no room for those below"
    assert await folders(None) == await folders(tmp_path / "none") == ()
    for number in range(DATASET_FOLDERS_MAX + 1):
        (tmp_path / "many" / str(number)).mkdir(parents=True)
    assert await folders(tmp_path / "many") is None


def test_work_is_told_where_its_data_is() -> None:
    places = ContainerPaths("/home", "/work", data_dir="/data")
    without = ContainerOrder(ContainerKey("a.0", 1), (), SPEC.model_copy(update={"datasets": ()}))

    told = container_environment(ORDER, places, "n")
    assert (told["BERTH_DATA_DIR"], told["BERTH_DATASETS"]) == ("/data", "faces@3")
    assert "BERTH_DATA_DIR" not in container_environment(without, places, "n")
