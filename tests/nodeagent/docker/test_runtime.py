"""An engine that answers late, wrongly or not at all loses no container and doubles none."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

import pytest

from nodeagent.access.session import AccessError
from nodeagent.core.lease import ends_with_lease
from nodeagent.core.state import ContainerKey, Finished
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.docker.containers.container_spec import LABEL_NODE, DockerRuntimeSettings
from nodeagent.docker.engine.client import DockerEngine
from nodeagent.docker.exec.exec_adapter import DockerExecAdapter
from nodeagent.docker.exec.exec_probe import DockerExecProbe
from nodeagent.docker.fence import DockerFence
from nodeagent.docker.images.image_ledger import ImageLedger
from nodeagent.docker.images.image_store import ImageStoreSettings
from nodeagent.docker.network.container_network import ContainerNetwork, EgressScope
from nodeagent.docker.network.egress import EgressPolicy
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.host.commands import OUTPUT_MAX, TIMED_OUT, CommandResult
from nodeagent.ports import RunningContainer, RuntimeUnavailableError
from tests.fakes import work
from tests.fakes.docker_engine import FakeDockerEngine, RefusalError, fake_docker_engine
from tests.fakes.work import an_order, ignore_progress
from tests.waiting import PATIENCE_S, wait_until_async
from wire.words import ExitCause, Probe, SilenceTerm

KEY = ContainerKey("job.0", 1)
NAME = "berth-n1-job.0-1"
IMAGE = "berth/contract:1"
FULL = ImageStoreSettings(clean_above_pct=0, clean_below_pct=0)
"""Always under pressure."""


class Node:
    """A runtime on an engine of paper."""

    def __init__(self, engine: FakeDockerEngine, root: Path, images: ImageStoreSettings) -> None:
        self.paper = engine
        self.root = root
        self.engine = DockerEngine(engine.url)
        settings = DockerRuntimeSettings("n1", root / "storage", "127.0.0.1", "host", 1000, 2000)
        self.runtime = DockerRuntime(root / "containers", settings, self.engine, images)

    async def started(
        self, silence: SilenceTerm = SilenceTerm.REPLACE, probe: Probe | None = None
    ) -> RunningContainer:
        order = replace(an_order(work.SLEEPS, probe=probe), silence=silence)
        return await self.runtime.start(order, ignore_progress)

    def fence(self) -> DockerFence:
        return DockerFence(self.root / "containers", self.paper.url, "n1")


@asynccontextmanager
async def a_node(root: Path, images: ImageStoreSettings | None = None) -> AsyncIterator[Node]:
    with fake_docker_engine(root) as engine:
        node = Node(engine, root, images or ImageStoreSettings())
        yield node
        await wait_until_async(lambda: not at_work())
        node.engine.close()


def at_work() -> list[str]:
    """Return the threads that may still open a connection."""
    return [item.name for item in threading.enumerate() if item.name.startswith(("log", "docker"))]


def refusing(*names: str) -> Any:
    def refuse(name: str) -> None:
        if name in names:
            raise RefusalError("containerd is busy")

    return refuse


@pytest.mark.parametrize("broken", ["list", "inspect"])
async def test_engine_that_answers_with_errors_for_a_while_costs_no_end(
    broken: str, tmp_path: Path
) -> None:
    async with a_node(tmp_path) as node:
        await node.started()
        node.paper.before = refusing(broken)
        waiting = asyncio.create_task(node.runtime.wait_for_end(KEY))
        node.paper.finish(NAME, 3)
        await wait_until_async(lambda: node.paper.asked.count(broken) >= 2 or waiting.done())
        assert not waiting.done()
        node.paper.before = refusing()
        async with asyncio.timeout(PATIENCE_S):
            assert (await waiting).exit_code == 3


async def test_errors_of_the_engine_are_silence_to_whoever_asks_what_is_held(
    tmp_path: Path,
) -> None:
    async with a_node(tmp_path) as node:
        node.paper.before = refusing("list")
        with pytest.raises(RuntimeUnavailableError):
            await node.runtime.list_containers()


async def test_container_that_comes_up_while_the_engine_makes_its_list_is_not_gone(
    tmp_path: Path,
) -> None:
    async with a_node(tmp_path) as node:
        asked, answered = threading.Event(), threading.Event()

        def hold(name: str) -> None:
            if name == "list" and not asked.is_set():
                asked.set()
                answered.wait(PATIENCE_S)

        node.paper.after = hold
        looking = asyncio.create_task(node.runtime.list_containers())
        await wait_until_async(asked.is_set)
        await node.started()
        answered.set()
        found = [item for item in await looking if isinstance(item, Finished)]
        assert found == []
        assert [type(item) for item in await node.runtime.list_containers()] == [RunningContainer]


async def test_full_disk_keeps_no_container_from_being_stopped_nor_its_end_from_being_told(
    tmp_path: Path,
) -> None:
    async with a_node(tmp_path) as node:
        await node.started()
        fill(tmp_path / "containers" / "job.0.1")
        await node.runtime.stop(KEY, ExitCause.STOPPED, 1_000)
        async with asyncio.timeout(PATIENCE_S):
            end = await node.runtime.wait_for_end(KEY)
        assert (end.cause, end.exit_code) == (ExitCause.KILLED, 143)


async def test_full_disk_keeps_no_lease_from_ending(tmp_path: Path) -> None:
    async with a_node(tmp_path) as node:
        await node.started()
        fill(tmp_path / "containers" / "job.0.1")
        assert await asyncio.to_thread(node.fence().stop_all, ExitCause.LEASE_ENDED, 0) == 1
        assert node.paper.row(NAME)["State"]["Status"] == "exited"


def fill(folder: Path) -> None:
    """Have every new file of these refused, as a full disk does."""
    for name in ("stop.json", "status.json"):
        (folder / f".{name}.{os.getpid()}").mkdir()


async def test_fence_waits_no_longer_than_its_grace_for_an_engine_that_does_not_stop(
    tmp_path: Path,
) -> None:
    async with a_node(tmp_path) as node:
        await node.started()
        held = threading.Event()

        def hang(name: str) -> None:
            if name == "stop":
                held.wait(PATIENCE_S)

        node.paper.before = hang
        fence = replace(node.fence(), kill_s=0.2)
        stopping = asyncio.create_task(asyncio.to_thread(fence.stop_all, ExitCause.LEASE_ENDED, 0))
        await wait_until_async(stopping.done)
        again = await asyncio.to_thread(fence.stop_all, ExitCause.LEASE_ENDED, 0)
        await asyncio.to_thread(fence.kill_all)
        asked = list(node.paper.asked)
        held.set()
        assert (again, asked.count("stop"), asked.count("kill")) == (1, 1, 1)


@pytest.mark.parametrize("is_silent", [False, True], ids=["engine answers", "engine silent"])
async def test_fence_spares_what_is_not_meant(tmp_path: Path, *, is_silent: bool) -> None:
    async with a_node(tmp_path) as node:
        await node.started(SilenceTerm.KEEP)
        if is_silent:
            node.paper.before = refusing("list")
        assert await asyncio.to_thread(
            node.fence().stop_all, ExitCause.LEASE_ENDED, 0, ends_with_lease
        ) == int(is_silent)
        await asyncio.to_thread(node.fence().kill_all, ends_with_lease)
        assert node.paper.row(NAME)["State"]["Status"] == "running"
        assert ContainerDir(tmp_path / "containers", KEY).stops.read_order() is None


@pytest.mark.parametrize("probe", [None, Probe("/ready", 8000, deadline_s=60)])
async def test_directory_that_was_lost_is_made_again_with_the_term_of_silence_and_the_probe(
    tmp_path: Path, probe: Probe | None
) -> None:
    async with a_node(tmp_path) as node:
        await node.started(SilenceTerm.KEEP, probe)
        # At once: its log is being written.
        (tmp_path / "containers").rename(tmp_path / "lost")
        (held,) = await node.runtime.list_containers()
        assert isinstance(held, RunningContainer)
        assert held.container.silence is SilenceTerm.KEEP
        assert held.probe == probe
        assert held.container.is_ready is (None if probe is None else False)


async def test_fence_finds_what_was_renamed_and_passes_over_what_is_not_ours(
    tmp_path: Path,
) -> None:
    async with a_node(tmp_path) as node:
        await node.started()
        node.paper.row(NAME)["Name"] = "renamed-by-hand"
        odd = dict(node.paper.row("renamed-by-hand"), Id="odd", Name="odd", State={"Status": "up"})
        odd["Config"] = {"Labels": {LABEL_NODE: "n1"}}
        node.paper.rows["odd"] = odd
        assert await asyncio.to_thread(node.fence().stop_all, ExitCause.LEASE_ENDED, 0) == 1
        assert node.paper.row("renamed-by-hand")["State"]["Status"] == "exited"


async def test_a_try_to_stop_what_cannot_be_stopped_leaves_no_thread_behind(tmp_path: Path) -> None:
    async with a_node(tmp_path) as node:
        await node.started()
        over = threading.Event()

        def hang(name: str) -> None:
            if name == "stop":
                over.wait()

        node.paper.before = hang
        node.engine.quick_client.api.timeout = 1  # instead of seconds; the SDK adds the grace
        stopping = asyncio.create_task(node.runtime.stop(KEY, ExitCause.STOPPED, 0))
        await wait_until_async(lambda: "stop" in node.paper.asked)
        await wait_until_async(lambda: "docker" not in at_work())
        assert not over.is_set()
        over.set()
        with pytest.raises(RuntimeUnavailableError):
            await stopping


async def test_image_is_not_cleared_away_before_its_container_is_made(tmp_path: Path) -> None:
    async with a_node(tmp_path, FULL) as node:
        ImageLedger(tmp_path / "images.json").record_pull(IMAGE, 1)
        making, may_make = threading.Event(), threading.Event()

        def slowly(name: str) -> None:
            if name == "create":
                making.set()
                may_make.wait(PATIENCE_S)

        node.paper.before = slowly
        starting = asyncio.create_task(node.started())
        await wait_until_async(making.is_set)
        await node.runtime.images.clean()
        may_make.set()
        await starting
        assert "untag" not in node.paper.asked


async def test_image_that_is_just_going_is_fetched_anew_for_a_start(tmp_path: Path) -> None:
    async with a_node(tmp_path, FULL) as node:
        ImageLedger(tmp_path / "images.json").record_pull(IMAGE, 1)
        going, may_go = threading.Event(), threading.Event()

        def slowly(name: str) -> None:
            if name == "untag":
                going.set()
                may_go.wait(PATIENCE_S)

        node.paper.before = slowly
        cleaning = asyncio.create_task(node.runtime.images.clean())
        await wait_until_async(going.is_set)
        looks = node.paper.asked.count("image")
        starting = asyncio.create_task(node.started())
        for _ in range(10):
            await node.runtime.list_containers()
        assert node.paper.asked.count("image") == looks
        may_go.set()
        await asyncio.gather(cleaning, starting)
        assert node.paper.asked.count("pull") == 1


async def test_one_container_without_figures_hides_no_other(tmp_path: Path) -> None:
    async with a_node(tmp_path) as node:
        await node.started()
        await node.runtime.start(an_order(work.SLEEPS, epoch=2), ignore_progress)
        refusals = iter([True])

        def one_fails(name: str) -> None:
            if name == "stats" and next(refusals, False):
                raise ConnectionAbortedError

        node.paper.before = one_fails
        assert len(await node.runtime.measure_usage()) == 1


async def test_no_way_in_holds_the_agent_up_while_the_engine_does_not_answer(
    tmp_path: Path,
) -> None:
    async with a_node(tmp_path) as node:
        asked, let_go = threading.Event(), threading.Event()
        waited: list[bool] = []

        def hold(name: str) -> None:
            if name == "version" and not asked.is_set():
                asked.set()
                waited.append(let_go.wait(PATIENCE_S))

        node.paper.before = hold
        doors = DockerExecAdapter("n1", node.paper.url, node.engine)
        entering = asyncio.create_task(doors.open_shell(KEY, "", None))
        await wait_until_async(asked.is_set)
        let_go.set()
        with pytest.raises(AccessError):
            await entering
        assert waited == [True]


async def test_name_server_that_is_silent_hides_no_portal_less(tmp_path: Path) -> None:
    async with a_node(tmp_path) as node:
        answers = iter([(IPv4Network("203.0.113.7"),), ()])
        rules: list[str] = []

        def nft(arguments: Sequence[str], text: str) -> str:
            rules.append(text)
            return "" if text else "no such chain"

        outside = EgressScope(EgressPolicy(), portal_host="portal.example")
        network = ContainerNetwork(node.engine, "berth", outside, nft, lambda _: next(answers))
        await network.inspect()
        await network.inspect()
        said = [text for text in rules if text]
        assert len(said) == 2
        assert all("203.0.113.7/32" in text for text in said)


async def test_program_of_a_tenant_that_never_ends_keeps_nothing_and_is_not_asked_twice(
    tmp_path: Path,
) -> None:
    async with a_node(tmp_path) as node:
        inside, ask = DockerExecProbe("n1", node.engine), ("nvidia-smi", "-L")
        node.paper.said, node.paper.is_stuck = b"GPU 0", True
        assert (await inside.run_probe(KEY, ask, 0.3)).code == TIMED_OUT
        assert (await inside.run_probe(KEY, ask, 0.3)).code == TIMED_OUT
        assert node.paper.asked.count("answer") == 1
        await wait_until_async(lambda: not at_work())
        node.paper.is_stuck = False
        assert await inside.run_probe(KEY, ask) == CommandResult(0, "GPU 0")


async def test_program_of_a_tenant_that_says_too_much_is_not_heard_out(tmp_path: Path) -> None:
    async with a_node(tmp_path) as node:
        node.paper.said = b"x" * (OUTPUT_MAX + 1)
        result = await DockerExecProbe("n1", node.engine).run_probe(KEY, ("nvidia-smi",))
        assert (result.code, len(result.output) < OUTPUT_MAX) == (TIMED_OUT, True)
