"""Run the tables of the core against each change, in a process of its own that begins where all is read.

The tests are collected once. A first process runs them all and notes which enter which function; then
each change gets a copy of the process, in which its function has other code and the tests that enter it
run until one fails. What runs on for too long counts as noticed.
"""

import os
import pickle
import resource
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import _lru_cache_wrapper, cached_property
from importlib import import_module
from inspect import unwrap
from itertools import pairwise
from pathlib import Path
from time import monotonic, process_time
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Final

import pytest

from tests.mutation.rules.changes import CORE, Change

CPU_S_PER_CHANGE: Final = 20
"""More than all tables of one function need; a loop that no longer ends is stopped there."""


@dataclass(slots=True)
class Entered:
    """Which tests enter a function, and how long each took."""

    tests: defaultdict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    seconds: dict[str, float] = field(default_factory=dict)

    def ordered(self, change: Change) -> Sequence[str]:
        """Return the tests that enter the function of a change: first its own, then the fastest."""
        own = change.module.removesuffix(".py").replace("/", "/test_")
        return sorted(
            self.tests.get((change.module, change.function), ()),
            key=lambda name: (own not in name, self.seconds[name], name),
        )


@dataclass
class ChangesRun:
    """As a plugin of pytest: instead of the tests once, the tests once for each change."""

    changes: Iterable[Change]
    seconds: float
    """After so long, from when every test has run once, no further change is begun."""
    jobs: int = 1
    noticed: list[Change] = field(default_factory=list)
    survived: list[Change] = field(default_factory=list)
    is_red: bool = False
    """Whether a test fails without any change: then nothing can be said."""
    _failed: bool = False
    _running: dict[int, Change] = field(default_factory=dict)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what draws its examples: it is slow, and says less about why."""
        items[:] = [item for item in items if not _draws(item)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure."""
        self._failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests against one change after the other."""
        items = {item.nodeid: item for item in session.items}
        entered = self._enter(items)
        if entered is None:
            self.is_red = True
            return True
        until = monotonic() + self.seconds
        for change in self.changes:
            if monotonic() > until:
                break
            if tests := entered.ordered(change):
                self._begin(change, [items[name] for name in tests])
                self._wait(self.jobs - 1)
            else:
                self.survived.append(change)
        self._wait(0)
        return True

    def _enter(self, items: dict[str, pytest.Item]) -> Entered | None:
        """Run everything once, in a process of its own so that nothing is remembered here."""
        reading, writing = os.pipe()
        if not (pid := os.fork()):
            os.close(reading)
            _be_silent()
            entered = Entered()
            for item, following in _with_next(list(items.values())):
                begun = process_time()
                with _watched(entered, item.nodeid):
                    self._run(item, following)
                entered.seconds[item.nodeid] = process_time() - begun
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(None if self._failed else (dict(entered.tests), entered.seconds), pipe)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            found = pickle.load(pipe)
        os.waitpid(pid, 0)
        return found and Entered(defaultdict(set, found[0]), found[1])

    def _begin(self, change: Change, items: Sequence[pytest.Item]) -> None:
        if pid := os.fork():
            self._running[pid] = change
            return
        _be_silent()
        spent = int(process_time()) + CPU_S_PER_CHANGE
        resource.setrlimit(resource.RLIMIT_CPU, (spent, spent))
        put_in_place(change)
        for item, following in _with_next(items):
            self._run(item, following)
            if self._failed:
                os._exit(1)
        os._exit(0)

    def _run(self, item: pytest.Item, following: pytest.Item) -> None:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)

    def _wait(self, most: int) -> None:
        while len(self._running) > most:
            pid, status = os.wait()
            change = self._running.pop(pid)
            (self.noticed if status else self.survived).append(change)


def put_in_place(change: Change) -> None:
    """Let the function do what the change says, wherever it is already known."""
    find_function(change.module, change.function).__code__ = change.code
    for each in vars(_module(change.module)).values():
        if isinstance(each, _lru_cache_wrapper):
            each.cache_clear()


def find_function(module: str, name: str) -> FunctionType:
    """Return a function of the core, also behind a method, property or decorator."""
    found: Any = _module(module)
    for part in name.split("."):
        found = vars(found)[part]
    if isinstance(found, property):
        found = found.fget
    elif isinstance(found, (staticmethod, classmethod)):
        found = found.__func__
    elif isinstance(found, cached_property):
        found = found.func
    function = unwrap(found)
    if not isinstance(function, FunctionType):
        raise TypeError(f"{module} {name} is no function")
    return function


def _module(name: str) -> ModuleType:
    return import_module(f"scheduler.core.{name.removesuffix('.py').replace('/', '.')}")


@contextmanager
def _watched(entered: Entered, test: str) -> Iterator[None]:
    """Note every function of the core that is entered meanwhile."""
    seen: set[CodeType] = set()

    def note(frame: FrameType, _: str, __: object) -> None:
        """Come here for each call only: returning nothing asks for no lines."""
        seen.add(frame.f_code)

    sys.settrace(note)
    try:
        yield
    finally:
        sys.settrace(None)
    for code in seen:
        path = Path(code.co_filename)
        if path.is_relative_to(CORE):
            function = code.co_qualname.partition(".<locals>")[0]
            entered.tests[path.relative_to(CORE).as_posix(), function].add(test)


def _with_next(items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item]]:
    """Yield each with the one that follows, which keeps what both share; the last keeps its own."""
    return pairwise([*items, items[-1]])


def _draws(item: pytest.Item) -> bool:
    return bool(getattr(getattr(item, "obj", None), "is_hypothesis_test", False))


def _be_silent() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nothing, stream)
