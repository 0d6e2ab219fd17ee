"""Every act that the portal writes to its audit log has words in both languages, and no other."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from portal.common.actions import Action
from tests.architecture.sources import ROOT, Source, sources

LOCALES: Final = ROOT / "frontend/src/features/audit/locales"
ACT: Final = re.compile(r"[a-z_]+\.[a-z_]+")
OTHER: Final = frozenset(
    {"studies.run_next", "administration.publish_datasets", "identity.deliver_notices"}
)
"""Written the same way, but the name of a task."""


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_every_act_has_words(language: str) -> None:
    assert set(_worded_acts(LOCALES / f"{language}.json", "action")) == _recorded_acts()


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_every_right_that_may_be_missing_has_words(language: str) -> None:
    worded = _worded_acts(LOCALES / f"{language}.json", "attempt")
    assert set(worded) == {str(action) for action in Action}


def _worded_acts(locale: Path, below: str) -> Iterator[str]:
    actions = json.loads(locale.read_text(encoding="utf-8"))[below]
    return (f"{kind}.{verb}" for kind, verbs in actions.items() for verb in verbs)


def _recorded_acts() -> set[str]:
    acts = {act for source in sources(("portal",)) for act in _acts_of(source)}
    return acts - OTHER


def _acts_of(source: Source) -> Iterator[str]:
    """Yield what a file gives as `action`, and all such codes of a file that records itself."""
    records = "from portal.audit" in source.text and not source.path.startswith("portal/audit")
    if records:
        yield from _codes(source.tree)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.keyword) and node.arg == "action":
            yield from _codes(node.value)


def _codes(tree: ast.AST) -> Iterator[str]:
    """Yield the codes below a node, except those of log lines."""
    match tree:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="logger"))):
            return
        case ast.Constant(value=str(text)) if ACT.fullmatch(text):
            yield text
    for child in ast.iter_child_nodes(tree):
        yield from _codes(child)
