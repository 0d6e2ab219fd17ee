"""Starts the platform's processes in order, detects when one ends, and leaves none running.

Every child gets a session of its own (a terminal's Ctrl-C reaches the launcher alone) and a parent
death signal, so that even SIGKILL of the launcher ends it. The launcher is the subreaper of all its
descendants: orphans are found and killed at the end.
"""

import ctypes
import os
import signal
import subprocess
from collections import defaultdict, deque
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
PRIVATE: Final = 0o700
POLL_S: Final = 0.2
RESTARTS_MAX: Final = 5
"""Of one process within `RESTARTS_WITHIN_S`; one more end ends the platform."""
RESTARTS_WITHIN_S: Final = 60
PAUSE_S: Final = 1.0
"""Before the second restart in that time; it doubles with each further one."""
GONE_WITHIN_S: Final = 5
"""How long killed processes are waited for."""
_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36
_ANY_ENDED: Final = os.WEXITED | os.WNOHANG | os.WNOWAIT
"""Which child has ended, if any, without reaping it."""


class ProcessEndedError(Exception):
    """A process of the platform ended again and again; the message holds the end of its log."""


@dataclass(frozen=True, slots=True)
class ManagedProcess:
    """One process of the platform: how it is started and stopped."""

    name: str
    command: Sequence[str]
    stop_signal: signal.Signals = signal.SIGTERM
    stop_s: float = 20
    user: tuple[int, int] | None = None
    """Uid and gid to run under, for a server that refuses to run as root."""


Process = subprocess.Popen[bytes]
Running = tuple[ManagedProcess, Process]


