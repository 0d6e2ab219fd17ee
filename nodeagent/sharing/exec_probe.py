"""The port for verifying limits from inside a container, which is the only proof for some of them."""

from collections.abc import Sequence
from typing import Final, Protocol

from nodeagent.core.state import ContainerKey
from nodeagent.host.commands import NOT_FOUND, CommandResult

PROBE_S: Final = 8.0


class ExecProbe(Protocol):
    """Runs a short program in a running container, as its user and in its environment."""

    async def run_probe(
        self, key: ContainerKey, argv: Sequence[str], within_s: float = PROBE_S
    ) -> CommandResult:
        """Return its result; a failed one if the container cannot be entered."""


class NoExecProbe:
    """The port for a runtime without isolated containers."""

    async def run_probe(
        self, key: ContainerKey, argv: Sequence[str], within_s: float = PROBE_S
    ) -> CommandResult:
        """Return a failed result."""
        del key, within_s
        return CommandResult(NOT_FOUND, f"{argv[0]}: no container to run it in")
