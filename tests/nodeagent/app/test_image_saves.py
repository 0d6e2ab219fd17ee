"""Saves of images: one at a time, to one image each, through every end of the agent."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

import pytest

from nodeagent.app.image_saves import TRIES, ImageSaves
from nodeagent.core.image_saves import (
    BegunSave,
    ImageSaveError,
    SaveOrder,
    SaveProgress,
    TransientSaveError,
)
from nodeagent.core.state import ContainerKey
from nodeagent.link.translation import to_save_orders
from nodeagent.ports import RuntimeUnavailableError, StartError
from tests.waiting import PATIENCE_S, wait_until_async
from wire.images import RegistryLogin, SaveImage
from wire.messages import Desired
from wire.words import ExitCause, SavePhase

KEY = ContainerKey("3f2504e04f8911d39a0c0305e82c3301.0", 2)
DIGEST = f"sha256:{64 * 'a'}"
SIZE = 4096


def an_order(save: str = "save-1", bytes_max: int = SIZE) -> SaveOrder:
    return SaveOrder(save, KEY, f"registry.example.org/berth/{save}:saved", bytes_max)


@dataclass
class FakeSaver:
    """An engine and a registry in memory; `faults` are raised one after the other, by call."""

    committed: dict[str, int] = field(default_factory=dict)
    pushed: list[str] = field(default_factory=list)
    commits: int = 0
    faults: dict[str, list[Exception]] = field(default_factory=dict)
    stops: dict[str, asyncio.Event] = field(default_factory=dict)
    """Calls that wait for an event."""
    entered: dict[str, asyncio.Event] = field(default_factory=dict)

    async def _call(self, name: str) -> None:
        self.entered.setdefault(name, asyncio.Event()).set()
        if name in self.stops:
            await self.stops[name].wait()
        if self.faults.get(name):
            raise self.faults[name].pop(0)

    async def find_committed(self, order: SaveOrder) -> int | None:
        await self._call("find")
        return self.committed.get(order.reference)

    async def commit(self, order: SaveOrder) -> int:
        await self._call("commit")
        self.commits += 1
        self.committed[order.reference] = SIZE
        return SIZE

    async def push(
        self, order: SaveOrder, login: RegistryLogin, on_progress: Callable[[int, int], None]
    ) -> str:
        on_progress(100, 1000)
        await self._call("push")
        self.pushed.append(order.reference)
        return DIGEST

    async def discard(self, save: str, reference: str) -> None:
        await self._call("discard")
        self.committed.pop(reference, None)


@dataclass
class FakeLogins:
    """The portal's answers to the question for the login."""

    refusals: list[StartError] = field(default_factory=list)
    host: str = "registry.example.org"

    async def fetch_registry_login(self) -> RegistryLogin:
        if self.refusals:
            raise self.refusals.pop(0)
        return RegistryLogin(host=self.host, username="berth", password="x")


@dataclass
class MemoryBegunSaves:
    """The disk of the node."""

    begun: dict[str, BegunSave] = field(default_factory=dict)

    def load(self) -> dict[str, BegunSave]:
        return dict(self.begun)

    def save(self, begun: Mapping[str, BegunSave]) -> None:
        self.begun = dict(begun)


@dataclass
class MemoryBuilds:
    """The containers of the node that build."""

    done: set[ContainerKey] = field(default_factory=set)
    verdicts: list[tuple[ContainerKey, str]] = field(default_factory=list)

    def is_done(self, key: ContainerKey) -> bool:
        return key in self.done

    def write_verdict(self, key: ContainerKey, verdict: str) -> None:
        self.verdicts.append((key, verdict))


@dataclass
class Agent:
    """One node; each `running()` is a new agent's."""

    saver: FakeSaver = field(default_factory=FakeSaver)
    logins: FakeLogins = field(default_factory=FakeLogins)
    store: MemoryBegunSaves = field(default_factory=MemoryBegunSaves)
    builds: MemoryBuilds = field(default_factory=MemoryBuilds)
    is_running: bool = True
    news: int = 0
    """How often there was something to report."""

    @asynccontextmanager
    async def running(self, *orders: SaveOrder) -> AsyncIterator[ImageSaves]:
        saves = ImageSaves(self.saver, self.logins, self.store, self.builds, pause_s=0)
        saves.connect(lambda _: self.is_running, self._count)
        task = asyncio.create_task(saves.run())
        if orders:
            saves.set_orders(orders)
        try:
            yield saves
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def _count(self) -> None:
        self.news += 1

    async def wait_for(self, saves: ImageSaves, phase: SavePhase, save: str = "save-1") -> None:
        await wait_until_async(lambda: saves.reports()[save].phase is phase)

    async def wait_idle(self, saves: ImageSaves, name: str) -> None:
        """Wait until a call was made."""
        async with asyncio.timeout(PATIENCE_S):
            await self.saver.entered.setdefault(name, asyncio.Event()).wait()


