"""A portal, hosts with agents, an engine: what happens to work when something between them breaks."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, pairwise
from pathlib import Path
from time import time
from typing import Any, Final

import psutil

from deploy.onebox.engine import EngineEndpoint
from nodeagent.disk.layout import StateLayout
from portal.agentlink import enrolment
from portal.catalog.models import Image
from portal.common.actor import Actor
from portal.identity.models import User
from portal.inventory import services
from portal.inventory.models import Node, Pool
from portal.tenancy.models import Group
from portal.workloads.models import Workload
from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_member, a_user, an_actor
from tests.builders.workloads import a_workload
from tests.nodeagent.faults.control import Control
from tests.nodeagent.faults.hosts import Host
from tests.tiny_image import IMAGE
from tests.waiting import PATIENCE_S, wait_until
from wire.facts import NodeFacts
from wire.messages import Join
from wire.versions import PROTOCOL_VERSION

SLOWLY_S: Final = 0.1
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Life:
    """One container between its start and its end, in the engine's own words and times."""

    node: str
    allocation: str
    epoch: int
    began: int
    """Nanoseconds."""
    ended: int | None


@dataclass
class Agent:
    """One node: its identity, its files, its process on its host."""

    name: str
    node: Node
    host: Host
    root: Path
    process: subprocess.Popen[bytes] | None = None

    @property
    def layout(self) -> StateLayout:
        return StateLayout(self.root / "state")

    def start(self, boot_id: str = "") -> None:
        """Start the agent, as on a host that was booted anew when it is told another boot id."""
        boot = self.root / "boot_id"
        if boot_id:
            boot.write_text(boot_id)
        command = (sys.executable, "-m", "nodeagent", "run", "--config", str(self.root / "a.toml"))
        with (self.root / "agent.log").open("ab") as log:
            self.process = subprocess.Popen(
                self.host.command(*command, boot_id=str(boot) if boot_id else ""),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def end(self, number: int = signal.SIGKILL) -> None:
        """End the agent, by default as a crash does; its watchdog stays."""
        assert self.process is not None
        self.process.send_signal(number)
        self.process.wait(PATIENCE_S)

    def watchdogs(self) -> list[psutil.Process]:
        """Return the processes that watch over this node's lease."""
        return [item for item in psutil.process_iter() if _watches(item, str(self.layout.root))]

    def signal_all(self, number: int) -> None:
        """Do something to the agent and its watchdog at once, as to a whole host."""
        assert self.process is not None
        for item in [*self.watchdogs(), self.process]:
            item.send_signal(number)


def _watches(process: psutil.Process, root: str) -> bool:
    try:
        line = process.cmdline()
    except psutil.Error:
        return False
    return "nodeagent.docker.watchdog" in line and root in line


@dataclass
class Site:
    """Everything of one test."""

    control: Control
    hosts: Sequence[Host]
    engine: EngineEndpoint
    root: Path
    pool: Pool
    group: Group
    owner: User
    began: float = field(default_factory=time)
    agents: dict[str, Agent] = field(default_factory=dict)

    def agent(
        self,
        number: int,
        docker_host: str = "",
        portal_port: int = 0,
        cards: int = 1,
        docker: Mapping[str, str] | None = None,
        **more: str,
    ) -> Agent:
        """Join a node, and start its agent on one of the hosts, with more settings than the usual."""
        host = self.hosts[number]
        name = f"fault-{os.getpid()}-{next(_numbers)}"
        root = self.root / name
        (root / "state").mkdir(parents=True, mode=0o700)
        (root / "storage").mkdir()
        node = self._joined(name, root)
        values = {
            "name": name,
            "portal_url": f"http://{host.portal}:{portal_port or self.control.port}",
            "state_dir": str(root / "state"),
            "storage_dir": str(root / "storage"),
            "runtime": "docker",
            **more,
            "docker": {
                "host": docker_host or self.engine.url,
                "network": "host",
                **(docker or {}),
            },
            "simulated": {"count": cards},
            "disk_space": {"free_mib": 1},
        }
        (root / "a.toml").write_text("\n".join(_toml(values)), encoding="utf-8")
        agent = Agent(name, node, host, root)
        self.agents[name] = agent
        agent.start()
        self.wait_for_state(agent, "ready")
        return agent

    def _joined(self, name: str, root: Path) -> Node:
        operator: Actor = an_actor(a_user(role="operator"))
        issued = services.create_join_token(actor=operator, node_name=name, pool=self.pool)
        facts = NodeFacts(
            hostname=name,
            agent_version="test",
            runtime="docker",
            isolated=True,
            cpu_milli=4000,
            memory_mib=4096,
            address="127.0.0.1",
        )
        joined = enrolment.join_node(
            Join(protocol=PROTOCOL_VERSION, token=issued.secret, name=name, facts=facts)
        )
        identity = {**joined.model_dump(), "obtained_at": int(time() * 1000)}
        (root / "state" / "identity.json").write_text(json.dumps(identity))
        return Node.objects.get(name=name)

    # --- Work ----------------------------------------------------------------------------------

    def submit(self) -> Workload:
        """Queue a job that needs a whole card and runs until it is ended."""
        work = a_workload(
            self.owner, self.group, self.pool, gpus=1, memory_mib=64, silence="replace"
        )
        Image.objects.filter(pk=work.image_id).update(reference=IMAGE)
        Workload.objects.filter(pk=work.pk).update(spec={"command": ["sleep", "1000"]})
        return work

    def running_on(self, agent: Agent) -> Workload:
        """Queue such a job and wait until it runs on this node, the only one there is so far."""
        work = self.submit()
        self.wait_for_run(work, agent)
        return work

    def wait_for_run(self, work: Workload, agent: Agent, epoch: int = 1) -> None:
        """Wait until a job runs on a node, in this epoch or a later one."""

        def runs() -> bool:
            work.refresh_from_db()
            held = work.allocations.filter(node=agent.node, epoch=work.epoch, phase="running")
            return work.state == "running" and work.epoch >= epoch and held.exists()

        wait_until(runs, every_s=SLOWLY_S)

    def state(self, agent: Agent) -> str:
        """Return the portal's present word for a node."""
        return str(Node.objects.values_list("state", flat=True).get(pk=agent.node.pk))

    def wait_for_state(self, agent: Agent, *states: str) -> None:
        """Wait until the portal has one of these words for a node."""
        wait_until(lambda: self.state(agent) in states, every_s=SLOWLY_S)

    def beats(self, agent: Agent, more: int) -> None:
        """Wait until that many more heartbeats of a node were answered."""
        seen = len(self.control.heard)

        def came() -> bool:
            fresh = self.control.heard[seen:]
            return sum(node == agent.node.pk for node, _, _ in fresh) >= more

        wait_until(came, every_s=SLOWLY_S)

    # --- What the engine has seen --------------------------------------------------------------

    def events(self, *actions: str) -> list[dict[str, Any]]:
        """Return what the engine noted about containers of this test's nodes, in order."""
        with self.engine.client() as client:
            found = client.api.events(
                since=int(self.began),
                until=int(time()) + 1,
                decode=True,
                filters={"type": "container", "event": list(actions), "label": "berth.node"},
            )
            return [item for item in found if _label(item, "berth.node") in self.agents]

    def lives(self) -> list[Life]:
        """Return the life of every container that was started, in order of birth."""
        ends = {item["Actor"]["ID"]: int(item["timeNano"]) for item in self.events("die")}
        return [
            Life(
                _label(item, "berth.node"),
                _label(item, "berth.allocation"),
                int(_label(item, "berth.epoch")),
                int(item["timeNano"]),
                ends.get(item["Actor"]["ID"]),
            )
            for item in self.events("start")
        ]

    def assert_one_after_the_other(self, work: Workload) -> list[Life]:
        """Check that no two containers of a job ever lived at the same time; return their lives."""
        lives = [item for item in self.lives() if item.allocation.startswith(work.pk.hex)]
        for earlier, later in pairwise(lives):
            assert earlier.ended is not None, lives
            assert earlier.ended <= later.began, lives
        assert len({item.epoch for item in lives}) == len(lives), lives
        return lives

    def clear(self) -> None:
        """End all agents, watchdogs and containers."""
        for agent in self.agents.values():
            agent.host.heal()
            if agent.process is not None and agent.process.poll() is None:
                agent.signal_all(signal.SIGCONT)
                agent.end()
            watchdogs = agent.watchdogs()
            for item in watchdogs:
                item.kill()
            psutil.wait_procs(watchdogs, timeout=PATIENCE_S)
        with self.engine.client() as client:
            for name in self.agents:
                label = f"berth.node={name}"
                for left in client.containers.list(all=True, filters={"label": label}):
                    left.remove(force=True)


def _label(event: Mapping[str, Any], name: str) -> str:
    return str(event["Actor"]["Attributes"].get(name, ""))


def _toml(values: Mapping[str, Any], table: str = "") -> list[str]:
    lines = [f"[{table}]"] if table else []
    for key, value in values.items():
        if isinstance(value, dict):
            lines += _toml(value, key)
        else:
            lines.append(f"{key} = {json.dumps(value)}")
    return lines


@contextmanager
def a_site(
    control: Control, hosts: Sequence[Host], engine: EngineEndpoint, root: Path
) -> Iterator[Site]:
    """Give a test its pool and its people; afterwards nothing runs."""
    group = a_group()
    site = Site(control, hosts, engine, root, a_pool(), group, a_member(group))
    try:
        yield site
    finally:
        site.clear()
