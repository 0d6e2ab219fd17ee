"""F16: the agent dies in the middle of a start; what it began is started once, or never."""

from pathlib import Path
from typing import Any

import pytest

from portal.workloads.models import Workload
from tests.nodeagent.faults.engine_proxy import EngineProxy, an_engine_proxy
from tests.nodeagent.faults.site import Agent, Site
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.docker]


def test_f16_killed_on_either_side_of_a_start_the_agent_starts_it_once(
    site: Site, tmp_path: Path
) -> None:
    """Before it, no container is left behind; after it, what was started is adopted."""
    with an_engine_proxy(tmp_path / "gate", site.engine.url) as proxy:
        agent = site.agent(0, proxy.url, cards=2)
        proxy.holds_calls = True
        unstarted = _killed_in_mid_start(site, agent, proxy)
        proxy.holds_answers = True
        unreported = _killed_in_mid_start(site, agent, proxy)

        [life] = site.assert_one_after_the_other(unstarted)
        created = [_epoch(item) for item in site.events("create") if _is_of(unstarted, item)]
        removed = [_epoch(item) for item in site.events("destroy") if _is_of(unstarted, item)]
        assert created in ([life.epoch], [life.epoch - 1, life.epoch])
        assert removed == created[:-1]
        [life] = site.assert_one_after_the_other(unreported)
        assert (life.epoch, life.ended, unreported.epoch) == (1, None, 1)


def _killed_in_mid_start(site: Site, agent: Agent, proxy: EngineProxy) -> Workload:
    """Kill the agent while a start of its is held, and return the work once it runs."""
    proxy.has_held.clear()
    work = site.submit()
    assert proxy.has_held.wait(PATIENCE_S)
    agent.end()
    proxy.open()
    agent.start()
    site.wait_for_run(work, agent)
    return work


def _is_of(work: Workload, event: dict[str, Any]) -> bool:
    return str(event["Actor"]["Attributes"]["berth.allocation"]).startswith(work.pk.hex)


def _epoch(event: dict[str, Any]) -> int:
    return int(event["Actor"]["Attributes"]["berth.epoch"])
