"""Topics: from Redis to subscribers, through its outages."""

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError

from deploy.onebox.stores import redis_server
from portal.common.notifications import CHANNEL, UNKNOWN_SEQ
from portal.common.redis_client import own_channel
from portal.live.broadcast import FRAMES_MAX, REMEMBERED_MAX, Broadcaster
from tests.waiting import PATIENCE_S


@pytest.fixture
async def broadcaster(redis_url: str) -> AsyncIterator[Broadcaster]:
    """Return a broadcaster that reads from a real Redis."""
    broadcaster = Broadcaster()
    reader = asyncio.create_task(broadcaster.run(redis_url))
    with broadcaster.subscribe() as subscriber:
        subscriber.add("up")
        assert await subscriber.wait_topics(within_s=PATIENCE_S) == {"up": UNKNOWN_SEQ}
    yield broadcaster
    reader.cancel()
    await asyncio.gather(reader, return_exceptions=True)


async def send(redis_url: str, *topics: str, seq: int = UNKNOWN_SEQ) -> None:
    async with Redis.from_url(redis_url) as redis:
        await redis.publish(own_channel(redis, CHANNEL), a_message(*topics, seq=seq))


def a_message(*topics: str, seq: int) -> str:
    return json.dumps({"topics": topics, "seq": seq})


async def test_a_message_reaches_the_subscribers_of_its_topics(
    broadcaster: Broadcaster, redis_url: str
) -> None:
    with broadcaster.subscribe() as one, broadcaster.subscribe() as other:
        one.add("workload:1")
        other.add("workload:2")
        await send(redis_url, "workload:1", "user:7", seq=41)
        assert await one.wait_topics(within_s=PATIENCE_S) == {"workload:1": 41}
        assert await other.wait_topics(within_s=0.05) == {}


async def test_sites_that_share_a_redis_do_not_hear_each_other(
    broadcaster: Broadcaster, redis_url: str
) -> None:
    neighbour = f"{redis_url.partition('?')[0]}?db=15"
    with broadcaster.subscribe() as page:
        page.add("workload:1")
        await send(neighbour, "workload:1", seq=7)
        await send(redis_url, "workload:1", seq=1)
        assert await page.wait_topics() == {"workload:1": 1}


async def test_a_wake_of_a_node_reaches_its_link(broadcaster: Broadcaster, redis_url: str) -> None:
    with broadcaster.subscribe() as subscriber:
        subscriber.add("node:1")
        await send(redis_url, "node:1")
        assert await subscriber.wait_topics(within_s=PATIENCE_S) == {"node:1": UNKNOWN_SEQ}


async def test_a_subscriber_that_never_reads_keeps_one_number_per_topic() -> None:
    broadcaster = Broadcaster()
    with broadcaster.subscribe() as subscriber:
        subscriber.add("a")
        subscriber.add("b")
        for seq in range(10_000):
            broadcaster.publish("a", seq)
        broadcaster.publish("b", 1)
        assert await subscriber.wait_topics(within_s=1) == {"a": 9_999, "b": 1}


async def test_frames_wait_in_one_text_for_all_until_there_are_too_many() -> None:
    broadcaster = Broadcaster()
    with broadcaster.subscribe() as one, broadcaster.subscribe() as other:
        one.add("a")
        other.add("a")
        broadcaster.publish_rows("a", ["1"])
        broadcaster.publish_rows("a", ["2"])
        assert await one.wait_topics() == {"a": UNKNOWN_SEQ}
        frames = one.take_frames("a")
        assert [json.loads(frame)["rows"] for frame in frames] == [["1"], ["2"]]
        for number in range(FRAMES_MAX):
            broadcaster.publish_rows("a", [f"{number}"])
        assert len((await one.wait_topics()) and one.take_frames("a")) == FRAMES_MAX
        # The slow one is told to fetch, and gets nothing more until it has heard that.
        assert await other.wait_topics() == {"a": UNKNOWN_SEQ}
        assert other.take_frames("a") == []
        broadcaster.publish_rows("a", ["9"])
        [again] = (await one.wait_topics()) and one.take_frames("a")
        assert await other.wait_topics() == {"a": UNKNOWN_SEQ}
        [same] = other.take_frames("a")
        assert again is same


async def test_a_change_of_all_replaces_frames_that_wait() -> None:
    broadcaster = Broadcaster()
    with broadcaster.subscribe() as page:
        page.add("a")
        broadcaster.publish_rows("a", ["1"])
        broadcaster.publish("a", 3)
        broadcaster.publish_rows("a", ["2"])
        assert await page.wait_topics() == {"a": 3}
        assert page.take_frames("a") == []
        broadcaster.publish_rows("a", ["3"])
        page.discard("a")
        assert await page.wait_topics(within_s=0.01) == {}


