"""Starts the platform's processes in order, notices when one ends, and leaves none behind.

Every child gets a session of its own (a terminal's Ctrl-C reaches the launcher alone) and a death
signal, so that even SIGKILL of the launcher ends it. The launcher is the reaper of everything
below it: what a child leaves behind is found and killed at the end.
"""

import ctypes
import os
import signal
import subprocess
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic
from typing import IO, Final

import psutil

from deploy.onebox.options import RefusedError

LOG_MAX: Final = 16 * 1024 * 1024
TAIL_LINES: Final = 25
POLL_S: Final = 0.2
_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36


class PartEndedError(Exception):
    """A part of the platform ended by itself; the message holds the end of its log."""


@dataclass(frozen=True, slots=True)
class Part:
    """One process of the platform and how it wants to be ended."""

    name: str
    command: Sequence[str]
    stop_signal: signal.Signals = signal.SIGTERM
    stop_s: float = 20
    user: tuple[int, int] | None = None
    """Uid and gid to run under, when it refuses to run as root."""


Process = subprocess.Popen[bytes]
Running = tuple[Part, Process]


class Supervisor:
    """The running parts, in the order of their start."""

    def __init__(self, log_dir: Path, env: Mapping[str, str]) -> None:
        self._log_dir = log_dir
        self._env = env
        self._running: list[Running] = []
        log_dir.mkdir(parents=True, exist_ok=True)
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def start(self, part: Part) -> None:
        """Start a part; its output is appended to `<name>.log`."""
        with self._log(part.name).open("ab") as log:
            self._spawn(part, log, log)

    def ask(self, name: str, command: Sequence[str]) -> str:
        """Run a command to its end and return what it prints."""
        part = Part(name, command)
        with self._log(name).open("ab") as log:
            process = self._spawn(part, subprocess.PIPE, log)
        assert process.stdout is not None  # noqa: S101 - asked for two lines above
        with process.stdout as output:
            answer: bytes = output.read()
        process.wait()
        self._running.remove((part, process))
        if process.returncode != 0:
            raise PartEndedError(self._obituary(part, process.returncode))
        return answer.decode().strip()

    def run_together(self, commands: Mapping[str, Sequence[str]], within_s: float) -> None:
        """Run commands at the same time; what is not done in time is ended, failures stay logged."""
        for name, command in commands.items():
            self.start(Part(name, command))
        deadline = monotonic() + within_s
        for part, process in self._named(commands):
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - monotonic()))
            self._running.remove((part, process))
            self._end(part, process)

    def wait_until(self, is_ready: Callable[[], bool], what: str, within_s: float) -> None:
        """Wait for a condition; raise when a part ends meanwhile or the time is over."""
        deadline = monotonic() + within_s
        while not is_ready():
            self.check()
            if monotonic() > deadline:
                raise RefusedError(f"{what} not ready after {within_s:.0f} s; see {self._log_dir}")
            Event().wait(POLL_S)

    def check(self) -> None:
        """Raise if a part has ended; keep logs short and collect what others left behind."""
        for part, process in self._running:
            if process.poll() is not None:
                raise PartEndedError(self._obituary(part, process.returncode))
            self._cut_log(part.name)
        self._reap_strangers()

    def stop(self, names: Collection[str]) -> None:
        """End the named parts together: all are asked before the first is waited for."""
        chosen = self._named(names)
        for part, process in chosen:
            if process.poll() is None:
                process.send_signal(part.stop_signal)
        for part, process in chosen:
            self._running.remove((part, process))
            self._end(part, process)

    def stop_all(self) -> None:
        """End every part, last started first, and kill what any of them left behind."""
        while self._running:
            self._end(*self._running.pop())
        strays = psutil.Process().children(recursive=True)
        for stray in strays:
            with suppress(psutil.NoSuchProcess):
                stray.kill()
        psutil.wait_procs(strays, timeout=5)

    def _named(self, names: Collection[str]) -> list[Running]:
        return [(part, process) for part, process in self._running if part.name in names]

    def _spawn(self, part: Part, stdout: IO[bytes] | int, stderr: IO[bytes]) -> Process:
        process = subprocess.Popen(
            part.command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            env=self._env,
            start_new_session=True,
            preexec_fn=_bound_to_parent(part),  # noqa: PLW1509 - the launcher has no threads
        )
        self._running.append((part, process))
        return process

    def _end(self, part: Part, process: Process) -> None:
        if process.poll() is None:
            process.send_signal(part.stop_signal)
        try:
            process.wait(part.stop_s)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _reap_strangers(self) -> None:
        """Collect orphans that were handed to us; our own children are left to `poll`."""
        own = {process.pid for _, process in self._running}
        for child in psutil.Process().children():
            if child.pid not in own and child.status() == psutil.STATUS_ZOMBIE:
                with suppress(ChildProcessError):
                    os.waitpid(child.pid, os.WNOHANG)

    def _obituary(self, part: Part, code: int) -> str:
        lines = self._log(part.name).read_text(errors="replace").splitlines()[-TAIL_LINES:]
        how = f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        log = self._log(part.name)
        return f"{part.name} ended with {how}. The end of {log}:\n" + "\n".join(lines)

    def _cut_log(self, name: str) -> None:
        """Keep one older log: writers append, so an emptied file just goes on from its start."""
        log = self._log(name)
        if log.stat().st_size > LOG_MAX:
            log.with_suffix(".log.1").write_bytes(log.read_bytes())
            os.truncate(log, 0)

    def _log(self, name: str) -> Path:
        return self._log_dir / f"{name}.log"


def _bound_to_parent(part: Part) -> Callable[[], None]:
    """Return what a child does before it becomes the part: drop rights, die with the launcher."""
    launcher = os.getpid()

    def become() -> None:
        if part.user is not None:
            os.setgroups([])
            os.setgid(part.user[1])
            os.setuid(part.user[0])
        # After setuid, which clears it.
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(part.stop_signal), 0, 0, 0)
        if os.getppid() != launcher:
            os._exit(1)

    return become
