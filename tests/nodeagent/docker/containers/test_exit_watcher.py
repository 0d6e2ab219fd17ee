"""How soon a waiter looks again; the engine is a stream of events here."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from nodeagent.core.state import ContainerKey
from nodeagent.docker.containers.container_spec import LABEL_ALLOCATION, LABEL_EPOCH
from nodeagent.docker.containers.exit_watcher import ExitWatcher
from nodeagent.docker.containers.node_containers import NodeContainers
from tests.waiting import PATIENCE_S, wait_until_async

KEY = ContainerKey("job.0", 1)


@dataclass
class Stream:
    """What an engine has to tell, then silence until it is closed."""

    events: list[dict[str, Any]]
    closed: threading.Event = field(default_factory=threading.Event)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        yield from self.events
        self.closed.wait(PATIENCE_S)

    def close(self) -> None:
        self.closed.set()


class LateEngine:
    """Answers at once and listens to itself a moment later: an end in between is history by then."""

    def __init__(self) -> None:
        attributes = {LABEL_ALLOCATION: KEY.allocation, LABEL_EPOCH: str(KEY.epoch)}
        self.ended_at = time.time()
        self.end = {"Actor": {"Attributes": attributes}}

    def events(self, *, since: int = 2**40, **_: object) -> Stream:
        return Stream([self.end] if since <= self.ended_at else [])


async def test_end_before_the_engine_listens_to_itself_wakes_its_waiter() -> None:
    engine = SimpleNamespace(stream_client=LateEngine())
    watch = ExitWatcher(cast("NodeContainers", SimpleNamespace(engine=engine, label_filter={})))
    with watch.register(KEY) as bell:
        await wait_until_async(lambda: bell.quick_looks_left)
