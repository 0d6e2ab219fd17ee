"""`make bench-node`: what the agent costs, beside a bare Docker Engine, on this machine.

The agent is the real one as a real process; the portal is the small one of the tests. Each part can
be run alone: `python -m bench.node adopt start sampling logs`.
"""

import argparse
import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any, Final

from bench.figures import Figure, table, write_json
from bench.node_docker import clear, seconds_to_start
from deploy.onebox.options import REPOSITORY
from nodeagent.host.procfs import TICKS_PER_S, Process, read_process
from tests.builders.agent_process import AgentProcess, an_agent
from tests.fakes.nvml.machine import FakeNvml, h100
from tests.fakes.portal import a_desired_container
from tests.tiny_image import tiny_engine
from tests.waiting import wait_until_async

RESULT: Final = REPOSITORY / "var" / "bench-node.json"
PATIENCE_S: Final = 900.0
MIB: Final = 1024 * 1024
CARDS: Final = 8
LOG_MIB: Final = 16
NAME: Final = f"bench-{os.getpid()}"
TINY: Final = "berth/contract:1"

START_RATIO_MAX: Final = 1.2
SAMPLING_PCT_MAX: Final = 2.0
ADOPT_S_MAX: Final = 10.0
CPU_PCT_EACH_MAX: Final = 0.2
RSS_MIB_EACH_MAX: Final = 1.0


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is measured."""

    containers: int
    rounds: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process used over a while."""

    cpu_pct: float
    """Of one processor."""
    rss_mib: float


