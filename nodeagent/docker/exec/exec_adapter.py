"""Sessions in Docker containers: `exec` of the engine, its bytes over one upgraded connection.

The SDK creates and inspects an exec; the bytes travel on a separate connection, because the SDK's
socket may lose what the engine sends together with its answer.
"""

import asyncio
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from docker.errors import APIError, NotFound
from docker.utils import parse_host

from nodeagent.access.session import (
    CHUNK,
    SHELL_MISSING,
    AccessError,
    AccessSession,
    OutputChannel,
    TerminalSize,
)
from nodeagent.core.state import ContainerKey
from nodeagent.docker.containers.container_spec import container_name
from nodeagent.docker.engine.client import DockerEngine
from nodeagent.ports import RuntimeUnavailableError

OPEN_S: Final = 15.0
HEAD_MAX: Final = 16 * 1024
HEADER: Final = 8
"""Bytes before each chunk of a session without a terminal: stream, three zeros, length."""
DIAGNOSTICS: Final = 2
SWITCHING: Final = b"101"
END_POLL_S: Final = 0.05
END_POLLS: Final = 40
HANGUP_S: Final = 2

# Prints its own number first, so that it can be signalled: the engine has no call for that.
_BEGIN: Final = "echo $$; "
# In a terminal it waits for its size first: the engine can set that only after the start.
_WAIT: Final = "read -r _; "
_SHELL: Final = (
    "for it in bash sh; do it=$(command -v $it) && break; done; "
    'if [ -n "$BERTH_COMMAND" ]; then c=$BERTH_COMMAND; unset BERTH_COMMAND; exec "$it" -c "$c"; '
    'else unset BERTH_COMMAND; exec "$it"; fi'
)
_HANG_UP: Final = (
    "kill -HUP -$0 2>/dev/null; i=0; "
    f"while kill -0 $0 2>/dev/null && [ $i -lt {HANGUP_S * 10} ]; do sleep 0.1; i=$((i+1)); done; "
    "kill -KILL -$0 2>/dev/null"
)

PROXY_READY: Final = "connected"
NOTHING_LISTENS: Final = 111
NO_PROXY: Final = 112

_PYTHON: Final = """
import os, socket, sys, threading
try:
    s = socket.create_connection(("localhost", int(sys.argv[1])), 5)
except OSError:
    sys.exit(111)
s.settimeout(None)
os.write(1, b"connected\\n")
def up():
    while True:
        d = os.read(0, 65536)
        if not d:
            break
        s.sendall(d)
    s.shutdown(socket.SHUT_WR)
threading.Thread(target=up, daemon=True).start()
while True:
    d = s.recv(65536)
    if not d:
        break
    while d:
        d = d[os.write(1, d):]
"""

_BASH: Final = "exec 3<>/dev/tcp/127.0.0.1/$0 || exit 111; echo connected; cat <&3 & cat >&3; wait"


