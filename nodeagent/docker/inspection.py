"""What the engine's description of a container means; pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from nodeagent.core.state import Cause, Finished, Key
from nodeagent.disk.container_dir import StopOrder
from nodeagent.docker.container_spec import APP_PORT

LIVE: Final = frozenset({"running", "paused", "restarting", "removing"})
ENDED: Final = frozenset({"exited", "dead"})
UNSET_YEAR: Final = "0001-"
SECOND_DIGITS: Final = 19
"""Length of `2026-01-31T12:00:00`; the engine writes nanoseconds after it."""


def end_of(key: Key, found: Mapping[str, Any], order: StopOrder | None) -> Finished:
    """Return how an ended container ended: its own doing, memory, or a stop that was ordered."""
    state = found["State"]
    if order is not None:
        cause = order.cause
    elif state.get("OOMKilled"):
        cause = Cause.OUT_OF_MEMORY
    else:
        cause = Cause.EXITED
    started_at = wall_ms(state["StartedAt"])
    return Finished(
        key=key,
        cause=cause,
        # The engine notes the start after the fact: a very short run ends before it.
        finished_at=max(wall_ms(state["FinishedAt"]) or 0, started_at or 0),
        exit_code=state["ExitCode"],
        started_at=started_at,
        detail=str(state.get("Error", ""))[:200],
    )


def wall_ms(text: str) -> int | None:
    """Return the engine's time in UTC milliseconds; None for a time that is not set."""
    if text.startswith(UNSET_YEAR):
        return None
    whole = datetime.fromisoformat(text[:SECOND_DIGITS] + "+00:00")
    fraction = text[SECOND_DIGITS:].lstrip(".").rstrip("Z")[:3].ljust(3, "0")
    return int(whole.timestamp()) * 1000 + int(fraction)


def published_port(found: Mapping[str, Any]) -> int | None:
    """Return the port of the host behind which the web application listens."""
    bindings = found["NetworkSettings"]["Ports"].get(f"{APP_PORT}/tcp") or []
    return int(bindings[0]["HostPort"]) if bindings else None
