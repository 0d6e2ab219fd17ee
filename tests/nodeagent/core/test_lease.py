"""The self-fence: no container outlives the last answer by more than the time to live."""

from dataclasses import replace

from nodeagent.core.commands import SaveLease, StopContainer
from nodeagent.core.events import ContainerFound, Replied, Ticked
from nodeagent.core.recovery import recover_state
from nodeagent.core.state import Container, GracePeriod, Lease
from nodeagent.core.step import next_wake
from tests.nodeagent.core.harness import NOW, CoreHarness, a_desired_entry, key
from wire.words import ExitCause, Phase, Terms


def test_lease_counts_from_the_send_time_not_from_the_reply() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry(), after_ms=4_000)
    assert agent.state.lease_until == NOW + 30_000
    assert SaveLease(Lease(NOW + 30_000)) in agent.commands


def test_lease_is_saved_before_anything_is_started() -> None:
    kinds = [
        type(item).__name__ for item in CoreHarness().linked().reply(a_desired_entry()).commands
    ]
    assert kinds.index("SaveLease") < kinds.index("StartContainer")
    assert kinds.index("SaveState") < kinds.index("StartContainer")


def test_everything_is_stopped_at_lease_end() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry("a.0"), a_desired_entry("b.0"))
    agent.now = NOW + 29_999
    assert agent.on(Ticked()).stopped == []
    agent.on(Ticked(), after_ms=1)
    ended = [(key("a.0"), ExitCause.LEASE_ENDED), (key("b.0"), ExitCause.LEASE_ENDED)]
    assert agent.stopped == ended


def test_core_asks_to_be_woken_at_lease_end() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry())
    agent.state = replace(agent.state, is_linked=False)
    assert next_wake(agent.state) == NOW + 30_000


def test_fence_hurries_a_stop_that_is_under_way() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry()).running(key()).beat()
    grace = GracePeriod(60_000, reason="preempted")
    agent.on(Replied(agent.state.seq, (), grace_periods={key(): grace}))
    assert agent.stopped == [(key(), ExitCause.STOPPED)]
    agent.now = NOW + 5_000 + 30_000
    agent.on(Ticked())
    assert [item for item in agent.commands if isinstance(item, StopContainer)] == [
        StopContainer(key(), ExitCause.STOPPED, 5_000)
    ]


def test_stop_is_asked_for_again_until_the_container_is_gone() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry()).beat().reply()
    assert agent.on(Ticked(), after_ms=4_999).stopped == []
    assert agent.on(Ticked(), after_ms=1).stopped == [(key(), ExitCause.STOPPED)]
    assert agent.ended(key()).on(Ticked(), after_ms=5_000).stopped == []


def test_reply_that_comes_after_its_own_lease_is_ignored() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry())
    seq = agent.beat().state.seq
    agent.on(Replied(seq, (a_desired_entry(),)), after_ms=30_000)
    assert agent.stopped == [(key(), ExitCause.LEASE_ENDED)]
    assert agent.state.desired is None
    assert agent.state.applied < seq


def test_renewed_lease_does_not_bring_fenced_work_back() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry()).on(Ticked(), after_ms=30_000)
    agent.beat().reply(a_desired_entry()).ended(key(), ExitCause.LEASE_ENDED)
    assert agent.started == []
    assert agent.state.finished[0].cause is ExitCause.LEASE_ENDED


def test_late_reply_never_shortens_the_lease() -> None:
    agent = CoreHarness().linked()
    first = agent.state.seq
    agent.beat(5_000).reply()
    until = agent.state.lease_until
    assert agent.on(Replied(first, ())).state.lease_until == until


def test_container_found_without_a_lease_is_fenced() -> None:
    agent = CoreHarness().on(ContainerFound(Container(key(), (), Phase.RUNNING)))
    assert agent.on(Ticked()).stopped == [(key(), ExitCause.LEASE_ENDED)]


def test_adopted_work_keeps_its_lease() -> None:
    live = (Container(key(), (), Phase.RUNNING),)
    state, _ = recover_state(None, first_seq=0, lease=Lease(NOW + 10), live=live)
    agent = CoreHarness(state)
    assert agent.on(Ticked()).stopped == []
    assert agent.on(Ticked(), after_ms=10).stopped == [(key(), ExitCause.LEASE_ENDED)]


def test_the_portal_s_times_count_from_the_reply_that_names_them() -> None:
    agent = CoreHarness().linked()
    agent.on(Replied(agent.state.seq, (), terms=Terms(500, 3_000, 1_500)))
    assert SaveLease(Lease(NOW + 3_000, 500)) in agent.commands
    assert next_wake(agent.state) == NOW + 500
    agent.on(Ticked(), after_ms=500).reply()
    assert SaveLease(Lease(NOW + 3_500, 500)) in agent.commands


def test_shorter_terms_never_cut_a_lease_that_was_given() -> None:
    agent = CoreHarness().linked().reply()
    agent.on(Ticked(), after_ms=5_000)
    agent.on(Replied(agent.state.seq, (), terms=Terms(500, 3_000, 1_500)))
    assert agent.state.lease_until == NOW + 30_000
