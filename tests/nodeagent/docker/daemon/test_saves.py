"""A container becomes an image in a real registry: what is in it, what is not, and what goes wrong."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final
from uuid import uuid1

import pytest

from nodeagent.app.image_saves import ImageSaves
from nodeagent.core.image_saves import SaveOrder, SaveProgress
from nodeagent.core.state import ContainerKey
from nodeagent.disk.begun_saves import BegunSavesFile
from nodeagent.disk.build_files import BuildFiles
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.docker.saving.image_saver import DockerImageSaver
from nodeagent.ports import ContainerOrder, StartError
from tests.docker_registry import DockerRegistry, Logins
from tests.fakes.work import an_order, ignore_progress
from tests.nodeagent.docker.daemon.conftest import FaultyNode
from tests.nodeagent.docker.daemon.daemon import Daemon
from tests.nodeagent.docker.daemon.images import with_open_folder
from tests.tiny_image import programs_root
from tests.waiting import PATIENCE_S, wait_until_async
from wire.words import ExitCause, SavePhase

pytestmark = pytest.mark.docker

CANARY: Final = "canary-5d1f"
BASE: Final = "berth/lab:1"
"""The tiny image with a folder in which people install."""
WRITES: Final = ("sh", "-c", "echo it is installed > /lab/package; echo ready; sleep 1000")
READS: Final = ("sh", "-c", "cat /lab/package; echo [${MY_PASSWORD-unset}]")
GIB: Final = 1024**3


@pytest.fixture(scope="module", autouse=True)
def base(daemon: Daemon) -> None:
    root = with_open_folder(programs_root(), "lab")
    name, _, tag = BASE.partition(":")
    with daemon.client() as client:
        client.api.import_image_from_data(root, repository=name, tag=tag)


class Node:
    """A node with a container that has written into its own files."""

    def __init__(self, node: FaultyNode, hub: DockerRegistry) -> None:
        self.node = node
        self.hub = hub
        self.logins = Logins(hub.host)
        self.runtime: DockerRuntime = node.runtime()
        self.save = str(uuid1())

    @property
    def repository(self) -> str:
        return f"berth/{self.save}"

    def order(self, bytes_max: int = GIB, host: str = "") -> SaveOrder:
        reference = f"{host or self.hub.host}/{self.repository}:saved"
        return SaveOrder(self.save, ContainerKey("job.0", 1), reference, bytes_max)

    async def start(self) -> None:
        env = {"MY_PASSWORD": CANARY, "PERL_BADLANG": "0"}
        order = an_order(WRITES, image=BASE, env=env)
        await self.runtime.start(order, ignore_progress)

        async def is_ready() -> bool:
            return b"ready" in await self.runtime.read_log(order.key, 0, 100)

        await wait_until_async(is_ready)

    @asynccontextmanager
    async def saving(self, order: SaveOrder, root: Path) -> AsyncIterator[ImageSaves]:
        """Carry out an order as a new agent of the node does."""
        saves = ImageSaves(
            self.runtime.image_saver,
            self.logins,
            BegunSavesFile(root / "saves.json"),
            BuildFiles(root / "containers"),
            pause_s=0.1,
        )
        saves.connect(lambda _: True, lambda: None)
        task = asyncio.create_task(saves.run())
        saves.set_orders((order,))
        try:
            yield saves
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def ended(self, order: SaveOrder, root: Path) -> SaveProgress:
        async with self.saving(order, root) as saves:
            store = BegunSavesFile(root / "saves.json")

            def is_over() -> bool:
                return saves.reports()[self.save].phase.has_ended and not self.left_here()

            await wait_until_async(is_over, within_s=4 * PATIENCE_S)
            assert store.load()[self.save].progress == saves.reports()[self.save]
            return saves.reports()[self.save]

    def left_here(self) -> list[str]:
        """Return what of the save is still on the node."""
        with self.node.daemon.client() as client:
            tags = [tag for image in client.images.list() for tag in image.tags]
            parts = client.images.list(all=True, filters={"label": f"berth.save={self.save}"})
            helpers = client.containers.list(all=True, filters={"name": f"berth-save-{self.save}"})
        named = [tag for tag in tags if self.save in tag]
        return [*named, *(str(part.id) for part in parts), *(str(one.id) for one in helpers)]

    def config_of(self, digest: str) -> dict[str, Any]:
        """Return the configuration of an image in the registry."""
        manifest = self.hub.manifest(self.repository, digest)
        assert manifest is not None
        return dict(json.loads(self.hub.blob(self.repository, manifest["config"]["digest"])))


@pytest.fixture
def one(node: FaultyNode, hub: DockerRegistry) -> Node:
    return Node(node, hub)


async def test_a_saved_container_runs_elsewhere_and_has_nothing_of_the_run(
    one: Node, tmp_path: Path
) -> None:
    await one.start()
    done = await one.ended(one.order(), tmp_path)
    assert (done.phase, done.detail) == (SavePhase.SAVED, "")
    assert done.size_bytes > 0
    assert one.left_here() == []

    config = one.config_of(done.digest)
    everything = one.hub.unpacked(one.repository, done.digest)
    assert CANARY.encode() not in everything
    assert b"job.0" not in json.dumps(config).encode()
    assert [line for line in config["config"]["Env"] if "=" in line] == [
        line for line in _base_env(one) if "=" in line
    ]
    assert b"it is installed\n" in everything

    reference = f"{one.hub.host}/{one.repository}@{done.digest}"
    again = an_order(READS, epoch=2, image=reference)
    without = one.node.runtime()
    refused = await _start_error(without, again)
    assert refused.startswith("image_no_access")
    pulled = ContainerOrder(again.key, again.devices, again.spec, registry_login=one.logins.login)
    await one.runtime.start(pulled, ignore_progress)
    assert (await one.runtime.wait_for_end(again.key)).exit_code == 0
    log = await one.runtime.read_log(again.key, 0, 1000)
    assert log.splitlines()[0] == b"it is installed"
    assert log.splitlines()[1] == b"[unset]"


async def test_an_agent_that_ends_between_commit_and_push_makes_one_image(
    one: Node, tmp_path: Path
) -> None:
    await one.start()
    saver: DockerImageSaver = one.runtime.image_saver
    size = await saver.commit(one.order())
    assert await saver.find_committed(one.order()) == size
    await one.runtime.stop(ContainerKey("job.0", 1), ExitCause.STOPPED, 0)
    await one.runtime.wait_for_end(ContainerKey("job.0", 1))

    done = await one.ended(one.order(), tmp_path)

    assert (done.phase, done.size_bytes) == (SavePhase.SAVED, size)
    assert one.left_here() == []


async def test_a_half_commit_of_an_earlier_agent_is_removed_first(
    one: Node, tmp_path: Path
) -> None:
    await one.start()
    with one.node.daemon.client() as client:
        client.api.create_container(BASE, ["true"], name=f"berth-save-{one.save}")
        (found,) = one.node.ids()
        client.api.commit(found, pause=False, conf={"Labels": {"berth.save": one.save}})
    assert len(one.left_here()) == 2
    assert (await one.ended(one.order(), tmp_path)).phase is SavePhase.SAVED
    assert one.left_here() == []


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("too large", "image_too_large"),
        ("login", "image_no_access"),
        ("registry", "registry_unreachable"),
        ("ended", "notebook_ended"),
    ],
)
async def test_each_failure_has_its_code_and_leaves_nothing(
    one: Node, tmp_path: Path, fault: str, code: str
) -> None:
    order = one.order()
    if fault != "ended":
        await one.start()
    if fault == "too large":
        order = one.order(bytes_max=1000)
    if fault == "login":
        one.logins = Logins(one.hub.host, "wrong")
    if fault == "registry":
        away = "127.0.0.1:1"
        one.logins = Logins(away)
        order = one.order(host=away)
    done = await one.ended(order, tmp_path)
    assert done.phase is SavePhase.FAILED
    assert done.detail.split(":")[0] == code
    assert one.left_here() == []
    assert one.hub.manifest(one.repository, "saved") is None


def _base_env(one: Node) -> list[str]:
    with one.node.daemon.client() as client:
        return list(client.images.get(BASE).attrs["Config"].get("Env") or [])


async def _start_error(runtime: DockerRuntime, order: ContainerOrder) -> str:
    with pytest.raises(StartError) as caught:
        await runtime.start(order, ignore_progress)
    return caught.value.detail
