"""An undo log for plain dictionaries: every write records what it replaced."""

from collections.abc import Callable, MutableMapping
from functools import partial
from typing import NewType, TypeVar

K = TypeVar("K")
V = TypeVar("V")
Mark = NewType("Mark", int)


class UndoLog:
    """A log of writes. `undo(mark)` restores exactly the tables of the moment of `mark()`.

    Restored are the contents; a key that was removed comes back at the end of its dictionary.
    """

    def __init__(self) -> None:
        """Start with nothing to undo."""
        self._steps: list[Callable[[], None]] = []

    def write(self, table: MutableMapping[K, V], key: K, value: V) -> None:
        """Set a key and remember how to restore it."""
        if key in table:
            self._steps.append(partial(table.__setitem__, key, table[key]))
        else:
            self._steps.append(partial(table.__delitem__, key))
        table[key] = value

    def remove(self, table: MutableMapping[K, V], key: K) -> V:
        """Delete a key, remember how to restore it, and return what it held."""
        held = table.pop(key)
        self._steps.append(partial(table.__setitem__, key, held))
        return held

    def mark(self) -> Mark:
        """Return the present moment."""
        return Mark(len(self._steps))

    def undo(self, mark: Mark) -> None:
        """Take back every write since the mark, newest first."""
        while len(self._steps) > mark:
            self._steps.pop()()

    def commit(self) -> None:
        """Make everything written so far final; earlier marks become invalid."""
        self._steps.clear()
