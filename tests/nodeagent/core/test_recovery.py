"""A new agent on an old node: adopt, report, forget nothing, double nothing."""

from dataclasses import replace

from nodeagent.core.commands import RemoveContainer
from nodeagent.core.recovery import recover_state
from nodeagent.core.starts import HIGHEST_MAX, record_epoch
from nodeagent.core.state import Container, DurableState
from tests.nodeagent.core.harness import CoreHarness, a_desired_entry, an_end, key
from wire.words import ExitCause, Phase


def durable_after(agent: CoreHarness) -> DurableState:
    return agent.state.durable


def test_restart_continues_the_sequence_above_every_number_ever_sent() -> None:
    agent = CoreHarness().linked()
    for _ in range(2_500):
        agent.reply().beat()
    assert recover_state(durable_after(agent), first_seq=0)[0].seq > agent.state.seq


def test_live_container_is_adopted_and_not_stopped_before_a_reply() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry()).running(key())
    live = (Container(key(), (), Phase.RUNNING),)
    state, _ = recover_state(durable_after(agent), first_seq=0, lease=agent.state.lease, live=live)
    again = CoreHarness(state, agent.now).linked()
    assert again.stopped == []
    assert again.reply(a_desired_entry()).started == []
    assert again.stopped == []


def test_end_that_nobody_saw_is_reported() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry())
    state, _ = recover_state(durable_after(agent), first_seq=0, ended=(an_end(key()),))
    assert [item.key for item in state.finished] == [key()]


def test_end_that_was_settled_is_cleared_away_not_told_again() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry()).ended(key()).beat().reply(acks=(key(),))
    state, commands = recover_state(durable_after(agent), first_seq=0, ended=(an_end(key()),))
    assert state.finished == ()
    assert RemoveContainer(key()) in commands


def test_container_of_which_nothing_is_left_leaves_a_tombstone() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry())
    state, _ = recover_state(durable_after(agent), first_seq=0)
    beat = CoreHarness(state).linked().heartbeat
    assert beat is not None
    assert beat.tombstones == (key(),)


def test_lost_file_is_rebuilt_from_what_the_runtime_holds() -> None:
    live = (Container(key("a.0", 3), (), Phase.RUNNING),)
    ended = (an_end(key("b.0", 2), ExitCause.STOPPED),)
    state, _ = recover_state(None, first_seq=5_000, live=live, ended=ended)
    assert state.highest_epochs == {"a.0": 3, "b.0": 2}
    assert [item.key for item in state.finished] == [key("b.0", 2)]
    assert state.seq >= 5_000


def test_memory_of_epochs_is_bounded_but_keeps_what_is_owed() -> None:
    state = CoreHarness().linked().reply(a_desired_entry("owed.0", 9)).state
    old = {f"{number}.0": 1 for number in range(HIGHEST_MAX)}
    state = record_epoch(
        replace(state, highest_epochs={**state.highest_epochs, **old}), key("new.0", 4)
    )
    assert len(state.highest_epochs) == HIGHEST_MAX
    assert (state.highest_epochs["owed.0"], state.highest_epochs["new.0"]) == (9, 4)
    assert "0.0" not in state.highest_epochs
