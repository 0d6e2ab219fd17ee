"""Names as they stand in docstrings, comments and pages."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from typing_extensions import override

from tests.architecture.sources import ROOT, Source, sources

_TICKED: Final = re.compile(r"`([^`\n]+)`")
_DOTTED: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_PATH: Final = re.compile(r"[A-Za-z_.][\w.-]*(?:/[\w.*<>…-]*)+(?:::\w+)?")
_BARE_PATH: Final = re.compile(
    r"(?<![\w/.`-])(?:bench|deploy|docs|frontend|nodeagent|portal|scheduler|tests|wire)/[\w./*<>-]*\w"
)
_TEST: Final = re.compile(r"test_\w+")
_COMMENT: Final = re.compile(r"^\s*(?://|\*|/\*\*?)(.*)$")
_FORMER: Final = re.compile(r"\bFormer(?:ly)?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Span:
    """One name in one place."""

    path: str
    line: int
    text: str
    kind: str
    """`dotted`, `path` or `test`."""

    @override
    def __str__(self) -> str:
        """Return where it stands, and the name."""
        return f"{self.path}:{self.line} `{self.text}`"


@cache
def spans() -> tuple[Span, ...]:
    """Return every dotted name, path and name of a test in prose.

    Records of decisions are history: there a line with the word "former" may name what is gone.
    """
    return tuple(
        span
        for path, line, text in prose()
        if not (path.startswith("docs/adr/") and _FORMER.search(text))
        for span in _names(path, line, text)
    )


def _names(path: str, line: int, text: str) -> Iterator[Span]:
    for found in _TICKED.findall(text):
        name = found.removesuffix("()")
        if _DOTTED.fullmatch(name):
            yield Span(path, line, name, "dotted")
        elif _PATH.fullmatch(found):
            yield Span(path, line, found, "path")
        elif _TEST.fullmatch(found):
            yield Span(path, line, found, "test")
    for found in _BARE_PATH.findall(_TICKED.sub("", text)):
        yield Span(path, line, found, "path")


def prose() -> Iterator[tuple[str, int, str]]:
    """Yield the lines of every docstring, comment and page."""
    for source in sources():
        yield from ((source.path, line, text) for line, text in _of_python(source))
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        path = str(page.relative_to(ROOT))
        if path != "CHANGELOG.md":
            lines = page.read_text(encoding="utf-8").splitlines()
            yield from ((path, number, text) for number, text in enumerate(lines, start=1))
    for pattern in ("*.ts", "*.tsx", "*.mjs"):
        for script in (ROOT / "frontend" / "src").rglob(pattern):
            path = str(script.relative_to(ROOT))
            for number, text in enumerate(script.read_text(encoding="utf-8").splitlines(), start=1):
                if comment := _COMMENT.match(text):
                    yield path, number, comment[1]


def _of_python(source: Source) -> Iterator[tuple[int, str]]:
    for node in source.nodes():
        match node:
            case ast.Expr(value=ast.Constant(value=str() as text)):
                yield from enumerate(text.splitlines(), start=node.lineno)
            case _:
                pass
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
