"""What may start: epochs only rise, devices are never used twice."""

from nodeagent.core.commands import StopContainer
from nodeagent.core.events import Replied, Ticked
from nodeagent.core.state import GracePeriod
from tests.nodeagent.core.harness import CoreHarness, a_card, a_desired_entry, a_slice, key
from wire.words import Device, ExitCause


def test_nothing_starts_before_the_first_reply() -> None:
    assert CoreHarness().linked().started == []


def test_desired_container_starts_once() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry("a.0", 1))
    assert agent.started == [key("a.0", 1)]
    assert agent.beat().reply(a_desired_entry("a.0", 1)).started == []


def test_epoch_that_was_seen_is_refused_with_a_tombstone() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry("a.0", 2)).ended(key("a.0", 2))
    agent.beat().reply(a_desired_entry("a.0", 2), acks=(key("a.0", 2),))
    assert agent.started == []
    beat = agent.beat().heartbeat
    assert beat is not None
    assert beat.tombstones == (key("a.0", 2),)


def test_older_epoch_never_starts() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry("a.0", 5)).ended(key("a.0", 5))
    assert agent.beat().reply(a_desired_entry("a.0", 4)).started == []


def test_next_epoch_waits_until_the_earlier_one_is_gone() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry("a.0", 1, a_card())).running(key("a.0", 1))
    agent.beat().reply(a_desired_entry("a.0", 2, a_card("card-2")))
    assert agent.stopped == [(key("a.0", 1), ExitCause.STOPPED)]
    assert agent.started == []
    assert agent.ended(key("a.0", 1), ExitCause.STOPPED).started == [key("a.0", 2)]


def test_stopping_container_still_occupies_its_card() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry("a.0", 1, a_card())).running(key("a.0", 1))
    agent.beat().reply(a_desired_entry("b.0", 1, a_card()))
    assert agent.started == []
    assert agent.ended(key("a.0", 1), ExitCause.STOPPED).started == [key("b.0", 1)]


def test_card_held_by_wanted_work_is_refused_not_shared() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry("a.0", 1, a_card()))
    agent.beat().reply(a_desired_entry("a.0", 1, a_card()), a_desired_entry("b.0", 1, a_card()))
    assert agent.started == []
    beat = agent.beat(50).reply(a_desired_entry("a.0", 1, a_card())).beat().heartbeat
    assert beat is not None
    assert beat.tombstones == (key("b.0", 1),)


def test_slices_of_one_card_run_beside_each_other() -> None:
    wanted = [a_desired_entry(f"{slot}.0", 1, a_slice(slot)) for slot in range(8)]
    assert len(CoreHarness().linked().reply(*wanted).started) == 8


def test_same_slot_twice_is_refused() -> None:
    agent = (
        CoreHarness()
        .linked()
        .reply(a_desired_entry("a.0", 1, a_slice(3)), a_desired_entry("b.0", 1, a_slice(3)))
    )
    assert agent.started == [key("a.0", 1)]


def test_whole_card_and_slice_never_mix() -> None:
    for first, second in ((a_card(), a_slice(0)), (a_slice(0), a_card())):
        agent = (
            CoreHarness()
            .linked()
            .reply(a_desired_entry("a.0", 1, first), a_desired_entry("b.0", 1, second))
        )
        assert agent.started == [key("a.0", 1)]


def test_two_divisions_of_one_card_never_mix() -> None:
    other_cut = Device("card-1", 8192, slot=1, slices=4)
    agent = (
        CoreHarness()
        .linked()
        .reply(a_desired_entry("a.0", 1, a_slice(0)), a_desired_entry("b.0", 1, other_cut))
    )
    assert agent.started == [key("a.0", 1)]


def test_wish_that_contradicts_itself_is_refused() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry("a.0", 1, a_slice(0), a_slice(0)))
    assert agent.started == []
    assert agent.state.tombstones == (key("a.0", 1),)


def test_nothing_starts_on_a_lease_that_has_ended() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry("a.0", 1, a_card())).running(key("a.0", 1))
    agent.beat().reply(a_desired_entry("b.0", 1, a_card()))
    agent.on(Ticked(), after_ms=31_000)
    assert agent.ended(key("a.0", 1), ExitCause.STOPPED).started == []


def test_what_is_evicted_may_take_the_time_that_the_reply_grants() -> None:
    agent = CoreHarness().linked().reply(a_desired_entry("a.0", 1), a_desired_entry("b.0", 1))
    agent.running(key("a.0", 1)).running(key("b.0", 1)).beat()

    agent.on(Replied(agent.state.seq, (), grace_periods={key("a.0", 1): GracePeriod(60_000)}))

    stops = {item.key: item.grace_ms for item in agent.commands if isinstance(item, StopContainer)}
    assert stops == {key("a.0", 1): 60_000, key("b.0", 1): agent.state.timing.stop_grace_ms}
