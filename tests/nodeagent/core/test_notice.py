"""Work that is evicted is warned first, so that it can save itself; the rest is stopped at once."""

from nodeagent.core.commands import StopContainer, WarnContainer
from nodeagent.core.events import CheckpointSeen, Replied, Ticked
from nodeagent.core.recovery import recover_state
from nodeagent.core.state import Container, GracePeriod, Lease, PendingStop
from nodeagent.core.step import next_wake
from tests.nodeagent.core.harness import CoreHarness, a_desired_entry, key
from wire.words import ExitCause, Phase

GRACE = GracePeriod(60_000, notice_ms=40_000, signal="SIGUSR1", reason="preempted")


def warned(agent: CoreHarness) -> list[WarnContainer]:
    return [item for item in agent.commands if isinstance(item, WarnContainer)]


def stops(agent: CoreHarness) -> list[StopContainer]:
    return [item for item in agent.commands if isinstance(item, StopContainer)]


def evicted(grace: GracePeriod = GRACE) -> CoreHarness:
    agent = CoreHarness().linked().reply(a_desired_entry("a.0", 1)).running(key("a.0", 1)).beat()
    return agent.on(Replied(agent.state.seq, (), grace_periods={key("a.0", 1): grace}))


def test_the_warning_comes_once_and_the_polite_stop_after_the_notice() -> None:
    agent = evicted()
    announced = PendingStop(ExitCause.STOPPED, 20_000, notice=GRACE, warned_at=agent.now)
    assert (warned(agent), stops(agent)) == ([WarnContainer(key("a.0", 1), announced)], [])

    seen = []
    for _ in range(8):
        agent.on(Ticked(), after_ms=4_900).reply()
        seen += [*warned(agent), *stops(agent)]
    assert seen == []
    wake = next_wake(agent.state)
    assert wake is not None
    assert wake <= agent.now + 800
    agent.on(Ticked(), after_ms=800)
    assert stops(agent) == [StopContainer(key("a.0", 1), ExitCause.STOPPED, 20_000)]


def test_without_a_notice_time_the_warning_goes_just_before_the_stop() -> None:
    agent = evicted(GracePeriod(45_000, reason="reclaimed"))

    told = [
        type(item) for item in agent.commands if isinstance(item, WarnContainer | StopContainer)
    ]
    assert told == [WarnContainer, StopContainer]
    assert stops(agent)[0].grace_ms == 45_000


def test_the_end_of_the_lease_does_not_wait_for_the_notice() -> None:
    agent = evicted()

    agent.on(Ticked(), after_ms=30_000)

    assert stops(agent) == [StopContainer(key("a.0", 1), ExitCause.STOPPED, 5_000)]


def test_a_repeated_stop_gives_what_is_left_of_the_grace() -> None:
    agent = evicted(GracePeriod(45_000, reason="reclaimed"))
    agent.on(Ticked(), after_ms=5_000)
    assert [item.grace_ms for item in stops(agent)] == [40_000]
    agent.on(Ticked(), after_ms=60_000)
    assert [item.grace_ms for item in stops(agent)] == [0]


def test_what_the_portal_has_given_up_does_not_get_the_rest_of_its_grace() -> None:
    agent = evicted().beat()
    agent.on(Replied(agent.state.seq, (), grace_periods={key("a.0", 1): GracePeriod(0)}))
    assert stops(agent) == [StopContainer(key("a.0", 1), ExitCause.STOPPED, 0)]


def test_restarted_agent_goes_on_with_the_stop_that_was_announced() -> None:
    agent = evicted()
    (announced,) = warned(agent)
    live = (Container(key("a.0", 1), (), Phase.RUNNING, started_at=1, stop=announced.stop),)
    lease = Lease(agent.now + 600_000)
    again = CoreHarness(recover_state(None, first_seq=9, lease=lease, live=live)[0], agent.now)
    again.linked().reply()
    assert (warned(again), stops(again)) == ([], [])
    again.on(Ticked(), after_ms=40_000)
    assert stops(again) == [StopContainer(key("a.0", 1), ExitCause.STOPPED, 20_000)]


def test_what_has_not_started_has_nothing_to_save() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry("a.0", 1)).beat()

    agent.on(Replied(agent.state.seq, (), grace_periods={key("a.0", 1): GRACE}))

    assert warned(agent) == []
    assert stops(agent) == [StopContainer(key("a.0", 1), ExitCause.STOPPED, 20_000)]


def test_work_that_ends_during_the_notice_is_not_stopped() -> None:
    agent = evicted().ended(key("a.0", 1), ExitCause.EXITED)

    agent.on(Ticked(), after_ms=41_000)

    assert stops(agent) == []
    assert agent.state.finished[0].cause is ExitCause.EXITED


def test_a_checkpoint_travels_with_the_next_regular_heartbeat() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry("a.0", 1)).running(key("a.0", 1))
    agent.beat().reply(a_desired_entry("a.0", 1))

    agent.on(CheckpointSeen(key("a.0", 1), 1234)).on(CheckpointSeen(key("gone.0", 1), 5))

    assert agent.heartbeat is None
    beat = agent.beat().heartbeat
    assert beat is not None
    assert [item.checkpointed_at for item in beat.containers] == [1234]
