"""Undo for plain dictionaries: every write remembers what it replaced."""

from collections.abc import Callable
from typing import NewType, TypeVar

K = TypeVar("K")
V = TypeVar("V")
Mark = NewType("Mark", int)


class Journal:
    """A log of writes. `undo(mark)` restores exactly the tables of the moment of `mark()`."""

    def __init__(self) -> None:
        """Start with nothing to undo."""
        self._steps: list[Callable[[], None]] = []

    def write(self, table: dict[K, V], key: K, value: V) -> None:
        """Set a key and remember how to restore it."""
        if key in table:
            previous = table[key]
            self._steps.append(lambda: table.__setitem__(key, previous))
        else:
            self._steps.append(lambda: table.__delitem__(key))
        table[key] = value

    def mark(self) -> Mark:
        """Return the present moment."""
        return Mark(len(self._steps))

    def undo(self, mark: Mark) -> None:
        """Take back every write since the mark, newest first."""
        while len(self._steps) > mark:
            self._steps.pop()()
