"""Undo for plain dictionaries: every write remembers what it replaced."""

from collections.abc import MutableMapping
from typing import Final, NewType, TypeVar, cast

K = TypeVar("K")
V = TypeVar("V")
Mark = NewType("Mark", int)
_ABSENT: Final = object()
_Step = tuple[MutableMapping[object, object], object, object]


class Journal:
    """A log of writes. `undo(mark)` restores exactly the tables of the moment of `mark()`.

    Restored are the contents; a key that was removed comes back at the end of its dictionary.
    """

    def __init__(self) -> None:
        """Start with nothing to undo."""
        self._steps: list[_Step] = []

    def write(self, table: MutableMapping[K, V], key: K, value: V) -> None:
        """Set a key and remember how to restore it."""
        plain = cast("MutableMapping[object, object]", table)
        self._steps.append((plain, key, plain.get(key, _ABSENT)))
        table[key] = value

    def remove(self, table: MutableMapping[K, V], key: K) -> V:
        """Delete a key, remember how to restore it, and return what it held."""
        held = table.pop(key)
        self._steps.append((cast("MutableMapping[object, object]", table), key, held))
        return held

    def mark(self) -> Mark:
        """Return the present moment."""
        return Mark(len(self._steps))

    def undo(self, mark: Mark) -> None:
        """Take back every write since the mark, newest first."""
        while len(self._steps) > mark:
            table, key, held = self._steps.pop()
            if held is _ABSENT:
                del table[key]
            else:
                table[key] = held

    def forget(self) -> None:
        """Make everything written so far final; marks from before lose their meaning."""
        self._steps.clear()
