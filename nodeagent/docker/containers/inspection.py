"""Parses the engine's description of a container; pure."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from nodeagent.core.exit_codes import SIGNAL_EXIT_BASE, classify_exit_code
from nodeagent.core.state import ContainerKey, Finished
from nodeagent.disk.script_faults import INTERPRETER
from nodeagent.disk.stop_files import StopOrder
from nodeagent.docker.containers.container_spec import APP_PORT, SCRIPT
from nodeagent.docker.engine.errors import COMMAND_NOT_FOUND, classify_engine_error
from wire.words import ExitCause

LIVE_STATES: Final = frozenset({"running", "paused", "restarting", "removing"})
ENDED_STATES: Final = frozenset({"exited", "dead"})
PAUSED: Final = "paused"
UNSET_YEAR: Final = "0001-"
SECOND_DIGITS: Final = 19
"""Length of `2026-01-31T12:00:00`; the engine writes nanoseconds after it."""
FAILURE: Final = 1
"""What a program exits with that has failed and says nothing more, such as for lack of a killed worker."""
INIT_FAILED: Final = "[FATAL tini"
"""Begins the log when the init process could not run the command."""


def parse_end(
    key: ContainerKey, found: Mapping[str, Any], order: StopOrder | None, first_output: str = ""
) -> Finished:
    """Return how an ended container ended; `first_output` is the beginning of its log.

    An order to stop decides first; then a kill for memory, unless the work continued without the killed
    process and ended with an exit code of its own; then the exit code.
    """
    state = found["State"]
    started_at = parse_wall_ms(state["StartedAt"])
    end = Finished(
        key=key,
        cause=ExitCause.EXITED,
        # The engine records the start afterwards: a very short run ends before it.
        finished_at=max(parse_wall_ms(state["FinishedAt"]) or 0, started_at or 0),
        exit_code=state["ExitCode"],
        started_at=started_at,
        detail=str(state.get("Error", ""))[:200],
    )
    if order is not None:
        return replace(end, cause=order.cause)
    if state.get("OOMKilled"):
        return _memory_end(end)
    if first_output.startswith(INIT_FAILED):
        line = first_output.splitlines()[0]
        code = classify_engine_error(f"{line}: unknown").code
        if code == COMMAND_NOT_FOUND.code and SCRIPT in line:
            code = INTERPRETER  # the script itself is there: it was mounted
        return replace(end, cause=ExitCause.START_FAILED, detail=f"{code}: {line}"[:200])
    return classify_exit_code(end)


def _memory_end(end: Finished) -> Finished:
    """Return the end of a container in which something was killed for memory.

    It is why the container failed unless the main process chose an exit code of its own all the same, as
    after a success, or when a fork bomb was refused more processes.
    """
    if end.exit_code == FAILURE or (end.exit_code or 0) > SIGNAL_EXIT_BASE:
        return replace(end, cause=ExitCause.OUT_OF_MEMORY)
    return replace(end, detail="a_process_was_killed_for_memory")


def parse_wall_ms(text: str) -> int | None:
    """Return the engine's time in UTC milliseconds; None for a time that is not set."""
    if text.startswith(UNSET_YEAR):
        return None
    whole = datetime.fromisoformat(text[:SECOND_DIGITS] + "+00:00")
    fraction = text[SECOND_DIGITS:].lstrip(".").rstrip("Z")[:3].ljust(3, "0")
    return int(whole.timestamp()) * 1000 + int(fraction)


def find_published_port(found: Mapping[str, Any]) -> int | None:
    """Return the host's port that is published for the web application."""
    bindings = found["NetworkSettings"]["Ports"].get(f"{APP_PORT}/tcp") or []
    return int(bindings[0]["HostPort"]) if bindings else None
