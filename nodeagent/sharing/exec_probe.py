"""Asking a container from within: what its own processes see is the only proof of some limits."""

from collections.abc import Sequence
from typing import Final, Protocol

from nodeagent.core.state import ContainerKey
from nodeagent.host.commands import NOT_FOUND, CommandResult

PROBE_S: Final = 8.0


class ExecProbe(Protocol):
    """Runs a short program in a live container, as its user and in its environment."""

    async def run_probe(
        self, key: ContainerKey, argv: Sequence[str], within_s: float = PROBE_S
    ) -> CommandResult:
        """Return its result; a container that cannot be asked gives a bad one."""


class NoExecProbe:
    """The port for a runtime whose work has no inside of its own."""

    async def run_probe(
        self, key: ContainerKey, argv: Sequence[str], within_s: float = PROBE_S
    ) -> CommandResult:
        """Know nothing."""
        del key, within_s
        return CommandResult(NOT_FOUND, f"{argv[0]}: no container to run it in")
