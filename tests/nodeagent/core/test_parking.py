"""A notebook without its cards: it keeps them until it has left, and gets none that others hold."""

from dataclasses import replace

from nodeagent.core.commands import ReacquireGpus, ReleaseGpus, SendHeartbeat
from nodeagent.core.events import ActivitySeen, ContainerChanged, GpuReleaseChanged
from nodeagent.core.recovery import recover_state
from nodeagent.core.state import Container, DesiredEntry, Lease
from tests.nodeagent.core.harness import NOW, CoreHarness, a_card, a_desired_entry, key
from wire.words import Device, GpuReleaseState, Phase

LAB, JOB = key("lab.0"), key("job.0")


def parked(*devices: Device) -> DesiredEntry:
    return replace(a_desired_entry("lab.0", 1, *devices), is_parked=True)


def a_lab() -> CoreHarness:
    """Return an agent with a running notebook that has a card."""
    return CoreHarness().linked().reply(a_desired_entry("lab.0", 1, a_card())).running(LAB).beat()


def moves(agent: CoreHarness) -> list[ReleaseGpus | ReacquireGpus]:
    return [item for item in agent.commands if isinstance(item, ReleaseGpus | ReacquireGpus)]


def told(agent: CoreHarness) -> list[int]:
    """Return the marks of use in the heartbeats that have just left."""
    beats = [item for item in agent.commands if isinstance(item, SendHeartbeat)]
    return [container.use_mark for beat in beats for container in beat.containers]


def an_empty_lab() -> CoreHarness:
    """Return an agent whose notebook has left its card."""
    agent = a_lab().reply(parked(a_card()))
    return agent.on(GpuReleaseChanged(LAB, GpuReleaseState.AWAY, "kernels")).beat()


def test_card_is_held_until_nothing_is_on_it_and_is_free_then() -> None:
    agent = a_lab().reply(parked(a_card()))
    assert moves(agent) == [ReleaseGpus(LAB, (a_card(),))]
    agent.beat().reply(parked(a_card()), a_desired_entry("job.0", 1, a_card()))
    assert moves(agent) == []
    assert agent.started == []

    agent = an_empty_lab().reply(parked(), a_desired_entry("job.0", 2, a_card()))
    assert agent.started == [key("job.0", 2)]


def test_cards_come_back_when_nobody_else_has_them() -> None:
    agent = (
        an_empty_lab().reply(parked(), a_desired_entry("job.0", 1, a_card())).running(JOB).beat()
    )
    agent.reply(a_desired_entry("lab.0", 1, a_card()), a_desired_entry("job.0", 1, a_card()))
    assert moves(agent) == [], "the portal never says so, and is not believed if it does"
    agent.beat().reply(a_desired_entry("lab.0", 1, a_card())).ended(JOB)
    assert moves(agent) == [ReacquireGpus(LAB, (a_card(),))]
    agent.on(GpuReleaseChanged(LAB, GpuReleaseState.HELD)).beat().reply(
        a_desired_entry("lab.0", 1, a_card())
    )
    assert moves(agent) == []
    assert agent.state.containers[LAB].devices == (a_card(),)


def test_notebook_that_kept_its_gpus_is_not_asked_again_and_again() -> None:
    agent = (
        a_lab()
        .reply(parked(a_card()))
        .on(GpuReleaseChanged(LAB, GpuReleaseState.KEPT, "in_use"))
        .beat()
    )
    agent.reply(parked(a_card()))
    assert moves(agent) == []
    agent.beat().reply(a_desired_entry("lab.0", 1, a_card()))
    assert agent.state.containers[LAB].gpu_state is GpuReleaseState.HELD
    agent.beat().reply(parked(a_card()))
    assert moves(agent) == [ReleaseGpus(LAB, (a_card(),))]


def test_later_agent_knows_what_has_left_and_brings_it_back() -> None:
    away = Container(LAB, (), Phase.RUNNING, gpu_state=GpuReleaseState.AWAY)
    state, _ = recover_state(None, first_seq=0, lease=Lease(NOW + 60_000), live=(away,))
    agent = CoreHarness(state).linked()
    agent.reply(a_desired_entry("lab.0", 1, a_card()))
    assert moves(agent) == [ReacquireGpus(LAB, (a_card(),))]


def test_use_after_a_pause_is_told_at_once_and_every_other_with_the_next_heartbeat() -> None:
    agent = a_lab().reply(a_desired_entry("lab.0", 1, a_card()))
    agent.on(ActivitySeen(LAB, 120_000, 1, "start"), after_ms=100)
    assert told(agent) == []
    agent.on(ActivitySeen(LAB, 0, 2, "kernel"), after_ms=100)
    assert told(agent) == [2]


def test_notebook_that_is_not_ready_yet_is_asked_for_its_gpus_once_it_is() -> None:
    agent = CoreHarness().linked().reply(parked(a_card()))
    agent.on(ContainerChanged(LAB, Phase.RUNNING, is_ready=False)).beat().reply(parked(a_card()))
    assert moves(agent) == []
    agent.on(ContainerChanged(LAB, Phase.RUNNING, is_ready=True))
    assert moves(agent) == [ReleaseGpus(LAB, (a_card(),))]
