"""F21: a host loses power and comes back as another boot."""

from uuid import uuid1

import pytest

from tests.nodeagent.faults.site import Site

pytestmark = [pytest.mark.docker]


def test_f21_after_a_reboot_nothing_is_taken_for_alive(hasty_site: Site) -> None:
    site = hasty_site
    agent = site.agent(0)
    work = site.running_on(agent)
    agent.end()
    for watchdog in agent.watchdogs():
        watchdog.kill()
    with site.engine.client() as client:
        for container in client.containers.list(filters={"label": f"berth.node={agent.name}"}):
            container.kill()
    agent.start(boot_id=str(uuid1()))
    site.wait_for_run(work, agent, epoch=2)

    lives = site.assert_one_after_the_other(work)
    assert len(lives) >= 2
    held = work.allocations.get(epoch=1)
    # By whose word depends on whether the host is back before its lease is over.
    assert (held.state, held.exit_cause in {"node_rebooted", "node_lost"}) == ("released", True)