@pytest.fixture
async def agent() -> Agent:
    return Agent()


async def test_a_save_is_committed_pushed_and_removed_from_the_node(agent: Agent) -> None:
    async with agent.running(an_order()) as saves:
        await agent.wait_for(saves, SavePhase.SAVED)
        await agent.wait_idle(saves, "discard")
        report = saves.reports()["save-1"]
    assert (report.digest, report.size_bytes) == (DIGEST, SIZE)
    assert (report.done_bytes, report.total_bytes) == (100, 1000)
    assert agent.saver.committed == {}
    assert agent.news == 4, "committing, pushing, further, saved"


async def test_nothing_is_reported_or_begun_without_an_order(agent: Agent) -> None:
    agent.store.begun = {"old": BegunSave("r:saved", SaveProgress(SavePhase.COMMITTING))}
    async with agent.running() as saves:
        assert saves.reports() == {}
    assert "old" in agent.store.begun, "no reply has said yet that it is given up"


async def test_an_end_that_was_reported_is_forgotten_when_the_portal_no_longer_names_it(
    agent: Agent,
) -> None:
    async with agent.running(an_order()) as saves:
        await agent.wait_for(saves, SavePhase.SAVED)
        saves.set_orders(())
        assert saves.reports() == {}
        await wait_until_async(lambda: not agent.store.begun)


@pytest.mark.parametrize("call", ["commit", "push"])
async def test_an_agent_that_ends_in_the_middle_is_followed_by_one_that_goes_on(
    agent: Agent, call: str
) -> None:
    agent.saver.stops[call] = asyncio.Event()
    async with agent.running(an_order()) as saves:
        await agent.wait_idle(saves, call)
    agent.saver.stops.clear()
    async with agent.running(an_order()) as saves:
        await agent.wait_for(saves, SavePhase.SAVED)
    assert agent.saver.commits == 1
    assert agent.saver.pushed == [an_order().reference]


async def test_an_agent_that_ends_after_the_push_repeats_its_report_only(agent: Agent) -> None:
    async with agent.running(an_order()) as saves:
        await agent.wait_for(saves, SavePhase.SAVED)
        await agent.wait_idle(saves, "discard")
    async with agent.running(an_order()) as saves:
        await agent.wait_for(saves, SavePhase.SAVED)
        assert saves.reports()["save-1"].digest == DIGEST
    assert (agent.saver.commits, len(agent.saver.pushed)) == (1, 1)


async def test_a_notebook_that_ended_before_the_commit_fails_it_and_later_does_not(
    agent: Agent,
) -> None:
    agent.is_running = False
    async with agent.running(an_order()) as saves:
        await agent.wait_for(saves, SavePhase.FAILED)
        assert saves.reports()["save-1"].detail == "notebook_ended"
    agent.saver.committed[an_order("save-2").reference] = SIZE
    async with agent.running(an_order("save-2")) as saves:
        await agent.wait_for(saves, SavePhase.SAVED, "save-2")


async def test_what_may_pass_is_tried_again_and_not_without_end(agent: Agent) -> None:
    agent.saver.faults["push"] = [TransientSaveError("registry_unreachable")] * (TRIES - 1)
    agent.saver.faults["commit"] = [RuntimeUnavailableError("away")]
    async with agent.running(an_order()) as saves:
        await agent.wait_for(saves, SavePhase.SAVED)
    agent.saver.faults["push"] = [TransientSaveError("registry_unreachable", "x")] * TRIES
    async with agent.running(an_order("save-2")) as saves:
        await agent.wait_for(saves, SavePhase.FAILED, "save-2")
        assert saves.reports()["save-2"].detail == "registry_unreachable: x"


async def test_what_will_not_pass_fails_at_once_and_leaves_nothing(agent: Agent) -> None:
    agent.saver.faults["push"] = [ImageSaveError("image_no_access", "denied")]
    async with agent.running(an_order()) as saves:
        await agent.wait_for(saves, SavePhase.FAILED)
        await agent.wait_idle(saves, "discard")
    assert (agent.saver.committed, agent.saver.pushed) == ({}, [])


