"""Acts, refused acts and what they write down have words in both languages, and nothing else has."""

import ast
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import pytest
from django.urls import URLPattern, get_resolver

from portal.alarms import services as alarm_rules
from portal.common.actions import Action
from portal.quotas.edits import LIMITS
from portal.quotas.limits import MEMBER_LIMITS
from portal.quotas.models import GroupLimit
from portal.submission_rules.terms import RuleTerms
from portal.workloads import changes as workload_changes
from tests.architecture.sources import ROOT, Source, sources

LOCALES: Final = ROOT / "frontend/src/features/audit/locales"
ACT: Final = re.compile(r"[a-z_]+\.[a-z_]+")
OTHER: Final = frozenset(
    {"studies.run_next", "administration.publish_datasets", "identity.deliver_notices"}
)
"""Written the same way, but the name of a task."""
RECORDERS: Final = frozenset({"record_event", "record_failure", "record_denied"})
BY_TABLE: Final = frozenset(
    {
        *alarm_rules._PLAIN,
        *LIMITS,
        *MEMBER_LIMITS,
        *(column.name for column in GroupLimit._meta.concrete_fields),
        *(term.name for term in fields(RuleTerms)),
        *(name.removesuffix("_id") for name in workload_changes._COLUMNS),
        *("default_time_limit_s", "newest", "used_days", "gpu_hours", "money"),
    }
) - {"id", "created_at", "updated_at", "name"}
"""Keys that acts take from the columns of a table."""
NOT_WRITTEN: Final = re.compile(
    r"name|id|params|group_has_\w+|minutes|public_key|reservation|reserved|url|work"
    r"|drain_\w+|hold"
)
"""The target itself, or written beside the act: to a notice, a mail, or a row of its own."""


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_every_act_has_words(language: str) -> None:
    assert set(_worded_acts(LOCALES / f"{language}.json", "action")) == _recorded_acts()


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_every_right_that_may_be_missing_has_words(language: str) -> None:
    worded = _worded_acts(LOCALES / f"{language}.json", "attempt")
    pages = {f"web.{name}" for name in _page_names(get_resolver())}
    assert set(worded) == {str(action) for action in Action} | pages | {"web.request"}


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_everything_that_an_act_writes_down_has_words(language: str) -> None:
    words = json.loads((LOCALES / f"{language}.json").read_text(encoding="utf-8"))["param"]
    written = {key for source in sources(("portal",)) for key in _keys_of(source)}
    wanted = {key for key in written if not NOT_WRITTEN.fullmatch(key)}
    assert set(words) == wanted | BY_TABLE | {"repeats", "since"}


def _page_names(resolver: Any) -> Iterator[str]:
    """Yield the names of pages that say no right of their own, by which a refusal is recorded."""
    for pattern in resolver.url_patterns:
        if not isinstance(pattern, URLPattern):
            yield from _page_names(pattern)
        elif pattern.name and not hasattr(
            getattr(pattern.callback, "view_class", None), "required_actions"
        ):
            yield pattern.name


def _keys_of(source: Source) -> Iterator[str]:
    """Yield the keys in functions that record an act, and in those that call one of these."""
    if source.path.startswith("portal/audit") and not source.path.endswith("denials.py"):
        return
    functions = {
        node.name: node for node in ast.walk(source.tree) if isinstance(node, ast.FunctionDef)
    }
    recording = {name for name, node in functions.items() if _calls(node, RECORDERS)}
    for node in functions.values():
        if node.name in recording or _calls(node, recording):
            yield from _keys_in(node, {name: functions[name] for name in recording})


def _calls(function: ast.FunctionDef, names: Collection[str]) -> bool:
    calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return any(getattr(call, "attr", getattr(call, "id", None)) in names for call in calls)


def _keys_in(function: ast.FunctionDef, recording: dict[str, ast.FunctionDef]) -> Iterator[str]:
    """Yield keys of mappings, and what is handed to a function that records as further keywords."""
    for node in ast.walk(function):
        match node:
            case ast.Dict(keys=keys):
                yield from (str(key.value) for key in keys if isinstance(key, ast.Constant))
            case ast.Subscript(slice=ast.Constant(value=str(key)), ctx=ast.Store()):
                yield key
            case ast.Call(func=ast.Name(id=name), keywords=given) if name in recording:
                declared = recording[name].args
                named = {each.arg for each in (*declared.args, *declared.kwonlyargs)}
                yield from (each.arg for each in given if each.arg and each.arg not in named)


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
