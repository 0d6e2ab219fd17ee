"""Writes by SQL text: `INSERT INTO`, `UPDATE … SET`, `DELETE FROM`, `TRUNCATE`."""

import ast
import re
from collections.abc import Collection, Iterator
from typing import Final

from tests.architecture.sources import Source
from tests.architecture.writers.found import ANY, Found, Unclear, Write

_WRITES: Final = re.compile(
    r"\b(?:INSERT\s+INTO|DELETE\s+FROM|TRUNCATE(?:\s+TABLE)?|MERGE\s+INTO)\s+(?P<rows>[\w{}]+)"
    r"(?:\s+AS\s+\w+)?(?P<columns>\s*\([^)]*\))?"
    r"|\bUPDATE\s+(?P<changed>(?!SET\b)[\w{}]+)(?:\s+(?:AS\s+)?(?!SET\b)\w+)?\s+SET\s+(?P<set>.*)",
    re.DOTALL,
)
_QUOTED: Final = re.compile(r"'[^']*'")
_WORDS: Final = re.compile(r"\b(?:INSERT|UPDATE|DELETE|TRUNCATE|MERGE)\b")
_INSERT: Final = re.compile(r"^INSERT\b")
_CONFLICT: Final = re.compile(r"\bDO\s+UPDATE\s+SET\s+(?P<set>.*)", re.DOTALL)
_END: Final = re.compile(r"\b(?:FROM|WHERE|RETURNING|SELECT)\b")
_LIST: Final = re.compile(r"\(([^)]*)\)\s*=")
_ASSIGNED: Final = re.compile(r"(?:^|,)\s*([a-z_]\w*)\s*=")


def writes_by_sql(source: Source, tables: Collection[str]) -> Iterator[Found]:
    """Yield the writes of a module's statements; one on no known table is unclear."""
    if not _WORDS.search(source.text):
        return
    app = source.module.split(".")[1] if "." in source.module else source.module
    for line, text in texts(source):
        bare = _QUOTED.sub("''", text)
        for found in _WRITES.finditer(bare):
            name = found["rows"] or found["changed"]
            # A name that is put in belongs to the tables that an app names by a rule.
            table = f"{app}_*" if "{" in name else name
            if table == name and name not in tables:
                yield Unclear(source.module, line, f"SQL on {name}")
            else:
                yield Write(table, source.module, line, frozenset(_columns(found, bare)))


def texts(source: Source) -> Iterator[tuple[int, str]]:
    """Yield every text of a module with its line, docstrings left out; `{}` for what is put in."""
    parts = {
        part for node in source.nodes() if isinstance(node, ast.JoinedStr) for part in node.values
    }
    bare = {node.value for node in source.nodes() if isinstance(node, ast.Expr)}
    for node in source.nodes():
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(map(_part, node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from [] if node in parts | bare else [(node.lineno, node.value)]


def _part(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else "{}"


def _columns(found: re.Match[str], text: str) -> Iterator[str]:
    if not _INSERT.match(found[0]):
        yield from _set(found["set"]) if found["set"] else ()
        return
    listed = found["columns"]
    yield from _names(listed.strip().strip("()")) if listed else (ANY,)
    again = _CONFLICT.search(text, found.end())
    yield from _set(again["set"]) if again else ()


def _set(text: str) -> Iterator[str]:
    """Yield the columns of `(a, b) = …` or `a = …, b = …`."""
    head = _END.split(text)[0]
    if listed := _LIST.match(head):
        yield from _names(listed[1])
    else:
        yield from _ASSIGNED.findall(_flat(head))
        if "{" in head:
            yield ANY


def _names(text: str) -> Iterator[str]:
    for name in text.split(","):
        yield ANY if "{" in name else name.strip()


def _flat(text: str) -> str:
    """Return a text without what stands in parentheses."""
    while True:
        less = re.sub(r"\([^()]*\)", "", text)
        if less == text:
            return text
        text = less