@dataclass(frozen=True, slots=True)
class _Target:
    """The address at which an engine accepts upgraded connections."""

    path: str = ""
    host: str = ""
    port: int = 0

    @classmethod
    def of(cls, host: str) -> "_Target":
        """Parse an address as the SDK does; empty means `DOCKER_HOST` or the default."""
        address = str(parse_host(host or os.environ.get("DOCKER_HOST") or None))
        if address.startswith("http+unix://"):
            return cls(path=address.removeprefix("http+unix://"))
        parts = urlsplit(address)
        return cls(host=parts.hostname or "", port=parts.port or 0)

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection; raises `OSError`."""
        if self.path:
            return await asyncio.open_unix_connection(self.path, limit=CHUNK)
        return await asyncio.open_connection(self.host, self.port, limit=CHUNK)


class DockerExecAdapter:
    """The `ExecAdapter` port over one engine."""

    def __init__(self, node: str, host: str, engine: DockerEngine) -> None:
        """Open sessions in the containers of this node, at this address of the engine."""
        self._node = node
        self._engine = engine
        self._target = _Target.of(host)

    async def open_shell(
        self, key: ContainerKey, command: str, window: TerminalSize | None
    ) -> AccessSession:
        """Run `bash`, or `sh` where there is none, beside the work."""
        script = _BEGIN + (_WAIT if window else "") + _SHELL
        env = {"BERTH_COMMAND": command, "TERM": "xterm-256color"}
        session = await self.open_exec(key, ["sh", "-c", script], window, env)
        await session.read_pid()
        if window is not None:
            await session.resize(window)
            await session.write(b"\n")
            await session.read_line()  # the terminal's echo of that
        return session

    async def open_port(self, key: ContainerKey, port: int) -> AccessSession:
        """Run a proxy inside the container: from there, nothing but its own ports can be reached."""
        session = await self.open_exec(
            key, ["sh", "-c", _BEGIN + port_proxy_script(port)], None, {}
        )
        await session.read_pid()
        word = await session.read_line()
        if word != PROXY_READY:
            code = await session.wait_for_exit()
            await session.close()
            reason = "nothing_listens" if code == NOTHING_LISTENS else "no_relay"
            raise AccessError(reason, str(port))
        session.has_exit_code = False
        return session

    async def open_exec(
        self, key: ContainerKey, argv: list[str], window: TerminalSize | None, env: dict[str, str]
    ) -> "ExecSession":
        """Run a program in a container, beside its work; raises `AccessError`."""
        name, has_tty = container_name(self._node, key), window is not None

        def create() -> tuple[str, str]:
            api = self._engine.quick_client.api
            made = api.exec_create(name, argv, stdin=True, tty=has_tty, environment=env)
            return made["Id"], api.api_version

        try:
            identity, version = await self._engine.call(create)
            async with asyncio.timeout(OPEN_S):
                ends = await self._attach(identity, version, has_tty=has_tty)
        except NotFound as error:
            raise AccessError("container_gone") from error
        except (APIError, RuntimeUnavailableError, OSError, TimeoutError) as error:
            raise AccessError(_access_code(str(error)), str(error)) from error
        return ExecSession(self._engine, name, identity, ends, has_tty=has_tty)

    async def _attach(
        self, identity: str, version: str, *, has_tty: bool
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Start an exec, and return the upgraded connection with its bytes."""
        body = json.dumps({"Detach": False, "Tty": has_tty}).encode()
        head = (
            f"POST /v{version}/exec/{identity}/start HTTP/1.1\r\nHost: engine\r\n"
            "Content-Type: application/json\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        reader, writer = await self._target.connect()
        try:
            writer.write(head.encode() + body)
            await _require_upgrade(reader)
        except (
            BaseException
        ):  # no other code has a reference to this connection, also when the time is over
            writer.close()
            raise
        return reader, writer


async def _require_upgrade(reader: asyncio.StreamReader) -> None:
    """Read the head of the engine's answer; raises `OSError` unless the connection was upgraded."""
    try:
        answer = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise OSError("the engine did not answer") from error
    if answer.split(b" ", 2)[1] != SWITCHING:
        detail = await reader.read(HEAD_MAX)
        raise OSError(f"the engine refused: {detail.decode('utf-8', 'replace')[:200]}")


def _access_code(sentence: str) -> str:
    """Return the access code for an error message of the engine."""
    if "is not running" in sentence:
        return "container_gone"
    return "no_shell" if "executable file not found" in sentence else "unavailable"


class ExecSession:
    """One exec of the engine."""

    def __init__(
        self,
        engine: DockerEngine,
        name: str,
        identity: str,
        ends: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        *,
        has_tty: bool,
    ) -> None:
        self.has_exit_code = True
        self._engine = engine
        self._name = name
        self.identity = identity
        self._reader, self._writer = ends
        self._has_tty = has_tty
        self._pid = 0
        self._pushed_back: list[tuple[OutputChannel, bytes]] = []
        self._has_ended = False

    async def read_pid(self) -> None:
        """Read the number that the command prints first; raises `AccessError` when it cannot run."""
        line = await self.read_line()
        if not (line.isascii() and line.isdecimal()):
            code = await self.wait_for_exit()
            await self.close()
            missing = code in (SHELL_MISSING, SHELL_MISSING - 1)
            raise AccessError("no_shell" if missing else "container_gone", line)
        self._pid = int(line)

    async def read_line(self) -> str:
        """Return the first line of output, limited in length; the rest stays to be read."""
        line, others = b"", []
        try:
            async with asyncio.timeout(OPEN_S):
                while b"\n" not in line and len(line) < HEAD_MAX:
                    part = await self.read()
                    if part is None:
                        break
                    if part[0] is OutputChannel.OUTPUT:
                        line += part[1]
                    else:
                        others.append(part)
        except TimeoutError as error:
            await self.close()
            raise AccessError("unavailable", "no answer from inside the container") from error
        first, _, rest = line.partition(b"\n")
        self._pushed_back += [*others, *([(OutputChannel.OUTPUT, rest)] if rest else [])]
        return first.strip().decode("utf-8", "replace")[:200]

    async def read(self) -> tuple[OutputChannel, bytes] | None:
        """Return what was printed."""
        if self._pushed_back:
            return self._pushed_back.pop(0)
        try:
            part = await (self._read_raw() if self._has_tty else self._read_piece())
        except (OSError, asyncio.IncompleteReadError):
            part = None
        self._has_ended = part is None
        return part

    async def write(self, data: bytes) -> None:
        """Write to standard input."""
        with suppress(OSError):
            self._writer.write(data)
            await self._writer.drain()

    async def close_input(self) -> None:
        """Close standard input; in a terminal by the end-of-file character."""
        if self._has_tty:
            await self.write(b"\x04")
        else:
            with suppress(OSError):
                self._writer.write_eof()

    async def resize(self, window: TerminalSize) -> None:
        """Set the size; an exec that has just ended needs none."""
        with suppress(APIError, RuntimeUnavailableError):
            await self._engine.call(
                lambda: self._engine.quick_client.api.exec_resize(
                    self.identity, window.rows, window.columns
                )
            )

    async def send_signal(self, name: str) -> None:
        """Signal the command by another exec."""
        if self._pid:
            await self._run_beside([f"kill -{name} -$0 2>/dev/null", str(self._pid)])

    async def wait_for_exit(self) -> int | None:
        """Read the exit code from the engine, which has it a moment after the last byte."""
        for _ in range(END_POLLS if self.has_exit_code else 0):
            with suppress(APIError, RuntimeUnavailableError):
                found = await self._engine.call(
                    lambda: self._engine.quick_client.api.exec_inspect(self.identity)
                )
                if not found["Running"]:
                    code = found["ExitCode"]
                    return None if code is None else int(code)
            await asyncio.sleep(END_POLL_S)
        return None

    async def close(self) -> None:
        """Close the connection; what still runs is hung up by another exec, then killed."""
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()
        if self._pid and not self._has_ended:
            self._has_ended = True
            await self._run_beside([_HANG_UP, str(self._pid)])

    async def _read_raw(self) -> tuple[OutputChannel, bytes] | None:
        data = await self._reader.read(CHUNK)
        return (OutputChannel.OUTPUT, data) if data else None

    async def _read_piece(self) -> tuple[OutputChannel, bytes] | None:
        header = await self._reader.readexactly(HEADER)
        data = await self._reader.readexactly(int.from_bytes(header[4:], "big"))
        return (
            OutputChannel.DIAGNOSTICS if header[0] == DIAGNOSTICS else OutputChannel.OUTPUT
        ), data

    async def _run_beside(self, script: list[str]) -> None:
        """Run a line of shell in the same container; one that is gone needs no signal."""

        def run() -> None:
            api = self._engine.quick_client.api
            made = api.exec_create(self._name, ["sh", "-c", *script])
            api.exec_start(made["Id"], detach=True)

        with suppress(APIError, RuntimeUnavailableError):
            await self._engine.call(run)


def port_proxy_script(port: int) -> str:
    """Return the shell script that joins standard streams to a port of the container.

    Images differ in what they have; the first that is there does it: Python, bash.
    """
    return (
        f"port={port}; export PYTHONDONTWRITEBYTECODE=1; for p in python3 python; do "
        f"command -v $p >/dev/null 2>&1 && exec $p -I -S -c '{_PYTHON}' $port; done; "
        "command -v bash >/dev/null 2>&1 && command -v cat >/dev/null 2>&1 "
        f"&& exec bash -c '{_BASH}' $port; exit {NO_PROXY}"
    )
