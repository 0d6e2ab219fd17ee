"""A conversation with a real part, noted once and replayed word by word: what was asked, and what was answered."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Row = dict[str, Any]


@dataclass
class Notes:
    """Notes what is asked and answered, except while it is only waited."""

    rows: list[Row] = field(default_factory=list)
    is_waiting: bool = False

    def note(self, asked: Mapping[str, Any], answered: Mapping[str, Any]) -> None:
        """Note one question with its answer."""
        if not self.is_waiting:
            self.rows.append({**asked, **answered})

    def settle(self, wait_for: Callable[[Callable[[], bool]], object]) -> Callable[..., None]:
        """Return what waits without noting it."""

        def wait(holds: Callable[[], bool]) -> None:
            self.is_waiting = True
            wait_for(holds)
            self.is_waiting = False

        return wait


@dataclass
class Replayed:
    """Answers as it was noted, and only what was asked then, in that order."""

    rows: list[Row]

    def answer(self, asked: Mapping[str, Any]) -> Row:
        """Return what was answered to this question, which has to be the next."""
        assert self.rows, f"nothing more was said: {asked}"
        row = self.rows.pop(0)
        assert {name: row[name] for name in asked} == dict(asked)
        return row


def load_rows(path: Path) -> list[Row]:
    """Return a conversation that was saved."""
    rows: list[Row] = json.loads(path.read_text(encoding="utf-8"))
    return rows


def save_rows(path: Path, rows: list[Row]) -> None:
    """Save a conversation."""
    path.write_text(f"{json.dumps(rows, indent=1, ensure_ascii=False)}\n", encoding="utf-8")
