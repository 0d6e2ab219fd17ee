"""Acts, refused acts and what they write down have words in both languages, and nothing else has."""

import ast
import json
import re
from collections.abc import Collection, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from allauth.mfa.models import Authenticator
from django.urls import URLPattern, get_resolver

from portal.access.services import AccessMethod
from portal.agentlink.facts import UNKNOWN_WORK
from portal.alarms import services as alarm_rules
from portal.alarms.acts import DONE
from portal.common.actions import Action
from portal.datasets.models import PublicationSource, VersionState
from portal.fleet.api.pools import PoolChangeInput
from portal.inventory.models import Pool
from portal.inventory.policy_shapes import LendingInput, PolicyInput
from portal.quotas.edits import LIMITS
from portal.quotas.limits import MEMBER_LIMITS
from portal.quotas.models import GroupLimit
from portal.site.api.serializers import SettingsInput
from portal.studies.api.serializers import NodesChange, StudyInput, StudyQuotaChange
from portal.studies.models import StoryName
from portal.submission_rules.terms import RuleTerms
from portal.tenancy.api.serializers import UserChange
from portal.workloads import changes as workload_changes
from portal.workloads.submission.rule_checks import REQUIRABLE
from scheduler.core.model.states import LossKind
from tests.architecture.sources import ROOT, Source, sources

PAGES: Final = ROOT / "frontend/src"
LOCALES: Final = PAGES / "features/audit/locales"
DETAILS: Final = PAGES / "features/audit/components/event-details.tsx"
"""Where the page says which words are for which key and which code."""
ACT: Final = re.compile(r"[a-z_]+\.[a-z_]+")
OTHER: Final = frozenset(
    {
        "studies.run_next",
        "datasets.publish",
        "notices.deliver",
        "demo.finish_removal",
        "serving.reconcile",
        "composition.run_slurm",
        "composition.run_kubernetes",
        "directory.sync_due",
    }
)
"""Written the same way, but the name of a task."""
RECORDERS: Final = frozenset({"record_event", "record_failure", "record_denied"})
BY_TABLE: Final = frozenset(
    {
        *PoolChangeInput().fields,
        *UserChange().fields,
        *StudyInput().fields,
        *StudyQuotaChange().fields,
        *NodesChange().fields,
        *alarm_rules._PLAIN,
        *LIMITS,
        *MEMBER_LIMITS,
        *(column.name for column in GroupLimit._meta.concrete_fields),
        *(term.name for term in fields(RuleTerms)),
        *(name.removesuffix("_id") for name in workload_changes._COLUMNS),
        *("default_time_limit_s", "newest", "used_days", "gpu_hours", "money"),
        *("unlimited", "min", "max"),
    }
) - {"id", "created_at", "updated_at", "name"}
"""Keys that acts take from the columns of a table or the fields of a request."""
ELSEWHERE: Final = frozenset(
    {
        *PolicyInput().fields,
        *LendingInput().fields,
        *SettingsInput().fields,
        *REQUIRABLE,
    }
) - {"version"}
"""Keys whose words stand on the page where their values are set."""
CODES: Final[dict[str, frozenset[str]]] = {
    "code": frozenset({"own_request"}),
    "fault": frozenset({UNKNOWN_WORK}),
    "folder": frozenset({"workspaces", "outputs", "logs"}),
    "lost_as": frozenset(kind.value for kind in LossKind if kind.value),
    "mode": frozenset(Pool.Mode.values),
    "outcome": frozenset({DONE}),
    "purpose": frozenset(Pool.Purpose.values),
    "closed_as": frozenset({"left", "exited", "container_gone", "revoked", "unchecked"})
    | {"node_gone", "idle", "too_long"},
    "scenario": frozenset(StoryName.values),
    "source": frozenset(PublicationSource.values),
    "state": frozenset(VersionState.values),
    "type": frozenset(Authenticator.Type.values),
    "way": frozenset(get_args(AccessMethod)),
}
"""Codes that acts write down as the value of a key."""
NOT_WRITTEN: Final = re.compile(
    r"name|id|params|group_has_\w+|minutes|public_key|reservation|reserved|url|work"
    r"|drain_\w+|hold|unit|request|alarms"
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


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_keys_of_other_pages_have_words(language: str) -> None:
    places = re.findall(r"=> `([\w:.]+)\.\$\{name\}([\w.]*)`", DETAILS.read_text(encoding="utf-8"))
    assert [
        key
        for key in sorted(ELSEWHERE)
        if not any(_word(f"{begin}.{key}{end}", language) for begin, end in places)
    ] == []


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_every_code_that_an_act_writes_down_has_words(language: str) -> None:
    rows = re.findall(r"^  (\w+): \[(.+)\],$", DETAILS.read_text(encoding="utf-8"), re.MULTILINE)
    places = {key: re.findall(r'"([\w:.]+)"', text) for key, text in rows}
    refusals = {code for source in sources(("portal",)) for code in _refusals_of(source)}
    codes = CODES | {"code": CODES["code"] | refusals}
    assert [
        f"{key}: {code}"
        for key, known in codes.items()
        for code in sorted(known)
        if not any(
            _word(f"{place}.{code}", language)
            for place in (f"audit:value.{key}", *places.get(key, ()))
        )
    ] == []


def _word(key: str, language: str) -> str | None:
    """Return the text of a page: `namespace:path.to.it`."""
    space, path = key.split(":")
    (locale,) = PAGES.glob(f"*/{space}/locales/{language}.json")
    found: Any = json.loads(locale.read_text(encoding="utf-8"))
    for step in path.split("."):
        found = found.get(step) if isinstance(found, dict) else None
    return found if isinstance(found, str) else None


def _refusals_of(source: Source) -> Iterator[str]:
    """Yield the codes with which a file refuses what somebody has no right to."""
    for node in ast.walk(source.tree):
        match node:
            case ast.Call(func=ast.Name(id="DeniedError"), args=[ast.Constant(value=str(code))]):
                yield code
            case _:
                pass


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
    """Yield what a file gives as `action` or `open_act`, and all codes of a file that records itself."""
    records = "from portal.audit" in source.text and not source.path.startswith("portal/audit")
    if records:
        yield from _codes(source.tree)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.keyword) and node.arg in {"action", "open_act"}:
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
