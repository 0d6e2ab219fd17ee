"""What reading the text of the product finds."""

from dataclasses import dataclass
from typing import Final

ANY: Final = "*"
"""Stands for columns that only the running program knows."""


@dataclass(frozen=True, slots=True)
class Write:
    """One place that writes a table."""

    table: str
    module: str
    line: int
    columns: frozenset[str]
    """As far as they are named there; `ANY` if there may be others."""
    is_saved: bool = True
    """False where only a row in memory is changed, for a `save` that comes elsewhere."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """A call, an assignment or a statement of which nothing says what it writes."""

    module: str
    line: int
    text: str


Found = Write | Unclear