async def test_changed_rows_are_named_to_pages_until_there_are_too_many(
    broadcaster: Broadcaster, redis_url: str
) -> None:
    with broadcaster.subscribe() as page:
        page.add("nodes")
        body = {"topics": [], "seq": 0, "rows": {"nodes": ["n1", "n2"]}}
        async with Redis.from_url(redis_url) as redis:
            await redis.publish(own_channel(redis, CHANNEL), json.dumps(body))
        assert await page.wait_topics(within_s=PATIENCE_S) == {"nodes": UNKNOWN_SEQ}
        [frame] = page.take_frames("nodes")
        assert json.loads(frame) == {"op": "ring", "topic": "nodes", "seq": 0, "rows": ["n1", "n2"]}
        for number in range(FRAMES_MAX + 1):
            broadcaster.publish_rows("nodes", [f"n{number}"])
        assert await page.wait_topics() == {"nodes": UNKNOWN_SEQ}
        assert page.take_frames("nodes") == []


async def test_a_subscriber_that_left_is_forgotten() -> None:
    broadcaster = Broadcaster()
    with broadcaster.subscribe() as subscriber:
        subscriber.add("a")
        subscriber.add("b")
        subscriber.discard("a")
        subscriber.discard("a")
        broadcaster.publish("a", 1)
        assert await subscriber.wait_topics(within_s=0.01) == {}
    assert not broadcaster.subscribers_of


@pytest.mark.parametrize(
    "message",
    [
        "",
        "[]",
        "null",
        "{}",
        '{"topics": 1, "seq": 1}',
        '{"topics": ["a"], "seq": "x"}',
        '{"topics": ["a"], "seq": 1, "rows": {"a": 1}}',
        '{"topics": ["a"], "seq": 1, "rows": [1]}',
        "\x00",
    ],
)
async def test_nonsense_is_dropped(message: str) -> None:
    broadcaster = Broadcaster()
    with broadcaster.subscribe() as subscriber:
        subscriber.add("a")
        broadcaster.dispatch(message)
        broadcaster.dispatch(a_message("a", seq=3))
        assert await subscriber.wait_topics(within_s=1) == {"a": 3}


class OwnRedis:
    """A Redis that a test may stop without taking it from others."""

    def __init__(self, folder: Path) -> None:
        self.url = f"unix://{folder}/own.sock"
        self._arguments = ["--port", "0", "--unixsocket", f"{folder}/own.sock", "--save", ""]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(
            [redis_server(), *self._arguments], stdout=subprocess.DEVNULL
        )

    def stop(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()


async def test_without_redis_every_topic_is_published_repeatedly(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    broadcaster, redis = Broadcaster(), OwnRedis(tmp_path_factory.mktemp("r"))
    redis.start()
    reader = asyncio.create_task(broadcaster.run(redis.url))
    try:
        with broadcaster.subscribe() as subscriber:
            subscriber.add("workload:1")
            assert await subscriber.wait_topics(within_s=PATIENCE_S) == {"workload:1": UNKNOWN_SEQ}
            redis.stop()
            for _ in range(3):
                assert await subscriber.wait_topics(within_s=PATIENCE_S) == {
                    "workload:1": UNKNOWN_SEQ
                }
            redis.start()
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    with suppress(RedisError):
                        await send(redis.url, "workload:1", seq=5)
                    if (await subscriber.wait_topics(within_s=0.5)).get("workload:1") == 5:
                        break
    finally:
        redis.stop()
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_since_when_a_topic_is_quiet_is_known_since_the_last_gap() -> None:
    clock = Clock()
    broadcaster = Broadcaster(clock)
    clock.now = 110.0
    broadcaster.publish("workload:1")
    clock.now = 115.0
    assert broadcaster.quiet_s("workload:1") == 5.0
    assert broadcaster.quiet_s("workload:2") == 15.0

    broadcaster.publish_all()
    clock.now = 118.0
    assert broadcaster.quiet_s("workload:1") == broadcaster.quiet_s("workload:2") == 3.0


def test_few_of_many_quiet_topics_are_remembered_and_none_as_quieter_than_it_is() -> None:
    clock = Clock()
    broadcaster = Broadcaster(clock)
    clock.now = 110.0
    for number in range(REMEMBERED_MAX + 1):
        broadcaster.publish(f"workload:{number}")
    clock.now = 120.0
    assert broadcaster.quiet_s("workload:0") == 10.0
    assert broadcaster.quiet_s("another") == 10.0


def test_a_gap_does_not_make_all_pages_check_their_rights_at_once() -> None:
    broadcaster = Broadcaster()
    with broadcaster.subscribe() as subscriber:
        subscriber.add("rights:1")
        broadcaster.publish_all()
        assert subscriber._pending == {}
