"""Containers mount the node's copy of a published version, read-only, and keep it while they exist."""

import asyncio
from pathlib import Path

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.datasets.cache import DatasetCache
from nodeagent.docker.runtime import DockerRuntime
from tests.fakes.work import an_order, ignore_progress
from tests.nodeagent.docker.daemon.conftest import FaultyNode
from tests.waiting import PATIENCE_S
from wire.mounts import DatasetMount

pytestmark = pytest.mark.docker

FACES = DatasetMount(name="faces", path="published/v1", is_published=True)
READS = (
    "perl",
    "-e",
    (
        "open F, '/data/faces/one'; print <F>; "
        "print open(W, '>', '/data/faces/two') ? 'written ' : 'refused '; "
        "open M, '/proc/self/mountinfo'; print grep { m{ /data/faces } } <M>;"
    ),
)


async def printed(runtime: DockerRuntime, epoch: int) -> str:
    """Run work that reads the data set; return what it prints."""
    order = an_order(READS, epoch=epoch, datasets=(FACES,))
    key = order.key
    await runtime.start(order, ignore_progress)
    async with asyncio.timeout(PATIENCE_S):
        await runtime.wait_for_end(key)
    return (await runtime.read_log(key, 0, 10_000)).decode()


async def test_work_reads_the_copy_and_keeps_it(node: FaultyNode, tmp_path: Path) -> None:
    published = tmp_path / "storage" / "published" / "v1"
    published.mkdir(parents=True)
    (published / "one").write_text("data ")
    cache = DatasetCache(tmp_path / "cache", 1, tmp_path / "containers")
    runtime = node.runtime(dataset_cache=cache)

    assert f"{published} /data/faces ro," in await printed(runtime, 1)
    cache.fill("v1", published, (), lambda *_: None)
    (published / "one").write_text("changed ")
    text = await printed(runtime, 2)

    assert text.startswith("data refused ")
    assert f"{cache.folder}/v1 /data/faces ro," in text
    cache.remove(["v1"])
    assert (cache.folder / "v1" / "one").exists(), "the container is still there"
    await runtime.remove(ContainerKey("job.0", 2))
    cache.remove(["v1"])
    assert not (cache.folder / "v1").exists()
