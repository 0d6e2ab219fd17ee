"""The Python files of the tree, parsed once."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PRODUCT: Final = ("portal", "scheduler", "nodeagent", "wire", "deploy")
EVERYTHING: Final = (*PRODUCT, "tests", "bench")
CORES: Final = ("scheduler/core/", "scheduler/scaling/", "nodeagent/core/")


@dataclass(frozen=True, slots=True)
class Source:
    """One hand-written file."""

    path: str
    """From the root of the repository."""
    text: str
    tree: ast.Module

    @property
    def module(self) -> str:
        """Return the dotted name."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def nodes(self) -> tuple[ast.AST, ...]:
        """Return every node of its tree; walked once in a run."""
        return _nodes(self)

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Yield every function and method."""
        for node in self.nodes():
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node


@cache
def _nodes(source: Source) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(source.tree))


@cache
def sources(roots: tuple[str, ...] = EVERYTHING) -> tuple[Source, ...]:
    """Return the files below the roots, without migrations, which are generated."""
    if roots == EVERYTHING:
        return read_sources(roots, ROOT)
    below = tuple(f"{root}/" for root in roots)
    return tuple(source for source in sources() if source.path.startswith(below))


def read_sources(folders: Iterable[str], root: Path) -> tuple[Source, ...]:
    """Return the files of a checkout below these folders, without migrations."""
    return tuple(
        Source(str(path.relative_to(root)), text, ast.parse(text))
        for folder in folders
        for path in sorted((root / folder).rglob("*.py"))
        if "migrations" not in path.parts
        for text in [path.read_text(encoding="utf-8")]
    )


def cores() -> tuple[Source, ...]:
    """Return the files of the decision cores."""
    return tuple(source for source in sources(PRODUCT) if source.path.startswith(CORES))
