"""What a node says of its containers' times: ages by a clock that nobody sets, and its own clock beside it."""

from dataclasses import replace

import pytest

from nodeagent.core.commands import SendHeartbeat
from nodeagent.core.events import ContainerChanged, ContainerEnded
from nodeagent.core.recovery import recover_state
from nodeagent.core.state import Container, DurableState, Finished
from nodeagent.link.translation import HostMoment, Sender, to_heartbeat
from tests.nodeagent.core.harness import NOW, CoreHarness, a_desired_entry, an_end, key
from wire.facts import NodeFacts
from wire.messages import Heartbeat
from wire.words import ExitCause, Phase

FACTS = NodeFacts(
    hostname="n",
    agent_version="1",
    runtime="process",
    isolated=False,
    cpu_milli=1000,
    memory_mib=1024,
    address="127.0.0.1",
)
WALL = 1_800_000_000_000


def said(
    *, containers: tuple[Container, ...] = (), finished: tuple[Finished, ...] = (), **at: int
) -> Heartbeat:
    beat = SendHeartbeat(1, 0, containers, finished, ())
    return to_heartbeat(
        beat, FACTS, Sender("boot", "one", HostMoment(**{"boot_ms": NOW, "wall_ms": WALL, **at}))
    )


@pytest.mark.parametrize("set_by_ms", [0, 3_600_000, -3_600_000, 10**12])
def test_an_end_has_its_age_whatever_the_clock_was_set_to_since(set_by_ms: int) -> None:
    end = replace(an_end(key()), finished_at=WALL - 90_000, ended_at=NOW - 90_000)

    report = said(finished=(end,), wall_ms=WALL + set_by_ms)

    assert report.finished[0].ended_ms == 90_000
    assert report.sent_at == WALL + set_by_ms


def test_an_end_that_this_agent_has_not_seen_has_its_age_by_the_clock_on_the_wall() -> None:
    unseen = replace(an_end(key()), finished_at=WALL - 90_000)

    assert said(finished=(unseen,)).finished[0].ended_ms == 90_000
    ahead = replace(unseen, finished_at=WALL + 5)  # the clock was set back since
    assert said(finished=(ahead,)).finished[0].ended_ms == 0


def test_what_another_boot_has_seen_is_not_counted_from_this_one() -> None:
    end = Finished(key(), ExitCause.EXITED, WALL - 90_000, ended_at=10 * NOW)
    durable = DurableState(seq_limit=5, highest_epochs={"a.0": 1}, finished=(end,))

    state, _ = recover_state(durable, first_seq=0)

    (kept,) = state.finished
    assert said(finished=(kept,)).finished[0].ended_ms == 90_000


def test_a_container_says_for_how_long_it_has_run_since_it_was_seen_to() -> None:
    node = CoreHarness().linked().reply(a_desired_entry())
    node.on(ContainerChanged(key(), Phase.STARTING, started_at=WALL))
    assert said(containers=tuple(node.state.containers.values())).containers[0].running_ms is None
    node.on(ContainerChanged(key(), Phase.RUNNING, started_at=WALL), after_ms=5000)
    node.on(ContainerChanged(key(), Phase.RUNNING, detail="more"), after_ms=5000)

    report = said(
        containers=tuple(node.state.containers.values()), boot_ms=node.now + 7000, wall_ms=WALL
    )

    assert report.containers[0].running_ms == 12_000
    node.on(ContainerEnded(an_end(key())))
    assert node.state.containers == {}


def test_an_adopted_container_has_run_since_it_was_started() -> None:
    adopted = Container(key(), (), Phase.RUNNING, started_at=WALL - 60_000)

    assert said(containers=(adopted,)).containers[0].running_ms == 60_000


def test_a_container_says_for_how_long_it_is_ready_beside_for_how_long_it_runs() -> None:
    node = CoreHarness().linked().reply(a_desired_entry())
    node.on(ContainerChanged(key(), Phase.RUNNING, started_at=WALL, is_ready=False))
    (report,) = said(containers=tuple(node.state.containers.values()), boot_ms=node.now).containers
    assert (report.phase, report.running_ms) == (Phase.RUNNING, 0)
    assert (report.ready, report.ready_ms) == (False, None)
    node.on(ContainerChanged(key(), Phase.RUNNING, is_ready=True), after_ms=5000)

    later = said(containers=tuple(node.state.containers.values()), boot_ms=node.now + 7000)

    (report,) = later.containers
    assert (report.running_ms, report.ready, report.ready_ms) == (12_000, True, 7_000)


def test_a_container_without_a_probe_says_nothing_of_being_ready() -> None:
    (report,) = said(containers=(Container(key(), (), Phase.RUNNING),)).containers

    assert (report.ready, report.ready_ms) == (None, None)
