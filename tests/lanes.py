"""Test tools side by side: what mostly waits runs beside what needs the processors, and goes before it.

Each tool writes to a file of its own, which is printed whole when the tool has ended.
"""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Final, TypeVar

LANES: Final = 3
PATIENT: Final = ("nice", "-n", "5")
"""Before the command of a tool that gives way to the others, but not so far that its tests time out."""
END_S: Final = 120.0
"""Servers that tests have started may take so long to end."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Tool:
    """One command that runs tests, and where it leaves its JUnit report."""

    name: str
    command: tuple[str, ...]
    report: Path
    folder: Path
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Result:
    """How one run of a tool ended."""

    name: str
    status: int
    report: Path
    seconds: float
    cpu_s: float
    """Processor time of it and of all that it has waited for."""


@dataclass
class Lanes:
    """Runs what is put on it, three at a time, in the order of its coming."""

    say: Callable[[str], None]
    """Hears what begins, and what each tool wrote."""
    _threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(LANES))
    _running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)
    _is_over: bool = False

    def put(self, work: Callable[[], _T]) -> Future[_T]:
        """Do something as soon as a lane is free."""
        return self._threads.submit(work)

    def run(self, tool: Tool) -> Result:
        """Run a tool to its end and print what it wrote; called on a lane."""
        output = tool.report.with_suffix(".log")
        started = monotonic()
        with output.open("wb") as stream:
            process = self._started(tool, stream.fileno())
            _, ended, used = os.wait4(process.pid, 0)
            status = process.returncode = os.waitstatus_to_exitcode(ended)
        self._running.discard(process)
        seconds = monotonic() - started
        with self._lock:
            text = output.read_text(encoding="utf-8", errors="replace")
            self.say(f"\n== {tool.name} ({seconds:.0f} s)\n{text}")
        return Result(tool.name, status, tool.report, seconds, used.ru_utime + used.ru_stime)

    def _started(self, tool: Tool, output: int) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._is_over:
                raise InterruptedError(tool.name)
            self.say(f"-- {tool.name} begins")
            process = subprocess.Popen(
                tool.command,
                cwd=tool.folder,
                env=tool.env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # One Ctrl-C must reach it once, through us: a second one would cut its end short.
                start_new_session=True,
            )
            self._running.add(process)
        return process

    def end(self) -> None:
        """Start nothing more, and let what runs end as if somebody had interrupted it."""
        with self._lock:
            self._is_over = True
            running = list(self._running)
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()
        self._threads.shutdown(cancel_futures=True)


@contextmanager
def lanes_for(say: Callable[[str], None]) -> Iterator[Lanes]:
    """Lanes for the length of a block; nothing runs on them afterwards."""
    lanes = Lanes(say)
    try:
        yield lanes
    finally:
        lanes.end()