async def test_a_portal_without_a_login_is_a_failure_and_one_that_is_away_is_waited_for(
    agent: Agent,
) -> None:
    away = StartError(ExitCause.NODE_FAULT, "registry_login_unreachable: TimeoutError")
    refused = StartError(ExitCause.IMAGE_UNAVAILABLE, "registry_login_refused: none")
    agent.logins.refusals = [away, away]
    async with agent.running(an_order()) as saves:
        await agent.wait_for(saves, SavePhase.SAVED)
    agent.logins.refusals = [refused]
    async with agent.running(an_order("save-2")) as saves:
        await agent.wait_for(saves, SavePhase.FAILED, "save-2")
        assert saves.reports()["save-2"].detail == "registry_login_refused: none"


async def test_a_login_is_sent_to_its_own_registry_only(agent: Agent) -> None:
    agent.logins.host = "new.example.org"
    async with agent.running(an_order()) as saves:
        await agent.wait_for(saves, SavePhase.FAILED)
        assert saves.reports()["save-1"].detail.startswith("registry_login_refused")
    assert agent.saver.pushed == []


async def test_a_save_that_is_given_up_is_ended_and_the_next_one_begins(agent: Agent) -> None:
    agent.saver.stops["push"] = asyncio.Event()
    async with agent.running(an_order(), an_order("save-2")) as saves:
        await agent.wait_idle(saves, "push")
        assert saves.reports()["save-2"].phase is SavePhase.WAITING
        saves.set_orders((an_order("save-2"),))
        agent.saver.stops.clear()
        await agent.wait_for(saves, SavePhase.SAVED, "save-2")
        assert an_order().reference not in agent.saver.committed
        assert set(agent.store.begun) == {"save-2"}
    assert agent.saver.pushed == [an_order("save-2").reference]


# --- Builds ----------------------------------------------------------------------------------------


def a_build(save: str = "build-1", *, verdict: str = "", epoch: int = 1) -> SaveOrder:
    key = ContainerKey(f"{save}.0", epoch)
    return replace(an_order(save), key=key, is_build=True, verdict=verdict)


async def test_a_build_is_saved_once_its_steps_are_done_and_keeps_no_other_waiting() -> None:
    agent = Agent()
    build, notebook = a_build(), an_order()
    async with agent.running(build, notebook) as saves:
        await agent.wait_for(saves, SavePhase.SAVED, notebook.save)
        assert saves.reports()[build.save].phase is SavePhase.WAITING
        agent.builds.done.add(build.key)
        await agent.wait_for(saves, SavePhase.SAVED, build.save)
    assert agent.saver.pushed == [notebook.reference, build.reference]


async def test_a_build_gets_its_verdict_once_also_while_another_image_is_pushed() -> None:
    agent = Agent()
    agent.saver.stops["push"] = asyncio.Event()
    ended, notebook = a_build(verdict="saved"), an_order()
    async with agent.running(notebook) as saves:
        await agent.wait_for(saves, SavePhase.PUSHING, notebook.save)
        saves.set_orders((notebook, ended))
        await wait_until_async(lambda: bool(agent.builds.verdicts))
        agent.saver.stops["push"].set()
        await agent.wait_for(saves, SavePhase.SAVED, notebook.save)
    assert agent.builds.verdicts == [(ended.key, "saved")]
    assert ended.reference not in agent.saver.pushed


async def test_a_build_that_is_ordered_no_more_is_given_up_while_it_is_pushed() -> None:
    agent = Agent()
    agent.saver.stops["push"] = asyncio.Event()
    build = a_build()
    agent.builds.done.add(build.key)
    async with agent.running(build) as saves:
        await agent.wait_for(saves, SavePhase.PUSHING, build.save)
        saves.set_orders(())
        await wait_until_async(lambda: not agent.store.begun)
    assert (agent.saver.pushed, agent.saver.committed) == ([], {})


def test_orders_of_builds_are_read_as_they_were_sent() -> None:
    sent = SaveImage(
        save="build-1",
        allocation=KEY.allocation,
        epoch=KEY.epoch,
        reference="registry.example.org/berth/build-1:saved",
        bytes_max=SIZE,
        is_build=True,
        env=("PATH=/made:${PATH}",),
        verdict="saved",
    )
    (read,) = to_save_orders(Desired(seq=1, image_saves=(sent,)))
    assert read == replace(
        an_order("build-1"), is_build=True, env=("PATH=/made:${PATH}",), verdict="saved"
    )
