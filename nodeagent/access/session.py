"""Sessions inside containers, as the ports that streams use."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from nodeagent.core.state import ContainerKey

CHUNK: Final = 64 * 1024
"""Bytes that are read at once."""
SHELL_MISSING: Final = 127
"""Exit code of a missing shell, or of a missing program that should start it."""


class AccessError(Exception):
    """The container cannot be entered this way; `code` is one of `wire.streams.Failed`."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail[:200]


class OutputChannel(StrEnum):
    """Where bytes of a container come from."""

    OUTPUT = "output"
    DIAGNOSTICS = "diagnostics"


@dataclass(frozen=True, slots=True)
class TerminalSize:
    """Size of a terminal in characters."""

    columns: int
    rows: int


class AccessSession(Protocol):
    """Bytes into a container and out of it. `close` ends what was started for it."""

    async def read(self) -> tuple[OutputChannel, bytes] | None:
        """Return what came next, at most `CHUNK` bytes; None at the end."""

    async def write(self, data: bytes) -> None:
        """Write bytes; returns when more can be written. Dropped when no process reads them."""

    async def close_input(self) -> None:
        """Signal the end of input."""

    async def resize(self, window: TerminalSize) -> None:
        """Set the size of the terminal, where there is one."""

    async def send_signal(self, name: str) -> None:
        """Signal the command by the signal's name, such as `INT`."""

    async def wait_for_exit(self) -> int | None:
        """Return the exit code, once `read` has returned None; None for a connection."""

    async def close(self) -> None:
        """Hang up, and kill what does not end by itself; after the last read and write."""


class ExecAdapter(Protocol):
    """Opens sessions inside the containers of a runtime."""

    async def open_shell(
        self, key: ContainerKey, command: str, window: TerminalSize | None
    ) -> AccessSession:
        """Run a command, or an interactive shell, beside the work; raises `AccessError`.

        With a window in a terminal of its own; environment and folder are those of the work.
        """

    async def open_port(self, key: ContainerKey, port: int) -> AccessSession:
        """Connect to a port inside the container; raises `AccessError`."""
