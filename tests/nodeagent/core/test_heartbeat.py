"""When heartbeats leave, what they say, and which replies count."""

from nodeagent.core.commands import SaveState, SendHeartbeat
from nodeagent.core.events import (
    ContainerChanged,
    FactsChanged,
    LinkDown,
    LinkUp,
    Nudged,
    Replied,
    ReplyRefused,
    Ticked,
)
from nodeagent.core.step import next_wake
from tests.nodeagent.core.harness import CoreHarness, a_desired_entry, key
from wire.words import ExitCause, Phase


def test_first_heartbeat_leaves_when_the_link_is_up() -> None:
    agent = CoreHarness()
    assert agent.on(Ticked()).heartbeat is None
    beat = agent.linked().heartbeat
    assert beat is not None
    assert beat.applied == -1


def test_quiet_agent_sends_every_five_seconds() -> None:
    agent = CoreHarness().linked().reply()
    assert next_wake(agent.state) == agent.now + 5_000
    assert agent.on(Ticked(), after_ms=4_999).heartbeat is None
    assert agent.on(Ticked(), after_ms=1).heartbeat is not None


def test_change_is_told_at_once_but_not_faster_than_the_gap() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry())
    assert agent.heartbeat is None
    assert next_wake(agent.state) == agent.now + 50
    assert agent.on(Ticked(), after_ms=50).heartbeat is not None


def test_one_heartbeat_in_flight() -> None:
    agent = CoreHarness().linked()
    assert agent.on(Nudged(), after_ms=1_000).heartbeat is None
    assert agent.reply().heartbeat is not None


def test_heartbeat_without_answer_is_given_up_after_a_while() -> None:
    agent = CoreHarness().linked()
    assert agent.on(FactsChanged(), after_ms=4_999).heartbeat is None
    assert agent.on(Ticked(), after_ms=1).heartbeat is not None


def test_refused_heartbeat_counts_for_nothing() -> None:
    agent = CoreHarness().linked().on(ReplyRefused())
    assert agent.state.lease_until == 0
    assert agent.on(Ticked(), after_ms=5_000).heartbeat is not None


def test_reply_older_than_the_last_applied_changes_nothing() -> None:
    agent = CoreHarness().linked()
    old = agent.state.seq
    agent.beat().reply(a_desired_entry())
    state = agent.state
    assert agent.on(Replied(old, ())).state == state


def test_reply_nobody_asked_for_changes_nothing() -> None:
    agent = CoreHarness().linked()
    state = agent.state
    assert agent.on(Replied(state.seq + 7, (a_desired_entry(),))).state == state


def test_doubled_reply_changes_nothing() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry())
    state = agent.state
    assert agent.on(Replied(state.seq, ())).state == state


def test_late_reply_to_a_given_up_heartbeat_still_counts() -> None:
    agent = CoreHarness().linked()
    first = agent.state.seq
    agent.beat()
    assert agent.on(Replied(first, (a_desired_entry(),))).started == [key()]


def test_nothing_in_flight_survives_the_link() -> None:
    agent = CoreHarness().linked()
    seq = agent.state.seq
    agent.on(LinkDown()).on(LinkUp(), after_ms=50)
    assert agent.heartbeat is not None
    assert agent.on(Replied(seq, (a_desired_entry(),))).started == []


def test_end_is_repeated_until_acknowledged_and_then_cleared_away() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry()).ended(key())
    for _ in range(3):
        beat = agent.beat().heartbeat
        assert beat is not None
        assert [item.key for item in beat.finished] == [key()]
        assert beat.tombstones == ()
    agent.reply(acks=(key(),))
    assert agent.removed == [key()]
    assert agent.state.tombstones == ()
    assert agent.beat().removed == []


def test_living_container_is_never_forgotten_by_an_acknowledgement() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry()).running(key())
    agent.beat().reply(a_desired_entry(), acks=(key(),))
    assert agent.state.tombstones == (key(),)


def test_progress_is_told_and_a_stop_is_not_undone_by_it() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry()).beat().reply()
    agent.on(ContainerChanged(key(), Phase.RUNNING, port=1234))
    container = agent.state.containers[key()]
    assert (container.phase, container.port) == (Phase.STOPPING, 1234)


def test_news_about_unknown_containers_is_ignored() -> None:
    agent = CoreHarness().linked().reply()
    state = agent.state
    agent.on(ContainerChanged(key(), Phase.RUNNING))
    assert agent.ended(key(), ExitCause.EXITED).state == state


def test_an_old_memory_counts_on_from_where_the_portal_is() -> None:
    agent = CoreHarness().linked()
    first = agent.state.seq
    agent.on(ReplyRefused(last_seq=first + 5_000), after_ms=50)
    [beat] = [item for item in agent.commands if isinstance(item, SendHeartbeat)]
    assert beat.seq == first + 5_001
    [saved] = [item for item in agent.commands if isinstance(item, SaveState)]
    assert saved.durable.seq_limit > beat.seq


def test_a_refused_repetition_changes_no_count() -> None:
    agent = CoreHarness().linked()
    before = agent.state.seq
    agent.on(ReplyRefused(last_seq=before), after_ms=50)
    assert agent.state.seq == before
