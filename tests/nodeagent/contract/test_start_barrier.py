"""The gate that every runtime has: no work before its limits, and none at all without them."""

import asyncio
from dataclasses import replace

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.ports import ContainerOrder, Injection, ProcessScope, RunningContainer, StartError
from tests.fakes import work
from tests.fakes.work import an_order, ignore_progress
from tests.nodeagent.contract.conftest import Node, first_end
from wire.words import Device, ExitCause, Isolation

KEY = ContainerKey("job.0", 1)
SLICE = (Device("SIM-1", 4096, slices=8),)
LOOKS = 20
GATED = Injection(isolation=Isolation.CGROUP, needs_barrier=True)
OPEN = Injection(isolation=Isolation.TIMESLICE)


def order_with(command: tuple[str, ...], injection: Injection) -> ContainerOrder:
    return replace(an_order(command, devices=SLICE), injection=injection)


async def refuse(_: ProcessScope) -> None:
    raise StartError(ExitCause.ISOLATION_UNAVAILABLE, "the limit was not there")


async def test_work_waits_at_the_barrier_for_its_limits(node: Node) -> None:
    seen: list[tuple[int, bytes]] = []

    async def confine(confines: ProcessScope) -> None:
        while len(seen) < LOOKS:
            seen.append((confines.pid, await node.runtime.read_log(KEY, 0, 100)))

    await node.runtime.start(order_with(work.SPEAKS_AND_EXITS_3, GATED), ignore_progress, confine)
    end = await node.runtime.wait_for_end(KEY)
    assert (end.cause, end.exit_code) == (ExitCause.EXITED, 3)
    assert await node.runtime.read_log(KEY, 0, 100) == work.SPOKEN
    assert len(seen) == LOOKS
    assert all(pid > 0 and log == b"" for pid, log in seen)


async def test_what_keeps_others_off_is_known_to_the_next_agent(node: Node) -> None:
    for injection in (GATED, OPEN):
        epoch = 1 if injection is GATED else 2
        order = replace(order_with(work.SLEEPS, injection), key=ContainerKey("job.0", epoch))
        started = await node.runtime.start(order, ignore_progress)
        assert started.container.isolation == injection.isolation
    held = await node.restarted().list_containers()
    assert all(isinstance(item, RunningContainer) for item in held)
    assert {item.container.isolation for item in held if isinstance(item, RunningContainer)} == {
        GATED.isolation,
        OPEN.isolation,
    }


@pytest.mark.parametrize("injection", [GATED, OPEN])
async def test_limits_that_do_not_hold_end_the_start_and_leave_nothing(
    node: Node, injection: Injection
) -> None:
    with pytest.raises(StartError) as caught:
        await node.runtime.start(order_with(work.SLEEPS, injection), ignore_progress, refuse)
    assert caught.value.cause is ExitCause.ISOLATION_UNAVAILABLE
    assert await node.runtime.list_containers() == ()


async def test_barrier_of_an_agent_that_is_gone_never_opens(node: Node) -> None:
    is_there = asyncio.Event()

    async def hang(_: ProcessScope) -> None:
        is_there.set()
        await asyncio.Event().wait()

    start = asyncio.create_task(
        node.runtime.start(order_with(work.SPEAKS_AND_EXITS_3, GATED), ignore_progress, hang)
    )
    await is_there.wait()
    start.cancel()
    await asyncio.gather(start, return_exceptions=True)
    again = node.restarted()
    assert (await first_end(again)).cause is ExitCause.VANISHED
    assert await again.read_log(KEY, 0, 100) == b""
