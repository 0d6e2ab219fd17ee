"""Reads are scoped by their signature: an actor is a parameter, or the name says that there is none."""

import ast
from typing import Final

from tests.architecture.sources import Source, sources

SCOPES: Final = {"actor", "viewer"}
UNSCOPED: Final = "_for_system"
VERBS: Final = ("count_", "describe_", "find_", "get_", "list_", "load_", "read_", "summarise_")
NO_SUBJECT: Final = {"days", "moment", "settings", "site"}
"""Parameters that do not say of what a function returns rows."""


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


def test_a_read_of_all_rows_is_for_the_system() -> None:
    found = [
        f"{source.path}:{function.lineno} {function.name}"
        for source in sources(("portal",))
        for function in _public_functions(source)
        if function.name.startswith(VERBS)
        and not function.name.endswith(UNSCOPED)
        and _parameters(function) <= NO_SUBJECT
        and _returns_rows(function)
    ]

    assert found == []


def _returns_rows(function: ast.FunctionDef) -> bool:
    """Return whether it queries a model and returns what it has found."""
    queries = any(
        isinstance(it, ast.Attribute) and it.attr == "objects" for it in ast.walk(function)
    )
    returns = function.returns
    is_act = isinstance(returns, ast.Constant) and returns.value is None
    return queries and not is_act


def _public_functions(source: Source) -> list[ast.FunctionDef]:
    return [
        node
        for node in source.tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]


def _parameters(function: ast.FunctionDef) -> set[str]:
    arguments = function.args
    return {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
