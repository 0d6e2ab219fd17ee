"""Where the CPU seconds of a benchmark with several processes went.

A busy machine stretches wall time, not these; so two trees can be compared beside other work.
"""

import cProfile
import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import process_time
from typing import Any, Final

import psutil
from typing_extensions import override

from tests import stores

_SPAWN: Final = multiprocessing.get_context("spawn")


class Spent:
    """CPU seconds by process: this one, the parts that it starts, PostgreSQL and Redis."""

    def __init__(self, own: str, profiles: Path | None = None) -> None:
        """Begin to count; `own` names this process, `profiles` is where cProfile's files go."""
        self._own = own
        self._profiles = profiles
        self._spent = _SPAWN.Queue()
        self._parts: list[Any] = []
        self._began = {own: process_time(), "PostgreSQL": _tree_s(_postgres()), "Redis": _redis_s()}
        self.seconds: dict[str, float] = {}

    def start(self, name: str, target: Callable[..., None], *args: Any) -> None:
        """Run a function in a process of its own."""
        part = _SPAWN.Process(target=_part, args=(name, self._spent, self._profiles, target, args))
        part.start()
        self._parts.append(part)

    @contextmanager
    def profiled(self) -> Iterator[None]:
        """Profile this process inside the block, if anything is."""
        with _profiled(self._own, self._profiles):
            yield

    def stop(self) -> None:
        """Count what the servers and this process have spent so far."""
        now = {
            self._own: process_time(),
            "PostgreSQL": _tree_s(_postgres()),
            "Redis": _redis_s(),
        }
        self.seconds = {name: round(now[name] - self._began[name], 2) for name in now}

    def join(self) -> None:
        """Wait for the parts, and take in what they have spent."""
        for _ in self._parts:
            name, seconds = self._spent.get()
            self.seconds[name] = round(seconds, 2)
        for part in self._parts:
            part.join()

    @override
    def __str__(self) -> str:
        """Name the processes, hungriest first, and the sum."""
        order = sorted(self.seconds.items(), key=lambda item: -item[1])
        each = ", ".join(f"{name} {seconds:.1f}" for name, seconds in order)
        return f"CPU s: {each}; together {sum(self.seconds.values()):.1f}"


def _part(
    name: str, spent: Any, profiles: Path | None, target: Callable[..., None], args: tuple[Any, ...]
) -> None:
    begun = process_time()
    with _profiled(name, profiles):
        target(*args)
    spent.put((name, process_time() - begun))


@contextmanager
def _profiled(name: str, folder: Path | None) -> Iterator[None]:
    if folder is None:
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    with cProfile.Profile() as profile:
        yield
    profile.dump_stats(folder / f"{name}.prof")


def _postgres() -> psutil.Process:
    pid = (stores.POSTGRES_FOLDER / "postmaster.pid").read_text().split()[0]
    return psutil.Process(int(pid))


def postgres_s() -> float:
    """Return the CPU seconds of the server and of all its sessions, closed ones included."""
    return _tree_s(_postgres())


def _redis_s() -> float:
    return _tree_s(psutil.Process(int(stores.REDIS_PID.read_text())))


def _tree_s(server: psutil.Process) -> float:
    """Return what a server, its present children and those that have ended have spent."""
    own, *present = [process.cpu_times() for process in (server, *server.children())]
    ended = own.children_user + own.children_system
    return float(ended + sum(time.user + time.system for time in (own, *present)))
