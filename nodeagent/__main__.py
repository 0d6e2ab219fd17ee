"""`python -m nodeagent run|join|stop-all --config FILE`: the doors of the node agent.

`run` joins first when it has a token and no identity yet. It may be ended in any way, at any time:
the work goes on, and the next `run` takes it up again. `stop-all` ends the work of this node, for a
shutdown; the portal is told by the next `run` and queues it again.
"""

import argparse
import asyncio
import logging
import select
import signal
import sys
from pathlib import Path
from typing import Final

import structlog
from pydantic import ValidationError

from nodeagent import composition
from nodeagent.composition import RuntimeParts
from nodeagent.config import AgentConfig, load
from nodeagent.core.state import Cause
from nodeagent.disk.layout import ProcessLock, StateLayout
from nodeagent.link.join import IdentityFile, JoinRefusedError, join
from nodeagent.ports import Fence
from nodeagent.runner import Runner
from wire.messages import Join, Joined
from wire.versions import PROTOCOL_VERSION

log = structlog.get_logger()

SHUTDOWN_GRACE_MS: Final = 5_000
SHUTDOWN_POLLS: Final = 400
POLL_S: Final = 0.02
LOCK_POLLS: Final = 100
EXIT_USAGE: Final = 2


def main() -> int:
    """Run one command and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m nodeagent", description=__doc__)
    parser.add_argument("command", choices=("run", "join", "stop-all"))
    parser.add_argument("--config", type=Path, required=True)
    arguments = parser.parse_args()
    _write_logs_to_stderr()
    try:
        config = load(arguments.config)
    except (ValidationError, OSError, ValueError) as error:
        log.critical("config.invalid", path=str(arguments.config), faults=str(error))
        return EXIT_USAGE
    layout = composition.layout_of(config)
    if arguments.command == "stop-all":
        return _stop_all(composition.runtime_parts(config, layout).fence)
    if not _take(ProcessLock(layout.agent_lock)):
        log.critical("agent.already_running", state_dir=str(layout.root))
        return EXIT_USAGE
    return asyncio.run(_until_signalled(config, layout, is_join=arguments.command == "join"))


async def _until_signalled(config: AgentConfig, layout: StateLayout, *, is_join: bool) -> int:
    """Work until SIGTERM or SIGINT; containers do not notice the end of their agent."""
    work = asyncio.create_task(_join_only(config, layout) if is_join else _run(config, layout))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, work.cancel)
    try:
        await work
    except asyncio.CancelledError:
        log.info("agent.ended", reason="signal")
    except JoinRefusedError as error:
        log.critical("join.refused", error=str(error))
        return 1
    return 0


async def _run(config: AgentConfig, layout: StateLayout) -> None:
    parts = composition.runtime_parts(config, layout)
    identity = await _identity(config, layout, parts)
    log.info("agent.started", node=config.name, node_id=identity.node_id)
    await Runner(composition.ports(config, layout, parts, identity.key)).run()


async def _join_only(config: AgentConfig, layout: StateLayout) -> None:
    identity = await _identity(config, layout, composition.runtime_parts(config, layout))
    log.info("join.done", node=config.name, node_id=identity.node_id)


async def _identity(config: AgentConfig, layout: StateLayout, parts: RuntimeParts) -> Joined:
    """Return who this node is, joining first when it does not know."""
    file = IdentityFile(layout.identity)
    known = file.load()
    if known is not None:
        return known
    if not config.join_token:
        raise JoinRefusedError("no identity yet, and no join token in the configuration")
    sampler = composition.sampler(config, layout, parts)
    await sampler.sample(())
    request = Join(
        protocol=PROTOCOL_VERSION,
        token=config.join_token,
        name=config.name,
        facts=sampler.facts(),
    )
    identity = await join(str(config.portal_url), request)
    file.save(identity)
    return identity


def _stop_all(fence: Fence) -> int:
    """Stop every container; as `vanished`, so that the portal queues the work again."""
    fence.stop_all(Cause.VANISHED, SHUTDOWN_GRACE_MS)
    for _ in range(SHUTDOWN_POLLS):
        if fence.live() == 0:
            return 0
        select.select([], [], [], POLL_S)
    fence.kill_all()
    return 0 if fence.live() == 0 else 1


def _take(lock: ProcessLock) -> bool:
    """Take the agent's lock; the watchdog looks at it now and then, so try more than once."""
    for _ in range(LOCK_POLLS):
        if lock.take():
            return True
        select.select([], [], [], POLL_S)
    return False


def _write_logs_to_stderr() -> None:
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


if __name__ == "__main__":
    sys.exit(main())
