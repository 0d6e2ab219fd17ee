"""Runs a Ray or Dask cluster over the ranks of a job, and the job's own command on rank 0.

The agent gives this file to every rank, whose own Python (3.10 or newer) runs it: standard library
only. Rank 0 runs the head, every rank a worker with exactly its GPUs, processors and memory. The
ranks connect to rank 0, which reports when its head can be joined, and that the command succeeded.

No other end is passed on, and a lost connection ends nothing at once: the platform knows why a
rank is gone, stops the others and restarts the job by its rule.
"""

import asyncio
import hmac
import json
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SIGNAL_EXIT_BASE: Final = 128
STOPPED: Final = SIGNAL_EXIT_BASE + signal.SIGTERM
RETRY_S: Final = 0.2
HELLO_S: Final = 10.0
"""How long a connection may take to name its rank."""
FAREWELL_S: Final = 5.0
"""How long rank 0 waits for the others to have received that the command succeeded."""
SETTLE_S: Final = 3.0
"""Between the end of a worker and that of its rank: the end of rank 0 may explain it."""
LOST_S: Final = 60.0
"""Without rank 0, by then the platform has ended this rank, or rank 0 has returned."""
QUIT_S: Final = 3.0
"""Between the polite and the final signal to head and workers."""
MIB: Final = 1024 * 1024
STORE_MIN: Final = 100 * MIB
"""Ray refuses an object store below 75 MiB."""


