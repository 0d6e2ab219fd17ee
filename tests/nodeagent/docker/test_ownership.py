"""Two installations on one engine whose nodes have the same name: neither touches the other's work."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from nodeagent.core.state import ContainerKey, Finished
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.docker.containers.container_spec import LABEL_NODE_ID, DockerRuntimeSettings
from nodeagent.docker.engine.client import DockerEngine
from nodeagent.docker.fence import DockerFence
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.ports import RunningContainer
from tests.fakes import work
from tests.fakes.docker_engine import FakeDockerEngine, fake_docker_engine
from tests.fakes.work import an_order, ignore_progress
from tests.nodeagent.docker.test_runtime import at_work
from tests.waiting import wait_until_async
from wire.words import ExitCause

FIRST, SECOND = ContainerKey("job.0", 1), ContainerKey("job.0", 2)
NAMES = {FIRST: "berth-gpu-1-job.0-1", SECOND: "berth-gpu-1-job.0-2"}


class Installation:
    """The node `gpu-1` of one portal."""

    def __init__(self, engine: FakeDockerEngine, root: Path, node_id: str) -> None:
        self.root, self.node_id, self.url = root, node_id, engine.url
        self.engine = DockerEngine(engine.url)
        self.runtime = self.restarted(node_id)

    def restarted(self, node_id: str) -> DockerRuntime:
        settings = DockerRuntimeSettings(
            "gpu-1", self.root / "storage", "127.0.0.1", "host", 1000, 2000, node_id=node_id
        )
        return DockerRuntime(self.root / "containers", settings, self.engine)

    async def start(self, key: ContainerKey) -> None:
        await self.runtime.start(an_order(work.SLEEPS, epoch=key.epoch), ignore_progress)

    def fence(self) -> DockerFence:
        return DockerFence(self.root / "containers", self.url, "gpu-1", self.node_id)


@asynccontextmanager
async def two_installations(
    tmp_path: Path,
) -> AsyncIterator[tuple[FakeDockerEngine, Installation, Installation]]:
    with fake_docker_engine(tmp_path) as engine:
        both = [Installation(engine, tmp_path / name, name) for name in ("one", "other")]
        yield engine, both[0], both[1]
        await wait_until_async(lambda: not at_work())
        for item in both:
            item.engine.close()


async def keys(runtime: DockerRuntime) -> list[ContainerKey]:
    held = await runtime.list_containers()
    return [item.container.key for item in held if isinstance(item, RunningContainer)]


async def test_nodes_of_one_name_see_their_own_containers_only(tmp_path: Path) -> None:
    async with two_installations(tmp_path) as (_, one, other):
        await one.start(FIRST)
        await other.start(SECOND)
        assert (await keys(one.runtime), await keys(other.runtime)) == ([FIRST], [SECOND])


async def test_stopping_all_of_one_leaves_the_other_s_work(tmp_path: Path) -> None:
    async with two_installations(tmp_path) as (engine, one, other):
        await one.start(FIRST)
        await other.start(SECOND)
        fence = other.fence()
        assert await asyncio.to_thread(fence.stop_all, ExitCause.VANISHED, 0) == 1
        await asyncio.to_thread(fence.kill_all)
        assert engine.row(NAMES[FIRST])["State"]["Status"] == "running"
        assert engine.row(NAMES[SECOND])["State"]["Status"] == "exited"


async def test_an_end_that_is_not_reported_yet_stays_its_owner_s(tmp_path: Path) -> None:
    async with two_installations(tmp_path) as (engine, one, other):
        await one.start(FIRST)
        engine.finish(NAMES[FIRST], 3)
        assert await other.runtime.list_containers() == ()
        (end,) = await one.runtime.list_containers()
        assert isinstance(end, Finished)
        assert end.exit_code == 3


async def test_container_of_before_ids_is_its_node_s_by_its_directory(tmp_path: Path) -> None:
    async with two_installations(tmp_path) as (engine, one, other):
        await one.start(FIRST)
        del engine.row(NAMES[FIRST])["Config"]["Labels"][LABEL_NODE_ID]
        assert (await keys(one.runtime), await keys(other.runtime)) == ([FIRST], [])
        assert await asyncio.to_thread(other.fence().count_live) == 0
        assert await asyncio.to_thread(one.fence().count_live) == 1
        engine.finish(NAMES[FIRST], 0)
        await wait_until_async(lambda: not at_work())
        ContainerDir(one.root / "containers", FIRST).remove()
        assert await one.runtime.list_containers() == ()
        assert NAMES[FIRST] in {row["Name"] for row in engine.rows.values()}


async def test_node_that_has_joined_under_another_id_goes_on_with_its_work(tmp_path: Path) -> None:
    async with two_installations(tmp_path) as (_, one, _other):
        await one.start(FIRST)
        assert await keys(one.restarted("joined again")) == [FIRST]
