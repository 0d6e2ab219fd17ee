"""The undo log brings back what was there at a mark, whatever was written since."""

import pytest

from scheduler.core.model.undo_log import UndoLog

WRITES: dict[str, list[tuple[str, int | None]]] = {
    "a changed key": [("a", 7)],
    "a key changed twice": [("a", 7), ("a", 8)],
    "a new key": [("new", 7)],
    "a removed key": [("a", None)],
    "a key removed and written again": [("a", None), ("a", 7)],
    "a new key removed again": [("new", 7), ("new", None)],
}
"""Keys with the value that is written, or None for one that is removed."""


@pytest.mark.parametrize("writes", WRITES.values(), ids=WRITES)
def test_undo_restores_what_was_there(writes: list[tuple[str, int | None]]) -> None:
    log, table = UndoLog(), {"a": 1, "b": 2}
    log.write(table, "b", 3)
    mark = log.mark()

    for key, value in writes:
        if value is None:
            log.remove(table, key)
        else:
            log.write(table, key, value)
    log.undo(mark)

    assert table == {"a": 1, "b": 3}
    assert log.mark() == mark


def test_what_was_removed_is_returned_and_what_is_committed_stays() -> None:
    log, table = UndoLog(), {"a": 1}

    assert log.remove(table, "a") == 1
    log.commit()
    log.undo(log.mark())

    assert table == {}
    assert log.mark() == 0
