"""Names in the pictures of `docs/architecture.md`: without backticks, the check of prose cannot see them."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from tests.architecture.sources import PRODUCT, ROOT, sources

PAGE: Final = ROOT / "docs" / "architecture.md"
_PICTURE: Final = re.compile(r"^```\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FILE: Final = re.compile(r"[\w/]+\.py\b")
_PAGE_FILE: Final = re.compile(r"[\w/-]+\.tsx?\b")
_MODULE: Final = re.compile(r"\b(?:portal|scheduler|nodeagent|wire)(?:\.[a-z]\w*)+\b(?!/)")
_NAME: Final = re.compile(
    r"(?<![\w./-])(?:[a-z]+(?:_[a-z]+)+|[A-Z]+(?:_[A-Z]+)+|(?:[A-Z][a-z]+){2,})(?![\w./-])"
)
"""Functions, constants and classes: words that are no words of English."""
_BESIDE: Final = re.compile(r"([\w/]+\.py) · (\w+)(?![\w/.])")
OF_OTHERS: Final = {"PostgreSQL", "WebSocket"}


def test_files_and_modules_of_pictures_are_there() -> None:
    ends = tuple(f"/{source.path}" for source in sources(PRODUCT))
    modules = {source.module for source in sources(PRODUCT)}
    modules |= {name.rpartition(".")[0] for name in modules}

    gone = [
        name
        for text in _pictures()
        for name in _FILE.findall(text)
        if not any(end.endswith(f"/{name}") for end in ends)
    ]
    unknown = [
        name
        for text in _pictures()
        for name in _MODULE.findall(_FILE.sub("", text))
        if name not in modules
    ]

    assert gone + unknown == []


def test_files_of_pages_in_pictures_are_there() -> None:
    named = {name for text in _pictures() for name in _PAGE_FILE.findall(text)}

    assert named
    assert [name for name in named if not (ROOT / "frontend" / "src" / name).is_file()] == []


def test_names_of_pictures_are_there() -> None:
    known = {name for names in _names().values() for name in names}
    known |= {part for source in sources(PRODUCT) for part in source.module.split(".")}

    gone = [
        name
        for text in _pictures()
        for name in _NAME.findall(text)
        if name not in known | OF_OTHERS
    ]

    assert gone == []


def test_a_name_beside_a_file_is_in_it() -> None:
    elsewhere = [
        f"{file} · {name}"
        for text in _pictures()
        for file, name in _BESIDE.findall(text)
        if not any(
            name in names for path, names in _names().items() if f"/{path}".endswith(f"/{file}")
        )
    ]

    assert elsewhere == []


def _pictures() -> Iterator[str]:
    for found in _PICTURE.finditer(PAGE.read_text(encoding="utf-8")):
        yield found[1]


@cache
def _names() -> dict[str, set[str]]:
    """Return what each file of the product declares."""
    return {source.path: set(_declared(source.nodes())) for source in sources(PRODUCT)}


def _declared(nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
