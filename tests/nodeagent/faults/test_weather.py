"""F20: a line that loses, doubles, delays and reorders does nothing to the work."""

import pytest

from tests.nodeagent.faults.site import SLOWLY_S, Site
from tests.nodeagent.faults.weather import bad_weather
from tests.waiting import wait_until
from wire.messages import Desired

pytestmark = [pytest.mark.docker]


def test_f20_a_bad_line_changes_nothing_for_the_work(site: Site) -> None:
    with bad_weather(site.control.port) as weather:
        agent = site.agent(0, portal_port=weather.port)
        work = site.running_on(agent)
        wait_until(
            lambda: weather.fates["lost"] >= 3 and site.control.refusals("stale_seq") >= 2,
            every_s=SLOWLY_S,
        )
        site.beats(agent, 2)

        work.refresh_from_db()
        assert (work.state, work.epoch) == ("running", 1)
        [life] = site.assert_one_after_the_other(work)
        assert life.ended is None
        answered = [m.seq for _, m, reply in site.control.heard if isinstance(reply, Desired)]
        assert answered == sorted(set(answered))
        assert "lost" not in site.control.states[agent.name]
        site.clear()
