"""Without the portal: what is kept goes on, nothing starts, limits and ordered stops still hold."""

from dataclasses import replace

import pytest

from nodeagent.core.commands import SaveLease, StopContainer, WarnContainer
from nodeagent.core.events import Replied, Ticked
from nodeagent.core.recovery import recover_state
from nodeagent.core.state import (
    Container,
    DesiredEntry,
    GracePeriod,
    Lease,
    PendingStop,
    RunLimit,
)
from nodeagent.core.step import next_wake
from nodeagent.core.time_limits import TOLERANCE_MS
from nodeagent.core.timing import Deadline
from tests.nodeagent.core.harness import NOW, CoreHarness, a_desired_entry, key
from wire.words import ExitCause, Phase, SilenceTerm

DAY_MS = 24 * 3600 * 1000
SLACK_MS = 30_000


def kept(allocation: str = "a.0", epoch: int = 1, limit: RunLimit | None = None) -> DesiredEntry:
    entry = a_desired_entry(allocation, epoch)
    return replace(entry, silence=SilenceTerm.KEEP, limit=limit)


def a_limit(remaining_s: int) -> RunLimit:
    return RunLimit(remaining_s * 1000, grace_ms=60_000, notice_ms=40_000, signal="SIGUSR1")


def silent(agent: CoreHarness) -> CoreHarness:
    """Lose the link for good, and let the lease end."""
    agent.state = replace(agent.state, is_linked=False)
    return agent.on(Ticked(), after_ms=DAY_MS)


def test_what_is_kept_goes_on_and_what_may_be_replaced_is_fenced() -> None:
    agent = CoreHarness().linked().reply(kept("a.0"), a_desired_entry("b.0"))
    assert silent(agent).stopped == [(key("b.0"), ExitCause.LEASE_ENDED)]
    assert agent.on(Ticked(), after_ms=DAY_MS).stopped == [(key("b.0"), ExitCause.LEASE_ENDED)]
    assert agent.state.containers[key("a.0")].stop is None


def test_silent_agent_sleeps_when_nothing_is_due() -> None:
    agent = silent(CoreHarness().linked().reply(kept()).running(key()))
    assert next_wake(agent.state) is None


def test_nothing_new_starts_without_a_lease() -> None:
    agent = CoreHarness().linked().reply(kept("a.0"))
    agent.beat()
    agent.on(Replied(agent.state.seq, (kept("a.0"), kept("b.0"))), after_ms=30_000)
    assert (agent.started, agent.stopped) == ([], [])


def test_portal_that_is_back_finds_the_work_and_may_stop_it() -> None:
    agent = silent(CoreHarness().linked().reply(kept()).running(key()))
    agent.linked().reply(kept())
    assert (agent.started, agent.stopped) == ([], [])
    agent.beat().reply()
    assert agent.stopped == [(key(), ExitCause.STOPPED)]


def test_end_during_the_silence_is_reported_until_acknowledged() -> None:
    agent = silent(CoreHarness().linked().reply(kept()).running(key())).ended(key())
    agent.linked()
    assert agent.heartbeat is not None
    assert [item.key for item in agent.heartbeat.finished] == [key()]
    agent.reply(kept())
    assert agent.started == []
    agent.beat().reply(acks=(key(),))
    assert agent.state.finished == ()


def test_stop_that_was_ordered_before_the_silence_is_carried_out() -> None:
    agent = CoreHarness().linked().reply(kept()).running(key()).beat()
    agent.on(Replied(agent.state.seq, (), grace_periods={key(): GracePeriod(90_000, 60_000)}))
    assert agent.stopped == []
    agent.state = replace(agent.state, is_linked=False)
    agent.on(Ticked(), after_ms=60_000)
    assert agent.commands[-1:] == (StopContainer(key(), ExitCause.STOPPED, 30_000),)


def test_time_limit_holds_without_the_portal_with_notice_and_grace() -> None:
    agent = CoreHarness().linked().reply(kept(limit=a_limit(3600))).running(key())
    agent.state = replace(agent.state, is_linked=False)
    due = NOW + 3_600_000 + SLACK_MS
    agent.now = due - 1
    assert list(agent.on(Ticked()).commands) == []
    assert next_wake(agent.state) == due
    agent.on(Ticked(), after_ms=1)
    notice = GracePeriod(60_000, 40_000, "SIGUSR1", "time_limit")
    stop = PendingStop(ExitCause.TIME_LIMIT, 20_000, notice=notice, warned_at=due)
    assert list(agent.commands) == [WarnContainer(key(), stop)]
    agent.on(Ticked(), after_ms=40_000)
    assert list(agent.commands) == [StopContainer(key(), ExitCause.TIME_LIMIT, 20_000)]


def test_each_reply_moves_the_deadline_where_it_differs() -> None:
    agent = CoreHarness().linked().reply(kept(limit=a_limit(3600))).running(key())
    first = agent.state.containers[key()].deadline
    agent.beat(5_000).reply(kept(limit=a_limit(3596)), after_ms=TOLERANCE_MS - 1_000)
    assert agent.state.containers[key()].deadline == first
    agent.beat(5_000).reply(kept(limit=a_limit(7200)))
    moved = Deadline(agent.now + 7_200_000 + SLACK_MS, 60_000, 40_000, "SIGUSR1")
    assert agent.state.containers[key()].deadline == moved
    saved = [item.lease for item in agent.commands if isinstance(item, SaveLease)]
    assert saved[-1].deadlines == {key(): moved}
    agent.beat(5_000).reply(kept())
    assert agent.state.containers[key()].deadline is None


@pytest.mark.parametrize("silence", SilenceTerm)
def test_restarted_agent_goes_by_what_is_on_its_disk(silence: SilenceTerm) -> None:
    deadline = Deadline(NOW + 60_000, 20_000)
    live = (Container(key(), (), Phase.RUNNING, silence=silence),)
    state, _ = recover_state(
        None, first_seq=0, lease=Lease(NOW - 1, deadlines={key(): deadline}), live=live
    )
    agent = CoreHarness(state).on(Ticked())
    cause = ExitCause.TIME_LIMIT
    if silence is SilenceTerm.REPLACE:
        cause = ExitCause.LEASE_ENDED
    else:
        assert agent.stopped == []
        agent.on(Ticked(), after_ms=60_000)
    assert agent.stopped == [(key(), cause)]
