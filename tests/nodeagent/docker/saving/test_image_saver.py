"""What the agent asks of an engine to save a container, against an engine on paper."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from nodeagent.core.image_saves import ImageSaveError, SaveOrder, TransientSaveError
from nodeagent.core.state import ContainerKey
from nodeagent.docker.containers.container_spec import LABEL_ALLOCATION, LABEL_EPOCH, LABEL_NODE
from nodeagent.docker.containers.node_containers import NodeContainers
from nodeagent.docker.engine.client import DockerEngine
from nodeagent.docker.saving.image_saver import DockerImageSaver
from tests.fakes.docker_engine import SET, FakeDockerEngine, RefusalError, fake_docker_engine
from wire.images import RegistryLogin

KEY: Final = ContainerKey("job.0", 1)
ORDER: Final = SaveOrder("save-1", KEY, "hub.example.org:5000/berth/save-1:saved", 10**9)
LOGIN: Final = RegistryLogin(host="hub.example.org:5000", username="berth", password="secret-7")
DIGEST: Final = f"sha256:{64 * 'a'}"
PUSHED: Final[list[dict[str, Any]]] = [
    {"status": "Layer already exists", "id": "base"},
    {"status": "Pushing", "id": "new", "progressDetail": {"current": 512, "total": 1024}},
    {"status": "Pushed", "id": "new"},
    {"aux": {"Tag": "saved", "Digest": DIGEST, "Size": 1}},
]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[FakeDockerEngine]:
    with fake_docker_engine(tmp_path) as engine:
        engine.made["sha256:base"] = {
            "Id": "sha256:base",
            "RepoTags": ["berth/lab:1"],
            "Size": 1000,
            "Config": {"Env": ["PATH=/opt/lab"], "Cmd": ["lab"], "Labels": {}},
        }
        engine.rows["notebook"] = {
            "Id": "notebook",
            "Name": "berth-n-job.0-1",
            "Image": "sha256:base",
            "SizeRw": 1000,
            "SizeRootFs": 2000,
            "State": {"Status": "running", "Running": True, "StartedAt": SET},
            "Config": {
                "Env": ["PATH=/opt/lab", "JUPYTER_TOKEN=canary-token", "OWN=canary-own"],
                "Cmd": ["lab", "--base=canary-path"],
                "User": "1000:1000",
                "Labels": {LABEL_NODE: "n", LABEL_ALLOCATION: "job.0", LABEL_EPOCH: "1"},
            },
        }
        engine.push_lines = PUSHED
        yield engine


@pytest.fixture
def saver(engine: FakeDockerEngine) -> Iterator[DockerImageSaver]:
    client = DockerEngine(engine.url)
    yield DockerImageSaver(NodeContainers(client, "n"))
    client.close()


def left(engine: FakeDockerEngine) -> tuple[list[str], list[str]]:
    """Return the images and containers besides those of the scene."""
    return sorted(set(engine.made) - {"sha256:base"}), sorted(set(engine.rows) - {"notebook"})


async def test_nothing_of_the_run_is_in_what_is_pushed(
    engine: FakeDockerEngine, saver: DockerImageSaver
) -> None:
    assert await saver.find_committed(ORDER) is None
    assert await saver.commit(ORDER) == 4096
    assert await saver.find_committed(ORDER) == 4096
    heard: list[tuple[int, int]] = []
    digest = await saver.push(ORDER, LOGIN, lambda sent, total: heard.append((sent, total)))
    assert digest == DIGEST
    assert heard[-1] == (1024, 1024)

    image, login = engine.pushed[ORDER.reference]
    assert login == {
        "username": "berth",
        "password": "secret-7",
        "serveraddress": "hub.example.org:5000",
    }
    # Old engines keep the whole configuration of the container beside that of the image.
    assert "canary" not in json.dumps(image)
    assert image["Config"]["Env"] == ["PATH=/opt/lab", "JUPYTER_TOKEN", "OWN"]
    assert image["Config"]["Cmd"] == ["lab"]
    assert set(image["Config"]["Labels"].values()) == {""}

    await saver.discard(ORDER.save, ORDER.reference)
    assert left(engine) == ([], [])


async def test_the_container_is_not_paused(
    engine: FakeDockerEngine, saver: DockerImageSaver
) -> None:
    await saver.commit(ORDER)
    assert [item.get("Pause") for item in engine.made.values()] == [None, "False", "False"]


@pytest.mark.parametrize("call", ["create", "commit"])
async def test_a_commit_that_fails_half_way_leaves_nothing(
    engine: FakeDockerEngine, saver: DockerImageSaver, call: str
) -> None:
    def refuse(name: str) -> None:
        if name == call and (call == "create" or engine.asked.count("commit") == 2):
            raise RefusalError("write: no space left on device")

    engine.before = refuse
    with pytest.raises(ImageSaveError, match="disk_full"):
        await saver.commit(ORDER)
    engine.before = lambda _: None
    await saver.discard(ORDER.save, ORDER.reference)
    assert left(engine) == ([], [])


async def test_a_commit_that_is_given_up_is_ended_before_it_is_removed(
    engine: FakeDockerEngine, saver: DockerImageSaver
) -> None:
    entered, go = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def hold(name: str) -> None:
        if name == "commit" and not entered.is_set():
            loop.call_soon_threadsafe(entered.set)
            asyncio.run_coroutine_threadsafe(go.wait(), loop).result()

    engine.before = hold
    work = asyncio.create_task(saver.commit(ORDER))
    await entered.wait()
    work.cancel()
    removal = asyncio.create_task(saver.discard(ORDER.save, ORDER.reference))
    go.set()
    await removal
    assert left(engine) == ([], [])


async def test_a_container_that_has_ended_or_is_too_large_is_not_committed(
    engine: FakeDockerEngine, saver: DockerImageSaver
) -> None:
    small = SaveOrder(ORDER.save, KEY, ORDER.reference, 1999)
    with pytest.raises(ImageSaveError, match="image_too_large"):
        await saver.commit(small)
    engine.rows["notebook"]["State"]["Running"] = False
    with pytest.raises(ImageSaveError, match="notebook_ended"):
        await saver.commit(ORDER)
    del engine.rows["notebook"]
    with pytest.raises(ImageSaveError, match="notebook_ended"):
        await saver.commit(ORDER)
    assert "commit" not in engine.asked


async def test_a_push_that_breaks_off_may_be_tried_again_and_one_that_is_refused_not(
    engine: FakeDockerEngine, saver: DockerImageSaver
) -> None:
    await saver.commit(ORDER)
    engine.push_lines = PUSHED[:2]
    with pytest.raises(TransientSaveError, match="registry_unreachable"):
        await saver.push(ORDER, LOGIN, lambda *_: None)
    engine.push_lines = [*PUSHED[:2], {"error": "unauthorized: authentication required"}]
    with pytest.raises(ImageSaveError, match="image_no_access") as caught:
        await saver.push(ORDER, LOGIN, lambda *_: None)
    assert not isinstance(caught.value, TransientSaveError)
    assert "secret-7" not in caught.value.detail


async def test_an_image_that_work_has_pulled_since_stays(
    engine: FakeDockerEngine, saver: DockerImageSaver
) -> None:
    await saver.commit(ORDER)
    image = next(item for item in engine.made.values() if item["RepoTags"] == [ORDER.reference])
    await saver.discard(ORDER.save, ORDER.reference)
    pulled = {**image, "RepoTags": [], "RepoDigests": [f"hub.example.org:5000/b@{DIGEST}"]}
    engine.made[image["Id"]] = pulled
    await saver.discard(ORDER.save, ORDER.reference)
    assert image["Id"] in engine.made
