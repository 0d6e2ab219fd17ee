"""Reads are scoped by their signature: an actor is a parameter, or the name says that there is none."""

import ast
from typing import Final

from tests.architecture.sources import Source, sources

SCOPES: Final = {"actor", "viewer"}
UNSCOPED: Final = "_for_system"


def test_every_selector_takes_an_actor_or_is_for_the_system() -> None:
    found = [
        f"{source.path}:{function.lineno} {function.name}"
        for source in sources(("portal",))
        if source.path.endswith("/selectors.py")
        for function in _public_functions(source)
        if not function.name.endswith(UNSCOPED) and not SCOPES & _parameters(function)
    ]

    assert found == []


def test_a_selector_for_the_system_takes_no_actor() -> None:
    found = [
        f"{source.path}:{function.lineno} {function.name}"
        for source in sources(("portal",))
        if source.path.endswith("/selectors.py")
        for function in _public_functions(source)
        if function.name.endswith(UNSCOPED) and SCOPES & _parameters(function)
    ]

    assert found == []


def _public_functions(source: Source) -> list[ast.FunctionDef]:
    return [
        node
        for node in source.tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]


def _parameters(function: ast.FunctionDef) -> set[str]:
    arguments = function.args
    return {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
