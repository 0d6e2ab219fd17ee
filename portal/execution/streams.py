"""Streams into what runs: a shell, a command, or a connection to a port; a port of every back end."""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from portal.execution.report import OfAttempt


class StreamEndedError(Exception):
    """The other side has closed its end of the stream."""


@dataclass(frozen=True, slots=True)
class Shell:
    """A shell, or a command that it runs, with a terminal of so many characters or without one."""

    columns: int = 80
    rows: int = 24
    command: str = ""
    """Empty is an interactive shell."""
    has_tty: bool = True
    """Without one, standard error is sent separately."""


@dataclass(frozen=True, slots=True)
class StreamRequest(OfAttempt):
    """What is to be reached in one running attempt: a shell, or a port by its number inside."""

    what: Shell | int


@dataclass(frozen=True, slots=True)
class StreamOutput:
    """Bytes from inside the container."""

    data: bytes
    is_diagnostics: bool = False
    """They are what a command without a terminal wrote to its standard error."""


@dataclass(frozen=True, slots=True)
class WindowSize:
    """The terminal window has a new size, in characters."""

    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class SignalSent:
    """Signal the foreground process group of the session."""

    name: str
    """`HUP`, `INT`, `QUIT`, `TERM`, `KILL`, `USR1` or `USR2`."""


@dataclass(frozen=True, slots=True)
class EndOfData:
    """No more bytes follow from one side; the other may still send some."""


@dataclass(frozen=True, slots=True)
class CommandEnded:
    """The command has ended; None if its exit code is unknown. The last of a stream."""

    code: int | None = None


class Stream(Protocol):
    """An open stream into a container; every method raises `StreamEndedError` once it is closed."""

    async def receive(self) -> StreamOutput | EndOfData | CommandEnded:
        """Return what comes next from inside."""

    async def write(self, data: bytes) -> None:
        """Send bytes; returns when they were taken."""

    async def send(self, control: WindowSize | SignalSent | EndOfData) -> None:
        """Send what is not data."""


class Streams(Protocol):
    """Opens streams into what runs on a node."""

    def open_stream(
        self, node_id: UUID, request: StreamRequest
    ) -> AbstractAsyncContextManager[Stream]:
        """Provide a stream for the block; raises a `DomainError` when it cannot be opened."""
