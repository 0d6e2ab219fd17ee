"""`python -m nodeagent COMMAND --config FILE`: the commands of the node agent.

`run` joins first when it has a token and no identity yet. It may be ended in any way, at any time:
the work keeps running, and the next `run` adopts it. `join` joins and ends, also a second time.
`stop-all` ends the work of this node, for a shutdown; the next `run` reports that, and the portal
queues the work again. `watchdog` is what `run` starts beside itself, for hosts where it must
outlive the agent's container. `doctor` lists what is missing on this host and how to fix it; its
exit code is 1 when the node cannot work.
"""

import argparse
import asyncio
import logging
import select
import signal
import sys
from pathlib import Path
from typing import Final, NoReturn

import structlog
from pydantic import ValidationError

from nodeagent.app import composition
from nodeagent.app.runner import AgentRunner
from nodeagent.config import AgentConfig, load_config
from nodeagent.disk.container_dir import remove_unfinished
from nodeagent.disk.layout import ProcessLock, StateLayout
from nodeagent.disk.lease_file import LeaseFile
from nodeagent.doctor.report import run_doctor
from nodeagent.host.clock import SystemClock, read_boot_id
from nodeagent.host.host_lock import HostLock
from nodeagent.link.identity import IdentityFile, NodeCredentials, NodeIdentity
from nodeagent.link.join import JoinRejectedError, join_portal
from nodeagent.link.key_renewal import KeyRenewal
from nodeagent.watchdog import Watchdog, run_until_alone
from wire.messages import Join
from wire.versions import PROTOCOL_VERSION
from wire.words import ExitCause

log = structlog.get_logger()

COMMANDS: Final = ("run", "join", "stop-all", "watchdog", "doctor")
SHUTDOWN_GRACE_MS: Final = 5_000
SHUTDOWN_POLLS: Final = 400
POLL_S: Final = 0.02
WATCH_S: Final = 1.0
LOCK_POLLS: Final = 100
EXIT_USAGE: Final = 2


class SecondAgentError(Exception):
    """An agent with the identity of this one runs on this host, from another folder."""


def main() -> int:
    """Run one command and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m nodeagent", description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--json", action="store_true", help="doctor: for programs")
    parser.add_argument("--language", choices=("en", "zh-CN"), default="en", help="doctor: words")
    arguments = parser.parse_args()
    _write_logs_to_stderr()
    try:
        config = load_config(arguments.config)
    except (ValidationError, OSError, ValueError) as error:
        log.critical("config.invalid", path=str(arguments.config), faults=str(error))
        return EXIT_USAGE
    if arguments.command == "doctor":
        return run_doctor(config, is_json=arguments.json, language=arguments.language)
    layout = composition.prepare_state_dir(config)
    if arguments.command == "stop-all":
        return _stop_all(composition.choose_runtime(config, layout))
    if arguments.command == "watchdog":
        _watch(layout, composition.choose_runtime(config, layout))
    if not _take(ProcessLock(layout.agent_lock)):
        log.critical("agent.already_running", state_dir=str(layout.root))
        return EXIT_USAGE
    remove_unfinished(layout.containers)
    return asyncio.run(_until_signalled(config, layout, is_join=arguments.command == "join"))


async def _until_signalled(config: AgentConfig, layout: StateLayout, *, is_join: bool) -> int:
    """Work until SIGTERM or SIGINT; containers are not affected by the end of their agent."""
    work = asyncio.create_task(_join(config, layout) if is_join else _run(config, layout))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, work.cancel)
    try:
        await work
    except asyncio.CancelledError:
        log.info("agent.ended", reason="signal")
    except JoinRejectedError as error:
        log.critical("join.refused", error=str(error))
        return 1
    except SecondAgentError as error:
        log.critical("agent.second", node_id=str(error), reason="another agent has its identity")
        return EXIT_USAGE
    return 0


async def _run(config: AgentConfig, layout: StateLayout) -> None:
    file = IdentityFile(layout.identity)
    identity = file.load() or await _joined(config, layout)
    host_lock = HostLock(identity.node_id)
    if not await asyncio.to_thread(_take, host_lock):
        raise SecondAgentError(identity.node_id)
    try:
        parts = composition.choose_runtime(config, layout)
        await asyncio.to_thread(parts.take_over)
        credentials = NodeCredentials(identity)
        runner = AgentRunner(composition.build_ports(config, layout, parts, credentials))
        renewal = KeyRenewal(str(config.portal_url), file, credentials, SystemClock())
        log.info("agent.started", node=config.name, node_id=identity.node_id)
        await asyncio.gather(runner.run(), renewal.run())
    finally:
        host_lock.release()


async def _join(config: AgentConfig, layout: StateLayout) -> None:
    """Join, also again: an existing identity is replaced once the portal agrees."""
    identity = await _joined(config, layout)
    log.info("join.done", node=config.name, node_id=identity.node_id)


async def _joined(config: AgentConfig, layout: StateLayout) -> NodeIdentity:
    """Exchange the join token for an identity, and save it."""
    if not config.join_token:
        raise JoinRejectedError("no join token in the configuration")
    parts = composition.choose_runtime(config, layout)
    sampler = composition.build_sampler(config, layout, parts)
    await sampler.sample(())
    request = Join(
        protocol=PROTOCOL_VERSION,
        token=config.join_token,
        name=config.name,
        facts=sampler.current_facts(),
    )
    joined = await join_portal(str(config.portal_url), request)
    identity = NodeIdentity(**joined.model_dump(), obtained_at=SystemClock().wall_ms())
    IdentityFile(layout.identity).save(identity)
    return identity


def _watch(layout: StateLayout, parts: composition.RuntimeParts) -> NoReturn:
    """Run as this node's watchdog, also while there is nothing to watch."""
    leases = LeaseFile(layout.lease, read_boot_id())
    while True:
        identity = IdentityFile(layout.identity).load()
        node_id = identity.node_id if identity else ""
        run_until_alone(Watchdog(parts.fence, leases, SystemClock()), layout, node_id)
        select.select([], [], [], WATCH_S)


def _stop_all(parts: composition.RuntimeParts) -> int:
    """Stop every container; as `vanished`, so that the portal queues the work again."""
    fence = parts.fence
    fence.stop_all(ExitCause.VANISHED, SHUTDOWN_GRACE_MS)
    for _ in range(SHUTDOWN_POLLS):
        if fence.count_live() == 0:
            break
        select.select([], [], [], POLL_S)
    else:
        fence.kill_all()
    parts.clean_up()
    return 0 if fence.count_live() == 0 else 1


def _take(lock: ProcessLock | HostLock) -> bool:
    """Take an agent's lock; try repeatedly, because the watchdog takes it briefly now and then."""
    for _ in range(LOCK_POLLS):
        if lock.try_acquire():
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