def main() -> int:
    """Measure the parts that are asked for, print; 1 when a promise is not kept."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    parser = argparse.ArgumentParser(prog="python -m bench.node")
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=" ".join(PARTS))
    parser.add_argument("--containers", type=int, default=50, help="to adopt (50)")
    parser.add_argument("--rounds", type=int, default=10, help="starts of each kind (10)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of watching a process (60)")
    asked = parser.parse_args()
    scale = Scale(asked.containers, asked.rounds, asked.seconds)
    figures: list[Figure] = []
    for part in asked.parts:
        with tempfile.TemporaryDirectory(prefix="berth-bench-") as folder:
            figures += asyncio.run(PARTS[part](Path(folder), scale))
    write_json(figures, RESULT)
    print(table(figures))
    return 0 if all(figure.is_met for figure in figures) else 1


async def _adopt(root: Path, scale: Scale) -> Sequence[Figure]:
    """Start containers, watch the agent with and without them, kill it and start the next one."""
    count = scale.containers
    with tiny_engine() as engine:
        settings = {"DOCKER__HOST": engine.url, "DOCKER__NETWORK": "host", "CPU_MILLI": "1000000"}
        async with _agent(root, settings, runtime="docker") as agent:
            alone = await _cost(agent, scale.seconds)
            agent.portal.want(
                *(
                    a_desired_container(f"w{n:03}.0", image=TINY, cpu_milli=100, memory_mib=16)
                    for n in range(count)
                )
            )
            await agent.portal.nudge()
            await wait_until_async(lambda: _running(agent) == count, within_s=PATIENCE_S)
            busy = await _cost(agent, scale.seconds)
            agent.end(signal.SIGKILL)
            before, started = len(agent.portal.heartbeats), monotonic()
            agent.start()
            await wait_until_async(
                lambda: len(agent.portal.heartbeats) > before and _running(agent) == count,
                within_s=PATIENCE_S,
            )
            adopted = monotonic() - started
            agent.portal.want()
            await agent.portal.nudge()
            await wait_until_async(lambda: not _held(agent), within_s=PATIENCE_S)
        clear(engine, NAME)
    cpu_each = (busy.cpu_pct - alone.cpu_pct) / count
    rss_each = (busy.rss_mib - alone.rss_mib) / count
    return [
        Figure(f"start with {count} containers to adopt", "s", None, adopted, adopted, ADOPT_S_MAX),
        Figure("CPU per container", "% of a core", None, cpu_each, cpu_each, CPU_PCT_EACH_MAX),
        Figure("memory per container", "MiB", None, rss_each, rss_each, RSS_MIB_EACH_MAX),
        Figure("agent without work: CPU", "% of a core", None, alone.cpu_pct, alone.cpu_pct, 5.0),
        Figure("agent without work: memory", "MiB", None, alone.rss_mib, alone.rss_mib, 150.0),
    ]


async def _start(root: Path, scale: Scale) -> Sequence[Figure]:
    """Compare create → running of the agent's runtime with the engine's own."""
    with tiny_engine() as engine:
        found = await seconds_to_start(engine, root, scale.rounds)
    ours = 1000 * median(found.ours)
    floors = {"ordinary docker run": found.ordinary, "the same container": found.same}
    return [
        Figure(f"create to running, {name}", "ms", floor, ours, ours / floor, START_RATIO_MAX)
        for name, floor in ((name, 1000 * median(times)) for name, times in floors.items())
    ]


async def _sampling(root: Path, scale: Scale) -> Sequence[Figure]:
    """Compare an agent that looks at cards every second with one that has no cards."""
    machine = FakeNvml(root / "nvml", [h100(n, utilisation=50) for n in range(CARDS)])
    every_second = {"TELEMETRY__SAMPLE_S": "1", "SIMULATED__COUNT": "0"}
    (root / "none").mkdir()
    async with _agent(root / "none", every_second, accelerators="simulated") as agent:
        without = await _cost(agent, scale.seconds)
    (root / "cards").mkdir()
    async with _agent(root / "cards", every_second, machine.environment) as agent:
        await wait_until_async(lambda: len(agent.portal.heartbeats[-1].facts.accelerators) == CARDS)
        with_cards = await _cost(agent, scale.seconds)
    pct = with_cards.cpu_pct - without.cpu_pct
    name = f"sampling {CARDS} cards at 1 Hz"
    return [Figure(name, "% of a core", without.cpu_pct, with_cards.cpu_pct, pct, SAMPLING_PCT_MAX)]


async def _logs(root: Path, _scale: Scale) -> Sequence[Figure]:
    """Let one job write as fast as it can, and wait until the portal has every byte."""
    size = LOG_MIB * MIB
    async with _agent(root, {}) as agent:
        script = f"head -c {size} /dev/zero | tr '\\0' x"
        started = monotonic()
        agent.portal.want(a_desired_container("w.0", command=("sh", "-c", script)))
        await agent.portal.nudge()
        await wait_until_async(
            lambda: len(agent.portal.logs.get(("w.0", 1), b"")) == size, within_s=PATIENCE_S
        )
        seconds = monotonic() - started
        agent.portal.want()
    ms = seconds * 1000 / LOG_MIB
    return [Figure("log, written to arrived, 1 MiB", "ms", None, ms, ms, 1000.0)]


PARTS: Final[Mapping[str, Callable[[Path, Scale], Coroutine[Any, Any, Sequence[Figure]]]]] = {
    "adopt": _adopt,
    "start": _start,
    "sampling": _sampling,
    "logs": _logs,
}


@asynccontextmanager
async def _agent(
    root: Path, settings: Mapping[str, str], env: Mapping[str, str] | None = None, **more: str
) -> AsyncIterator[AgentProcess]:
    """Run an agent with settings by environment, which beats its file."""
    # A name of its own: what an earlier run left behind is none of this one's.
    named = {"NAME": NAME, **settings}
    given = {**{f"BERTH_AGENT_{name}": value for name, value in named.items()}, **(env or {})}
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        async with an_agent(root, **more) as agent:
            yield agent
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


async def _cost(agent: AgentProcess, seconds: float) -> Cost:
    """Watch the agent for a while."""
    first, began = _process(agent), monotonic()
    await asyncio.sleep(seconds)
    last = _process(agent)
    cpu_s = (last.cpu_ticks - first.cpu_ticks) / TICKS_PER_S
    return Cost(100 * cpu_s / (monotonic() - began), last.rss / MIB)


def _process(agent: AgentProcess) -> Process:
    found = None if agent.process is None else read_process(agent.process.pid)
    if found is None:
        raise RuntimeError("the agent has ended: see its log")
    return found


def _held(agent: AgentProcess) -> int:
    return len(agent.portal.heartbeats[-1].containers)


def _running(agent: AgentProcess) -> int:
    return sum(item.phase == "running" for item in agent.portal.heartbeats[-1].containers)


if __name__ == "__main__":
    sys.exit(main())
