"""Hold every transaction of the product to `LOCK_ORDER` while tests run.

Rows are locked by `SELECT … FOR UPDATE` or `FOR SHARE`, by `UPDATE`, `DELETE` and `LOCK TABLE`. What
is looked at are the transactions that the product begins, inside the one that a test is rolled back
by; what a test does in a transaction of its own is no concern of the product.
"""

import re
import sys
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Final

from portal.common.locks import COVERED_BY, LOCK_ORDER
from tests.flushing import Execute

_SELECTED: Final = re.compile(
    r"\bFOR\s+(?:NO\s+KEY\s+)?(?:UPDATE|SHARE)\b(?:\s+OF\s+(?P<of>[\w\", ]+))?(?P<skips>\s+SKIP)?"
)
_CHANGED: Final = re.compile(
    r'\b(?:UPDATE|DELETE\s+FROM|LOCK\s+TABLE)\s+"?(?!SET\b|OF\b|SKIP\b)(\w+)'
)
_READ: Final = re.compile(r'\b(?:FROM|JOIN)\s+"?(\w+)"?(?:\s+(?:AS\s+)?"?(\w+)"?)?')
_ALWAYS: Final = set(LOCK_ORDER)


@dataclass
class LockOrder:
    """An execute wrapper that notes which table each transaction locks first, second, …"""

    broken: list[str] = field(default_factory=list)
    _savepoint: str = ""
    """Where a transaction of the product begins; empty outside of one."""
    _taken: list[str] = field(default_factory=list)

    def begin(self) -> None:
        """Forget what was noted."""
        self.broken, self._savepoint = [], ""

    def __call__(
        self, execute: Execute, sql: Any, params: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        """Run a statement."""
        if isinstance(sql, str):
            self._look(sql)
        return execute(sql, params, many, context)

    def _look(self, sql: str) -> None:
        if not self._savepoint:
            if sql.startswith("SAVEPOINT") and _is_by_product():
                self._savepoint, self._taken = sql.rsplit(maxsplit=1)[-1], []
        elif sql.rsplit(maxsplit=1)[-1] == self._savepoint:  # released, or gone back to
            self._savepoint = ""
        else:
            for table in locked_tables(sql):
                self._note(table, sql)

    def _note(self, table: str, sql: str) -> None:
        if table in self._taken or table in COVERED_BY:
            return
        self._taken.append(table)
        ranks = [LOCK_ORDER.index(name) if name in LOCK_ORDER else -1 for name in self._taken]
        if min(ranks) < 0 or ranks != sorted(ranks):
            self.broken.append(f"{' → '.join(self._taken)}, by {' '.join(sql.split())[:200]}")


def locked_tables(sql: str) -> list[str]:
    """Return the tables of which a statement locks rows and waits for them.

    A statement that changes others than those of `LOCK_ORDER` is left out: nobody else waits.
    """
    changed = [table for table in _CHANGED.findall(sql) if table in _ALWAYS]
    lock = _SELECTED.search(sql)
    if lock is None or lock["skips"]:
        return changed
    read = _READ.findall(sql)
    if lock["of"] is None:
        return [*changed, read[0][0]]
    aliases = {alias or table: table for table, alias in read} | {table: table for table, _ in read}
    return [*changed, *(aliases[name.strip(' "')] for name in lock["of"].split(","))]


def _is_by_product() -> bool:
    """Tell whether code of the product is on the stack, or a function of it is about to be."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        # The decorator of Django begins a transaction before the function that it decorates is called.
        about_to = frame.f_locals.get("func") if frame.f_code.co_name == "inner" else None
        module = getattr(about_to, "__module__", "") or frame.f_globals.get("__name__", "")
        if module.startswith(("portal.", "scheduler.")):
            return True
        frame = frame.f_back
    return False
