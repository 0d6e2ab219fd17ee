"""A container that runs may not be ready yet: nothing of its work is in use, and it says so."""

import pytest

from nodeagent.core.commands import SendHeartbeat, StopContainer, WarnContainer
from nodeagent.core.events import ContainerChanged, ContainerFound, Replied
from nodeagent.core.state import Container, GracePeriod
from tests.nodeagent.core.harness import CoreHarness, a_desired_entry, key
from wire.words import Phase

A = key()


def changed(agent: CoreHarness, phase: Phase, is_ready: bool | None) -> CoreHarness:
    return agent.on(ContainerChanged(A, phase, is_ready=is_ready))


def running(is_ready: bool | None) -> CoreHarness:
    """Return an agent whose container runs, with its probe answered, not answered, or without one."""
    return changed(CoreHarness().linked().reply(a_desired_entry()), Phase.RUNNING, is_ready)


@pytest.mark.parametrize(
    ("before", "event", "after"),
    [
        (None, None, None),
        (None, False, False),
        (False, None, False),
        (False, True, True),
        (True, None, True),
    ],
)
def test_an_event_that_says_nothing_of_it_leaves_it_as_it_was(
    before: bool | None, event: bool | None, after: bool | None
) -> None:
    agent = changed(running(before), Phase.RUNNING, event)

    assert agent.state.containers[A].is_ready is after


@pytest.mark.parametrize(
    ("phase", "is_ready", "is_in_service"),
    [
        (Phase.STARTING, None, False),
        (Phase.STARTING, False, False),
        (Phase.RUNNING, None, True),
        (Phase.RUNNING, False, False),
        (Phase.RUNNING, True, True),
        (Phase.STOPPING, True, False),
    ],
)
def test_it_is_in_service_when_it_runs_and_no_probe_waits_for_an_answer(
    phase: Phase, is_ready: bool | None, is_in_service: bool
) -> None:
    assert Container(A, (), phase, is_ready=is_ready).is_in_service is is_in_service


def test_it_is_told_at_once_and_since_when() -> None:
    agent = running(False).beat(60)
    began = agent.now
    changed(agent, Phase.RUNNING, True)
    ready = agent.now
    agent.reply(a_desired_entry())
    agent.beat(50)

    (beat,) = [item for item in agent.commands if isinstance(item, SendHeartbeat)]
    (told,) = beat.containers
    assert (told.is_ready, told.ready_since) == (True, ready)
    assert told.running_since is not None
    assert told.running_since <= began
    changed(agent, Phase.RUNNING, True)
    assert agent.state.containers[A].ready_since == ready


def test_an_adopted_container_does_not_know_since_when() -> None:
    agent = CoreHarness().on(ContainerFound(Container(A, (), Phase.RUNNING, is_ready=True)))
    changed(agent, Phase.RUNNING, True)

    assert agent.state.containers[A].ready_since is None


@pytest.mark.parametrize(("is_ready", "is_warned"), [(None, True), (False, False), (True, True)])
def test_work_that_is_not_ready_is_stopped_without_a_warning(
    is_ready: bool | None, is_warned: bool
) -> None:
    agent = running(is_ready).beat()
    grace = GracePeriod(60_000, notice_ms=40_000, reason="preempted")

    agent.on(Replied(agent.state.seq, (), grace_periods={A: grace}))

    kinds = [type(it) for it in agent.commands if isinstance(it, WarnContainer | StopContainer)]
    assert kinds == [WarnContainer if is_warned else StopContainer]
