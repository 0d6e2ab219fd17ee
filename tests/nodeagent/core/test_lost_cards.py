"""F30, the agent's rule: a lost card ends its own work as `device_lost` and nothing else."""

from dataclasses import replace

from nodeagent.core.events import ContainerEnded, FactsChanged
from tests.nodeagent.core.harness import CoreHarness, a_card, a_desired_entry, a_slice, an_end, key
from wire.words import ExitCause

LOST = {"card-1": "xid_79"}


def two_jobs() -> CoreHarness:
    agent = CoreHarness().linked()
    agent.reply(
        a_desired_entry("a.0", 1, a_card("card-1")), a_desired_entry("b.0", 1, a_card("card-2"))
    )
    return agent.running(key("a.0")).running(key("b.0"))


def test_f30_work_on_a_lost_card_is_stopped_and_its_sibling_goes_on() -> None:
    agent = two_jobs().on(FactsChanged(LOST))
    assert agent.stopped == [(key("a.0"), ExitCause.DEVICE_LOST)]
    agent.ended(key("a.0"), ExitCause.DEVICE_LOST)
    (end,) = agent.state.finished
    assert (end.cause, end.detail) == (ExitCause.DEVICE_LOST, "card-1: xid_79")
    assert agent.state.containers[key("b.0")].stop is None


def test_f30_every_slice_of_a_lost_card_is_hit() -> None:
    agent = CoreHarness().linked()
    agent.reply(a_desired_entry("a.0", 1, a_slice(0)), a_desired_entry("b.0", 1, a_slice(1)))
    assert agent.on(FactsChanged(LOST)).stopped == [
        (key("a.0"), ExitCause.DEVICE_LOST),
        (key("b.0"), ExitCause.DEVICE_LOST),
    ]


def test_f30_work_that_noticed_first_is_not_blamed_for_its_end() -> None:
    agent = two_jobs().on(FactsChanged(LOST))
    crash = replace(an_end(key("a.0")), exit_code=1)
    (end,) = agent.on(ContainerEnded(crash)).state.finished
    assert (end.cause, end.exit_code) == (ExitCause.DEVICE_LOST, 1)


def test_f30_work_that_was_done_or_had_another_reason_keeps_its_own_end() -> None:
    agent = two_jobs().on(FactsChanged(LOST)).ended(key("a.0"))
    assert [item.cause for item in agent.state.finished] == [ExitCause.EXITED]
    agent = two_jobs().on(FactsChanged(LOST)).ended(key("a.0"), ExitCause.OUT_OF_MEMORY)
    assert [item.cause for item in agent.state.finished] == [ExitCause.OUT_OF_MEMORY]
    crash = replace(an_end(key("b.0")), exit_code=1)
    agent = two_jobs().on(FactsChanged(LOST)).on(ContainerEnded(crash))
    assert [item.cause for item in agent.state.finished] == [ExitCause.EXITED]


def test_f30_a_stop_that_was_decided_before_keeps_its_cause() -> None:
    agent = two_jobs().beat().reply(a_desired_entry("b.0", 1, a_card("card-2")))
    assert agent.stopped == [(key("a.0"), ExitCause.STOPPED)]
    assert agent.on(FactsChanged(LOST)).stopped == []


def test_f30_nothing_starts_on_a_lost_card_until_it_is_back() -> None:
    agent = CoreHarness().linked().on(FactsChanged(LOST))
    agent.beat().reply(a_desired_entry("a.0", 1, a_card("card-1")))
    assert agent.started == []
    assert agent.state.tombstones == (key("a.0"),)
    agent.on(FactsChanged()).beat().reply(a_desired_entry("a.0", 2, a_card("card-1")))
    assert agent.started == [key("a.0", 2)]
