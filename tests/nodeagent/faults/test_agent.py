"""F14, F15: the agent ends, and the work does not; it ends for good, and the lease ends the work."""

import signal

import pytest

from tests.nodeagent.faults.site import Site
from tests.waiting import wait_until

pytestmark = [pytest.mark.docker]


def test_f14_an_agent_that_ends_in_any_way_finds_its_work_alive(site: Site) -> None:
    agent = site.agent(0)
    work = site.running_on(agent)
    for number in (signal.SIGKILL, signal.SIGTERM):
        agent.end(number)
        agent.start()
        site.beats(agent, 2)

    work.refresh_from_db()
    assert (work.state, work.epoch) == ("running", 1)
    [life] = site.assert_one_after_the_other(work)
    assert life.ended is None
    assert [item.phase for item in site.control.heard[-1][1].containers] == ["running"]


def test_f15_without_an_agent_the_watchdog_ends_the_work_before_it_runs_elsewhere(
    hasty_site: Site,
) -> None:
    agent = hasty_site.agent(0)
    work = hasty_site.running_on(agent)
    wait_until(agent.watchdogs)
    agent.end()
    other = hasty_site.agent(1)

    hasty_site.wait_for_run(work, other, epoch=2)
    lives = hasty_site.assert_one_after_the_other(work)
    assert (lives[0].node, lives[-1].node) == (agent.name, other.name)
    assert hasty_site.state(agent) == "lost"
