"""What sharing promises to the agent, asked of the real one and of the fake."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.ports import ContainerOrder, ProcessScope, Sharing, StartError
from nodeagent.sharing.controller import SharingController
from nodeagent.sharing.modes.cgroup import CgroupMode
from nodeagent.sharing.modes.memory_limits import SmiMemoryLimiter
from nodeagent.sharing.records import ShareRecords
from tests.builders.shares import FakeGpuHost, a_card
from tests.fakes.sharing import FakeSharing
from tests.fakes.work import SLEEPS, an_order
from wire.words import Device, ExitCause, Isolation

KEY = ContainerKey("job.0", 1)
SCOPE = ProcessScope(4711, "docker/abc")
WHOLE = Device("GPU-1", 81559)


def a_slice(required: Isolation | None = None) -> Device:
    return Device("GPU-1", 4096, slices=8, isolation=required)


def ordered(*devices: Device) -> ContainerOrder:
    return an_order(SLEEPS, devices=devices)


def _real(root: Path) -> Sharing:
    cards = (a_card(Isolation.EXCLUSIVE, Isolation.CGROUP, uuid="GPU-1"),)
    return SharingController(
        lambda: cards, ShareRecords(root), [CgroupMode(SmiMemoryLimiter(FakeGpuHost()))]
    )


@pytest.fixture(params=["real", "fake"])
def sharing(request: pytest.FixtureRequest, tmp_path: Path) -> Sharing:
    kinds: dict[str, Callable[[], Sharing]] = {"real": lambda: _real(tmp_path), "fake": FakeSharing}
    return kinds[request.param]()


async def test_work_without_cards_is_not_kept_from_anybody(sharing: Sharing) -> None:
    assert (await sharing.prepare(ordered())).isolation is None


async def test_whole_card_is_exclusive_and_waits_for_nothing(sharing: Sharing) -> None:
    injection = await sharing.prepare(ordered(WHOLE))
    assert (injection.isolation, injection.needs_barrier) == ("exclusive", False)


async def test_isolation_in_force_is_named_and_at_least_what_was_demanded(
    sharing: Sharing,
) -> None:
    order = ordered(a_slice(Isolation.TIMESLICE))
    injection = await sharing.prepare(order)
    assert (injection.isolation, injection.needs_barrier) == ("cgroup", True)
    await sharing.enforce(replace(order, injection=injection), SCOPE)


async def test_stronger_than_there_is_is_refused(sharing: Sharing) -> None:
    with pytest.raises(StartError) as caught:
        await sharing.prepare(ordered(a_slice(Isolation.MIG)))
    assert caught.value.cause is ExitCause.ISOLATION_UNAVAILABLE


async def test_nothing_is_enforced_that_was_not_fitted(sharing: Sharing) -> None:
    with pytest.raises(StartError):
        await sharing.enforce(ordered(a_slice()), SCOPE)


async def test_release_is_repeated_without_harm_and_makes_room_for_the_next(
    sharing: Sharing,
) -> None:
    await sharing.release(KEY)
    order = ordered(a_slice())
    await sharing.prepare(order)
    await sharing.release(KEY)
    await sharing.release(KEY)
    assert (await sharing.prepare(order)).isolation == "cgroup"
