"""Whose a process is: what tells a tenant on a card from a stranger, in every real runtime."""

import os
from dataclasses import replace

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.ports import Injection, ProcessScope
from tests.fakes.work import an_order
from tests.nodeagent.contract.conftest import Node
from wire.words import Isolation


@pytest.mark.parametrize(
    "node", ["process", pytest.param("docker", marks=pytest.mark.docker)], indirect=True
)
async def test_processes_of_our_containers_are_known_and_others_are_not(node: Node) -> None:
    assert node.owners is not None
    assert await node.owners.find_owners(frozenset({os.getpid(), 1})) == {}
    lives: list[int] = []

    async def confine(confines: ProcessScope) -> None:
        lives.append(confines.pid)

    order = replace(an_order(("sleep", "1000")), injection=Injection(isolation=Isolation.TIMESLICE))
    await node.runtime.start(order, lambda _, __=None: None, confine)
    (pid,) = lives
    gone = 2**22
    assert await node.owners.find_owners(frozenset({pid, os.getpid(), gone})) == {
        pid: ContainerKey("job.0", 1)
    }
