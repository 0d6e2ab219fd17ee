"""Every fault that a node may report and every cause of a change of state has words in both languages."""

import ast
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from scheduler.core.model.plan import EvictionCause
from tests.architecture.sources import ROOT, sources
from wire.words import ExitCause

PAGES: Final = ROOT / "frontend/src"
CODE: Final = re.compile(r"[a-z]+(?:_[a-z]+)*")
COLUMN: Final = "cause"
"""Named where rows are read, and no cause."""
LANGUAGES: Final = ("en", "zh-CN")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fault_of_an_engine_has_words(language: str) -> None:
    words = _words("shared/workload", language)
    codes = _codes(("nodeagent",), _first_of("EngineFault"))

    assert len(codes) > 20
    assert codes - {*words["fault"], *words["faultOf"]} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fault_of_a_node_has_words(language: str) -> None:
    words = _words("features/nodes", language)
    codes = _codes(("nodeagent",), _keyword("NodeFault", "code"))

    assert len(codes) > 5
    assert codes - {*words["fault"], *words["cardFault"]} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_cause_has_words(language: str) -> None:
    words = _words("shared/workload", language)
    codes = _codes(("portal", "nodeagent"), _keyword(None, "cause")) - {COLUMN}
    known = {*words["cause"], *words["causeBy"], *words["evicted"]}

    assert len(codes) > 20
    assert {*codes, *map(str, ExitCause), *map(str, EvictionCause)} - known == set()


def _words(part: str, language: str) -> Any:
    return json.loads((PAGES / part / "locales" / f"{language}.json").read_text(encoding="utf-8"))


Given = Callable[[ast.Call], ast.expr | None]


def _first_of(name: str) -> Given:
    """Return what finds the first thing that calls of this name are given."""
    return lambda call: call.args[0] if _called(call) == name and call.args else None


def _keyword(name: str | None, keyword: str) -> Given:
    """Return what finds a keyword of calls of this name, or of all calls."""

    def find(call: ast.Call) -> ast.expr | None:
        if name not in (None, _called(call)):
            return None
        return next((each.value for each in call.keywords if each.arg == keyword), None)

    return find


def _called(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _codes(packages: tuple[str, ...], given: Given) -> set[str]:
    """Return the codes that stand there themselves or by the name of a constant."""
    trees = [source.tree for source in sources(packages)]
    constants: dict[str, set[str]] = defaultdict(set)
    for name, value in (pair for tree in trees for pair in _constants(tree)):
        constants[name].add(value)
    found: set[str] = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        match given(node) if isinstance(node, ast.Call) else None:
            case ast.Constant(value=str(code)) if CODE.fullmatch(code):
                found.add(code)
            case ast.Name(id=name) if len(constants[name]) == 1:
                found |= constants[name]
    return found


def _constants(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=str(text))):
                yield name, text
            case _:
                pass
