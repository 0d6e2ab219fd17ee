"""F18, F19, F22: cables that are cut, for a moment, for good, in one direction; hosts that return."""

import signal

import pytest

from tests.nodeagent.faults.hosts import Host
from tests.nodeagent.faults.site import Site
from tests.waiting import wait_until

pytestmark = [pytest.mark.docker]

UNHEARD = ("unready", "lost")


def test_f18_a_partition_shorter_than_the_lease_does_nothing_to_the_work(site: Site) -> None:
    agent = site.agent(0)
    work = site.running_on(agent)
    agent.host.cut()
    site.wait_for_state(agent, "unready")
    agent.host.heal()
    site.wait_for_state(agent, "ready")
    site.beats(agent, 2)

    work.refresh_from_db()
    assert (work.state, work.epoch) == ("running", 1)
    [life] = site.assert_one_after_the_other(work)
    assert life.ended is None
    assert "lost" not in site.control.states[agent.name]


def test_f18_f19_beyond_the_lease_the_work_moves_once_and_has_no_twin(hasty_site: Site) -> None:
    """Cut in one direction, then in the other; each time the holder's own cable.

    In both: `tests/integration/test_faults.py`.
    """
    site = hasty_site
    holder = site.agent(0)
    work = site.running_on(holder)
    other = site.agent(1)
    for fault in (Host.mute, Host.deafen):
        before = work.epoch
        fault(holder.host)
        site.wait_for_state(holder, *UNHEARD)
        site.wait_for_run(work, other, epoch=before + 1)
        holder.host.heal()
        site.wait_for_state(holder, "ready")
        site.beats(holder, 2)

        lives = site.assert_one_after_the_other(work)
        old = [life for life in lives if life.node == holder.name and life.epoch <= before]
        assert old
        assert all(life.ended is not None for life in old)
        told = [message for node, message, _ in site.control.heard if node == holder.node.pk]
        assert all(item.epoch > before for item in told[-1].containers)
        holder, other = other, holder


def test_f22_a_host_that_returns_with_old_work_ends_it_before_it_starts_anything(
    hasty_site: Site,
) -> None:
    """The whole host stands still, its work too, and wakes up when the work lives elsewhere."""
    site = hasty_site
    agent = site.agent(0)
    work = site.running_on(agent)
    wait_until(agent.watchdogs)
    with site.engine.client() as client:
        [asleep] = client.containers.list(filters={"label": f"berth.node={agent.name}"})
        agent.signal_all(signal.SIGSTOP)
        asleep.pause()
        other = site.agent(1)
        site.wait_for_run(work, other, epoch=2)
        following = site.submit()
        asleep.unpause()
        agent.signal_all(signal.SIGCONT)
    site.wait_for_run(following, agent)

    lives = [life for life in site.lives() if life.node == agent.name]
    new = next(life for life in lives if life.allocation.startswith(following.pk.hex))
    old = [life for life in lives if life.allocation.startswith(work.pk.hex)]
    assert old
    assert all(life.ended is not None and life.ended <= new.began for life in old)
    held = work.allocations.filter(node=agent.node)
    assert set(held.values_list("state", flat=True)) == {"released"}