class LaunchFaultError(Exception):
    """The cluster cannot be had; the agent reports the code as the reason of the failed start."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code


@dataclass(frozen=True)
class Rank:
    """What a rank knows about itself and the cluster."""

    number: int
    hosts: tuple[str, ...]
    """Names or addresses of all ranks, in their order."""
    port: int
    """Of the head."""
    join_port: int
    """Of rank 0, for this program in the other ranks."""
    join_s: float
    """How long the start may take until all ranks have joined."""
    commands: Sequence[Sequence[str]]
    """Command lines of this rank's head and worker, with `{python}`, `{address}` and the like."""
    probe: str
    """A program that ends as soon as all ranks have joined."""
    granted: int
    """Bytes of memory."""
    token: str
    scratch: str

    @property
    def address(self) -> str:
        """This rank's own address."""
        return socket.gethostbyname(self.hosts[self.number])

    def complete(self, argument: str) -> str:
        """Return an argument of a command with what is known only here."""
        # A node may have been instructed to offer more than it has; Ray refuses such an object store.
        memory = min(self.granted, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
        store = max(STORE_MIN, memory * 3 // 10)
        return argument.format(
            python=sys.executable,
            address=self.address,
            head=f"{socket.gethostbyname(self.hosts[0])}:{self.port}",
            scratch=self.scratch,
            memory=memory,
            store=store,
            heap=max(MIB, memory - store),
        )


async def run_rank(rank: Rank, argv: Sequence[str]) -> int:
    """Run this rank to its end, with nothing left of its part of the cluster; return its code."""
    daemons = Daemons(rank)
    try:
        if rank.number == 0:
            return await ClusterHead(rank, daemons).run(argv)
        return await ClusterMember(rank, daemons).run()
    finally:
        await daemons.stop()


class Daemons:
    """Head and worker of this rank."""

    def __init__(self, rank: Rank) -> None:
        self._rank = rank
        self._running: list[asyncio.subprocess.Process] = []

    async def start(self) -> None:
        """Start them, once; in sessions of their own, so that only this program signals them."""
        if self._running:
            return
        # Ray would take the cluster that is to be made for one that exists.
        env = {name: text for name, text in os.environ.items() if name != "RAY_ADDRESS"}
        env["DASK_TEMPORARY_DIRECTORY"] = self._rank.scratch
        for command in self._rank.commands:
            argv = map(self._rank.complete, command)
            self._running.append(
                await asyncio.create_subprocess_exec(*argv, env=env, start_new_session=True)
            )

    async def wait_for_end(self) -> int:
        """Wait until one of them has ended, which is a failure; return the exit code for it."""
        waits = {asyncio.create_task(item.wait()) for item in self._running}
        done, rest = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for item in rest:
            item.cancel()
        return exit_code(done.pop().result()) or 1

    async def stop(self) -> None:
        """End all of them; what they leave behind ends with the container."""
        left = [item for item in self._running if item.returncode is None]
        for item in left:
            item.terminate()
        if left:
            await asyncio.wait({asyncio.create_task(item.wait()) for item in left}, timeout=QUIT_S)
        for item in left:
            with suppress(ProcessLookupError):
                os.killpg(item.pid, signal.SIGKILL)


class ClusterHead:
    """Rank 0: the head of the cluster, and the job's own command."""

    def __init__(self, rank: Rank, daemons: Daemons) -> None:
        self._rank = rank
        self._daemons = daemons
        self._serving: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = {}
        self._ranks: dict[asyncio.StreamWriter, int] = {}
        self._said = b""
        self._stop = asyncio.Event()
        self._driver: asyncio.subprocess.Process | None = None

    async def run(self, argv: Sequence[str]) -> int:
        """Run the head and, once all ranks have joined, the command; return its exit code."""
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._on_sigterm)
        address, port = self._rank.address, self._rank.join_port
        server = await asyncio.start_server(self._serve, address, port)
        try:
            await self._daemons.start()
            failed = asyncio.create_task(self._daemons.wait_for_end())
            code = await self._assemble(failed)
            if code is None:
                code = await self._drive(argv, failed)
            if code == 0:
                await self._say_success()
            return code
        finally:
            server.close()
            await self._close_links()

    async def _assemble(self, failed: asyncio.Task[int]) -> int | None:
        """Wait until all ranks have joined; the exit code when this will not happen."""
        joined = asyncio.create_task(self._wait_for_ranks())
        stopped = asyncio.create_task(self._stop.wait())
        waits: set[asyncio.Task[int] | asyncio.Task[bool]] = {joined, stopped, failed}
        done, _ = await asyncio.wait(
            waits, timeout=self._rank.join_s, return_when=asyncio.FIRST_COMPLETED
        )
        stopped.cancel()
        if stopped in done:
            return STOPPED
        if failed in done:
            return failed.result()
        if joined in done and joined.result() == 0:
            return None
        joined.cancel()
        count, ranks = len(set(self._ranks.values())) + 1, len(self._rank.hosts)
        words = f"{count} of {ranks} ranks have come within {self._rank.join_s:.0f} s"
        raise LaunchFaultError("cluster_incomplete", words)

    async def _wait_for_ranks(self) -> int:
        """Invite the others once the head listens; return 0 when all have joined."""
        await connect(self._rank.address, self._rank.port)
        self._say(b"start\n")
        probe = await asyncio.create_subprocess_exec(sys.executable, "-c", self._rank.probe)
        try:
            return await probe.wait()
        finally:
            if probe.returncode is None:
                probe.kill()

    async def _drive(self, argv: Sequence[str], failed: asyncio.Task[int]) -> int:
        """Run the command; return its exit code, or that of the head when this ends before."""
        self._driver = await asyncio.create_subprocess_exec(*argv, start_new_session=True)
        ended = asyncio.create_task(self._driver.wait())
        if self._stop.is_set():
            self._driver.terminate()
        done, _ = await asyncio.wait({ended, failed}, return_when=asyncio.FIRST_COMPLETED)
        if ended in done:
            return exit_code(ended.result())
        os.killpg(self._driver.pid, signal.SIGKILL)
        return failed.result()

    def _on_sigterm(self) -> None:
        """Pass the signal on to the command, which may save its state as long as all ranks live."""
        self._stop.set()
        if self._driver is not None and self._driver.returncode is None:
            self._driver.terminate()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Keep the connection of one rank until that ends it; what was said before comes first."""
        serving = asyncio.current_task()
        self._serving[writer] = serving
        with suppress(OSError):
            number = await self._verify(reader)
            if number is not None:
                self._ranks[writer] = number
                writer.write(self._said)
                await reader.read()
        writer.close()
        self._ranks.pop(writer, None)
        del self._serving[writer]

    async def _close_links(self) -> None:
        for writer in self._serving:
            writer.close()
        await self._wait_for(self._serving)

    async def _wait_for(self, links: Iterable[asyncio.StreamWriter]) -> None:
        """Wait until these connections have ended; a rank that does not answer is left behind."""
        tasks = {task for link in links if (task := self._serving[link]) is not None}
        if tasks:
            await asyncio.wait(tasks, timeout=FAREWELL_S)

    async def _verify(self, reader: asyncio.StreamReader) -> int | None:
        """Return the rank that a connection is of; None for one that is not of this job."""
        hello = asyncio.create_task(reader.readline())
        done, _ = await asyncio.wait({hello}, timeout=HELLO_S)
        if not done or hello.exception() is not None:
            hello.cancel()
            return None
        number, _, token = hello.result().decode(errors="replace").strip().partition(" ")
        is_known = number.isdecimal() and 0 < int(number) < len(self._rank.hosts)
        is_ours = hmac.compare_digest(token.encode(), self._rank.token.encode())
        return int(number) if is_known and is_ours else None

    def _say(self, line: bytes) -> None:
        self._said += line
        for writer in self._ranks:
            writer.write(line)

    async def _say_success(self) -> None:
        """Report to all ranks that the command succeeded, and wait until they have received it."""
        self._say(b"succeeded\n")
        await self._wait_for(self._ranks)


class ClusterMember:
    """Any other rank: a worker that ends with the command on rank 0."""

    def __init__(self, rank: Rank, daemons: Daemons) -> None:
        self._rank = rank
        self._daemons = daemons
        self._events: asyncio.Queue[tuple[str, int]] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []
        self._is_linked = False
        self._is_started = False
        self._is_stopping = False
        self._patience: float | None = rank.join_s
        self._code = 1

    async def run(self) -> int:
        """Run the worker until rank 0 reports success, or nothing more can come of it."""
        put = self._events.put_nowait
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, put, ("stop", 0))
        self._tasks.append(asyncio.create_task(self._listen()))
        try:
            while (event := await self._next_event()) is not None:
                code = await self._handle(*event)
                if code is not None:
                    return code
        finally:
            for task in self._tasks:
                task.cancel()
        if self._is_started:
            return self._code
        words = f"rank 0 was not ready within {self._rank.join_s:.0f} s"
        raise LaunchFaultError("cluster_incomplete", words)

    async def _next_event(self) -> tuple[str, int] | None:
        waiting = asyncio.create_task(self._events.get())
        done, _ = await asyncio.wait({waiting}, timeout=self._patience)
        if done:
            return waiting.result()
        waiting.cancel()
        return None

    async def _handle(self, event: str, code: int) -> int | None:
        """Return the exit code when an event is the last."""
        if event == "succeeded":
            return 0
        if event == "start":
            await self._on_start()
        elif event == "lost":
            self._is_linked = False
            self._patience = LOST_S if self._is_started else self._patience
        elif event == "ended":
            self._code = code
            self._patience = SETTLE_S if self._is_linked else LOST_S
        elif event == "stop":
            self._is_stopping = True
        # It continues with rank 0, whose command may be saving its state.
        return STOPPED if self._is_stopping and not self._is_linked else None

    async def _on_start(self) -> None:
        self._is_linked = True
        self._patience = None
        if not self._is_started:
            self._is_started = True
            await self._daemons.start()
            self._tasks.append(asyncio.create_task(self._report_worker_end()))

    async def _report_worker_end(self) -> None:
        self._events.put_nowait(("ended", await self._daemons.wait_for_end()))

    async def _listen(self) -> None:
        """Connect to rank 0 again and again, and pass on what it says."""
        while True:
            reader, writer = await connect(self._rank.hosts[0], self._rank.join_port)
            writer.write(f"{self._rank.number} {self._rank.token}\n".encode())
            with suppress(OSError):
                while line := await reader.readline():
                    self._events.put_nowait((line.decode().strip(), 0))
            writer.close()
            self._events.put_nowait(("lost", 0))
            await asyncio.sleep(RETRY_S)


async def connect(host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect as soon as that is possible."""
    while True:
        try:
            reader, writer = await asyncio.open_connection(host, port)
        except OSError:
            await asyncio.sleep(RETRY_S)
            continue
        link: socket.socket = writer.get_extra_info("socket")
        link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        return reader, writer


def exit_code(code: int) -> int:
    """Return the exit code of an ended process as shells have it."""
    return code if code >= 0 else SIGNAL_EXIT_BASE - code


def read_rank(scratch: str) -> Rank:
    """Return what the agent says about this rank; its secret is a variable, for no one else to read."""
    given = json.loads(Path(__file__).with_name("cluster.json").read_text(encoding="utf-8"))
    return Rank(**given, token=os.environ["BERTH_CLUSTER_TOKEN"], scratch=scratch)


def main(name: str, argv: Sequence[str]) -> int:
    """Run a rank; what prevents the cluster is noted where the agent looks for it."""
    # Sockets of Ray lie below, and their paths may have 107 characters only.
    scratch = tempfile.mkdtemp(prefix=f"{name}-", dir="/tmp")
    try:
        return asyncio.run(run_rank(read_rank(scratch), argv))
    except LaunchFaultError as error:
        sys.stderr.write(f"berth: {error}\n")
        noted = Path(os.environ["BERTH_CHECKPOINT_FILE"])
        noted.with_name(f"fault.{error.code}.{name}").touch()
        return 1
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
