"""F17: the agent's own memory is lost, damaged or old; labels and the portal give it back."""

import json
import re
from collections.abc import Callable
from shutil import rmtree

import pytest

from tests.nodeagent.faults.site import Agent, Site
from tests.waiting import wait_until

pytestmark = [pytest.mark.docker]


def test_f17_no_memory_is_better_than_a_false_one(site: Site) -> None:
    """Whatever became of the files, nothing is started twice, and nothing before the portal spoke."""
    agent = site.agent(0)
    first_words = agent.layout.state.read_text()
    work = site.running_on(agent)

    def is_old(agent: Agent) -> None:
        agent.layout.state.write_text(first_words)

    damages: tuple[Callable[[Agent], None], ...] = (_is_gone, _has_a_flipped_bit, is_old)
    for damage in damages:
        wait_until(lambda: _remembers_an_epoch(agent))  # it writes behind its beats
        agent.end()
        damage(agent)
        agent.host.cut()
        agent.start()
        seen = len(site.control.heard)
        assert agent.process is not None
        agent.host.heal()
        site.beats(agent, 2)
        first = next(m for node, m, _ in site.control.heard[seen:] if node == agent.node.pk)
        assert [(item.epoch, item.phase) for item in first.containers] == [(1, "running")]

    work.refresh_from_db()
    assert (work.state, work.epoch) == ("running", 1)
    [life] = site.assert_one_after_the_other(work)
    assert life.ended is None
    assert len(site.events("create")) == 1


def _remembers_an_epoch(agent: Agent) -> bool:
    state = agent.layout.state
    return state.exists() and re.search(r'": \d+}', state.read_text()) is not None


def _is_gone(agent: Agent) -> None:
    agent.layout.state.unlink()
    rmtree(agent.layout.containers)


def _has_a_flipped_bit(agent: Agent) -> None:
    """One that leaves the file readable: a digit of the highest epoch becomes another one."""
    content = agent.layout.state.read_text()
    damaged = content.replace('": 1}', '": 3}', 1)
    assert json.loads(damaged) != json.loads(content)
    agent.layout.state.write_text(damaged)
