"""The real agent as a real process, with files of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nodeagent.disk.layout import ProcessLock, StateLayout
from nodeagent.process.fence import ProcessFence
from tests.fakes.portal import JOIN_TOKEN, FakePortal
from tests.waiting import PATIENCE_S, wait_until_async


@dataclass
class AgentProcess:
    """One node on this machine."""

    root: Path
    portal: FakePortal
    settings: dict[str, Any] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def layout(self) -> StateLayout:
        return StateLayout(self.root / "state")

    @property
    def config(self) -> Path:
        path = self.root / "agent.toml"
        values = {
            "name": "test-node",
            "portal_url": self.portal.url,
            "state_dir": str(self.root / "state"),
            "storage_dir": str(self.root / "storage"),
            "join_token": JOIN_TOKEN,
            "runtime": "process",
            **self.settings,
        }
        lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
        path.write_text("\n".join([*lines, "[simulated]", "count = 2"]), encoding="utf-8")
        return path

    def start(self) -> None:
        with (self.root / "agent.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "nodeagent", "run", "--config", str(self.config)],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def end(self, number: int = signal.SIGTERM) -> int:
        assert self.process is not None
        os.kill(self.process.pid, number)
        return self.process.wait(PATIENCE_S)

    def stop_all(self) -> int:
        command = [sys.executable, "-m", "nodeagent", "stop-all", "--config", str(self.config)]
        return subprocess.run(command, check=False, timeout=60, capture_output=True).returncode

    def has_watchdog(self) -> bool:
        lock = self.layout.watchdog_lock
        return lock.exists() and ProcessLock(lock).is_held()


@asynccontextmanager
async def an_agent(root: Path, **settings: Any) -> AsyncIterator[AgentProcess]:
    """A running agent with its portal; nothing of it is left afterwards."""
    portal = FakePortal()
    await portal.server.start_server()
    agent = AgentProcess(root, portal, settings)
    agent.start()
    try:
        await wait_until_async(lambda: portal.heartbeats)
        yield agent
    finally:
        if agent.process is not None and agent.process.poll() is None:
            agent.end(signal.SIGKILL)
        await wait_until_async(lambda: _kills_all(ProcessFence(agent.layout.containers)))
        await wait_until_async(lambda: not agent.has_watchdog())
        await portal.server.close()


def _kills_all(fence: ProcessFence) -> bool:
    """End the work without a process for it: the tests of the command `stop-all` prove it."""
    fence.kill_all()
    return fence.count_live() == 0
