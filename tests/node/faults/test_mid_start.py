"""F16: the agent dies in the middle of a start; what it began is started once, or never."""

from pathlib import Path

import pytest

from tests.node.faults.gate import a_gate
from tests.node.faults.site import Site
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.docker]


def test_f16_killed_between_create_and_start_leaves_no_container_behind(
    site: Site, tmp_path: Path
) -> None:
    with a_gate(tmp_path / "gate", site.engine.url) as gate:
        agent = site.agent(0, gate.url)
        gate.holds_calls = True
        work = site.submit()
        assert gate.has_held.wait(PATIENCE_S)
        agent.end()
        gate.open()
        agent.start()
        site.wait_for_run(work, agent)

        [life] = site.assert_one_after_the_other(work)
        created = [_epoch(item) for item in site.events("create")]
        removed = [_epoch(item) for item in site.events("destroy")]
        assert created in ([life.epoch], [life.epoch - 1, life.epoch])
        assert removed == created[:-1]


def test_f16_killed_between_start_and_report_adopts_what_it_has_started(
    site: Site, tmp_path: Path
) -> None:
    with a_gate(tmp_path / "gate", site.engine.url) as gate:
        agent = site.agent(0, gate.url)
        gate.holds_answers = True
        work = site.submit()
        assert gate.has_held.wait(PATIENCE_S)
        agent.end()
        gate.open()
        agent.start()
        site.wait_for_run(work, agent)

        [life] = site.assert_one_after_the_other(work)
        assert (life.epoch, life.ended, work.epoch) == (1, None, 1)


def _epoch(event: dict[str, object]) -> int:
    actor = event["Actor"]
    assert isinstance(actor, dict)
    return int(actor["Attributes"]["berth.epoch"])
