"""Doors in memory, held to the same contract as the real ones; they know these visits, no others."""

import asyncio
from dataclasses import dataclass, field
from typing import Final

from nodeagent.access.session import AccessError, AccessSession, OutputChannel, TerminalSize
from nodeagent.core.state import ContainerKey
from tests.fakes import work
from tests.fakes.runtime import SERVED_PORT, FakeContainerHost

SPEAKS_TWICE: Final = "echo out; echo err >&2; exit 3"
REPEATS: Final = "cat"
ANSWERS: Final = "answers requests as `work.ANSWERS` does"
WAITS: Final = "echo begun; sleep 999"
SHOWS_SIZE: Final = "stty size; read _; stty size"
WAIT_MARK: Final = b"999"
KILLED: Final = 143
HUNG_UP: Final = 129


@dataclass
class FakeSession:
    """One visit."""

    command: str
    window: TerminalSize | None = None
    is_open: bool = True
    code: int | None = None
    out: "asyncio.Queue[tuple[OutputChannel, bytes] | None]" = field(default_factory=asyncio.Queue)

    def __post_init__(self) -> None:
        match self.command:
            case "echo out; echo err >&2; exit 3":
                self.say(b"out\n")
                self.out.put_nowait((OutputChannel.DIAGNOSTICS, b"err\n"))
                self.exit(3)
            case "echo begun; sleep 999":
                self.say(b"begun\n")
            case "stty size; read _; stty size":
                self.say_size()
            case "" | "cat" | "answers requests as `work.ANSWERS` does":
                pass  # waits for what is typed
            case _:
                self.exit(127)

    def say(self, data: bytes) -> None:
        self.out.put_nowait((OutputChannel.OUTPUT, data))

    def say_size(self) -> None:
        assert self.window is not None
        self.say(f"{self.window.rows} {self.window.columns}\r\n".encode())

    def exit(self, code: int | None) -> None:
        if self.is_open:
            self.is_open, self.code = False, code
            self.out.put_nowait(None)

    async def read(self) -> tuple[OutputChannel, bytes] | None:
        return await self.out.get()

    async def write(self, data: bytes) -> None:
        if self.command == REPEATS:
            self.say(data)
        elif self.command == ANSWERS:
            code = b"204" if data.startswith(b"GET /ready ") else b"503"
            self.say(b"HTTP/1.1 %b x\r\n\r\n" % code)
            self.exit(None)
        elif self.command == SHOWS_SIZE:
            self.say_size()
            self.exit(0)
        elif self.command == "" and data.startswith(b"exit "):
            self.exit(int(data[5:]))
        elif self.command == "":
            self.say(data.replace(b"echo $((6*7))", b"echo $((6*7))\r\n42"))

    async def close_input(self) -> None:
        self.exit(0)

    async def resize(self, window: TerminalSize) -> None:
        self.window = window

    async def send_signal(self, name: str) -> None:
        assert name == "TERM"
        self.exit(KILLED)

    async def wait_for_exit(self) -> int | None:
        return self.code

    async def close(self) -> None:
        self.exit(HUNG_UP)


@dataclass
class FakeExecAdapter:
    """The `Doors` port. A port answers with what it is told when the machine's container lives."""

    machine: FakeContainerHost
    sessions: list[FakeSession] = field(default_factory=list)

    async def open_shell(
        self, key: ContainerKey, command: str, window: TerminalSize | None
    ) -> AccessSession:
        return self._entered(key, FakeSession(command, window))

    async def open_port(self, key: ContainerKey, port: int) -> AccessSession:
        if port != SERVED_PORT:
            raise AccessError("nothing_listens", str(port))
        container = self.machine.containers.get(key)
        is_web = container is not None and container.program == work.ANSWERS
        return self._entered(key, FakeSession(ANSWERS if is_web else REPEATS))

    def count_sessions(self) -> int:
        return sum(item.is_open for item in self.sessions)

    def _entered(self, key: ContainerKey, session: FakeSession) -> FakeSession:
        container = self.machine.containers.get(key)
        if container is None or container.end is not None:
            raise AccessError("container_gone")
        self.sessions.append(session)
        return session