class Supervisor:
    """The running processes, in the order of their start."""

    def __init__(self, log_dir: Path, env: Mapping[str, str]) -> None:
        self._log_dir = log_dir
        self._env = env
        self._running: list[Running] = []
        log_dir.mkdir(parents=True, exist_ok=True)
        log_dir.chmod(PRIVATE)
        _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def start(self, part: ManagedProcess) -> None:
        """Start a process; its output is appended to `<name>.log`."""
        with self._log(part.name).open("ab") as log:
            self._spawn(part, log, log)

    def run_command(self, name: str, command: Sequence[str]) -> str:
        """Run a command to its end and return its output."""
        part = ManagedProcess(name, command)
        with self._log(name).open("ab") as log:
            process = self._spawn(part, subprocess.PIPE, log)
        assert process.stdout is not None  # noqa: S101 - asked for two lines above
        with process.stdout as output:
            answer: bytes = output.read()
        process.wait()
        self._running.remove((part, process))
        if process.returncode != 0:
            raise ProcessEndedError(self._describe_end(part, process.returncode))
        return answer.decode().strip()

    def run_together(self, commands: Mapping[str, Sequence[str]], within_s: float) -> None:
        """Run commands at the same time; those not done in time are stopped, failures are logged."""
        for name, command in commands.items():
            self.start(ManagedProcess(name, command))
        deadline = monotonic() + within_s
        for part, process in self._named(commands):
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - monotonic()))
            self._running.remove((part, process))
            self._end(part, process)

    def wait_until(self, is_ready: Callable[[], bool], what: str, within_s: float) -> None:
        """Wait for a condition; raise when a process ends meanwhile or the time is over."""
        deadline = monotonic() + within_s
        while not is_ready():
            self.check()
            if monotonic() > deadline:
                raise RefusedError(f"{what} not ready after {within_s:.0f} s; see {self._log_dir}")
            Event().wait(POLL_S)

    def supervise(self, report: Callable[[str], None], pause_s: float = PAUSE_S) -> None:
        """Start each process again that ends by itself; raise when one ends again and again."""
        ends: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=RESTARTS_MAX + 1))
        due: dict[str, float] = {}
        while True:
            for part, process in self._list_ended():
                if part.name not in due:
                    pause = self._note_end(part, process.returncode, ends[part.name], pause_s)
                    due[part.name] = monotonic() + pause
                    self._tell_end(part, process.returncode, pause, report)
                elif due[part.name] <= monotonic():
                    del due[part.name]
                    self._restart(part, process)
            self._tidy()
            Event().wait(POLL_S)

    def _note_end(
        self, part: ManagedProcess, code: int, ends: deque[float], pause_s: float
    ) -> float:
        """Return how long to wait before a process is started again; raise when it ends too often."""
        now = monotonic()
        while ends and now - ends[0] > RESTARTS_WITHIN_S:
            ends.popleft()
        ends.append(now)
        if len(ends) > RESTARTS_MAX:
            raise ProcessEndedError(
                f"{part.name} ended {len(ends)} times within {RESTARTS_WITHIN_S} s. "
                f"{self._describe_end(part, code)}"
            )
        return pause_s * 2 ** (len(ends) - 2) if len(ends) > 1 else 0.0

    def _tell_end(
        self, part: ManagedProcess, code: int, pause: float, report: Callable[[str], None]
    ) -> None:
        """Say on the console and in the log of a process that it ended and is started again."""
        after = f" in {pause:g} s" if pause else ""
        line = f"{part.name} ended with {_describe_code(code)}; started again{after}"
        with self._log(part.name).open("a") as log:
            log.write(f"berth: {line}\n")
        report(line)

    def check(self) -> None:
        """Raise if a process has ended; truncate logs and reap orphans."""
        for part, process in self._list_ended():
            raise ProcessEndedError(self._describe_end(part, process.returncode))
        self._tidy()

    def stop(self, names: Collection[str]) -> None:
        """Stop the named processes together: all are signalled before the first is waited for."""
        chosen = self._named(names)
        for part, process in chosen:
            if process.poll() is None:
                process.send_signal(part.stop_signal)
        for part, process in chosen:
            self._running.remove((part, process))
            self._end(part, process)

    def stop_all(self) -> None:
        """Stop every process, last started first, and kill what any of them left running."""
        while self._running:
            self._end(*self._running.pop())
        strays = psutil.Process().children(recursive=True)
        for stray in strays:
            with suppress(psutil.NoSuchProcess):
                stray.kill()
        psutil.wait_procs(strays, timeout=GONE_WITHIN_S)

    def _named(self, names: Collection[str]) -> list[Running]:
        return [(part, process) for part, process in self._running if part.name in names]

    def _spawn(self, part: ManagedProcess, stdout: IO[bytes] | int, stderr: IO[bytes]) -> Process:
        process = subprocess.Popen(
            part.command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            env=self._env,
            start_new_session=True,
            preexec_fn=_child_setup(part),  # noqa: PLW1509 - the launcher has no threads
        )
        self._running.append((part, process))
        return process

    def _restart(self, part: ManagedProcess, process: Process) -> None:
        """Start an ended process again in its place, when nothing of it is left."""
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        # A killed process holds its ports and locks until it is gone.
        psutil.wait_procs(_members(process.pid), timeout=GONE_WITHIN_S)
        place = self._running.index((part, process))
        del self._running[place]
        self.start(part)
        self._running.insert(place, self._running.pop())

    def _end(self, part: ManagedProcess, process: Process) -> None:
        if process.poll() is None:
            process.send_signal(part.stop_signal)
        try:
            process.wait(part.stop_s)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _list_ended(self) -> list[Running]:
        return [(part, process) for part, process in self._running if process.poll() is not None]

    def _tidy(self) -> None:
        """Truncate logs and reap orphans."""
        for part, _ in self._running:
            self._truncate_log(part.name)
        self._reap_orphans()

    def _reap_orphans(self) -> None:
        """Reap orphans that were reparented to the launcher; `poll` reaps its own children."""
        own = {process.pid for _, process in self._running}
        with suppress(ChildProcessError):
            while (ended := os.waitid(os.P_ALL, 0, _ANY_ENDED)) and ended.si_pid not in own:
                os.waitpid(ended.si_pid, os.WNOHANG)

    def _describe_end(self, part: ManagedProcess, code: int) -> str:
        lines = self._log(part.name).read_text(errors="replace").splitlines()[-TAIL_LINES:]
        log = self._log(part.name)
        return f"{part.name} ended with {_describe_code(code)}. The end of {log}:\n" + "\n".join(
            lines
        )

    def _truncate_log(self, name: str) -> None:
        """Keep one older log; writers append, so they continue at the start of the emptied file."""
        log = self._log(name)
        if log.stat().st_size > LOG_MAX:
            log.with_suffix(".log.1").write_bytes(log.read_bytes())
            os.truncate(log, 0)

    def _log(self, name: str) -> Path:
        return self._log_dir / f"{name}.log"


def _members(group: int) -> list[psutil.Process]:
    """Return the processes of a group, which are the launcher's when their parent has ended."""
    found = []
    for child in psutil.Process().children(recursive=True):
        with suppress(ProcessLookupError):
            if os.getpgid(child.pid) == group:
                found.append(child)
    return found


def _describe_code(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"


def _child_setup(part: ManagedProcess) -> Callable[[], None]:
    """Return what a child runs before `exec`: drop privileges, end with the launcher."""
    launcher = os.getpid()

    def setup() -> None:
        if part.user is not None:
            os.setgroups([])
            os.setgid(part.user[1])
            os.setuid(part.user[0])
        # After setuid, which clears it.
        _LIBC.prctl(_PR_SET_PDEATHSIG, int(part.stop_signal), 0, 0, 0)
        if os.getppid() != launcher:
            os._exit(1)

    return setup
