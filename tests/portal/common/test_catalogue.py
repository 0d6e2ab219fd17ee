"""Both languages say the same things."""

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.common.translations import LANGUAGES, load_messages, translate
from scheduler.core.model.reasons import ReasonCode

INTERNAL = {"PlacementRefusedError", "EvictionRefusedError", "StudyFailedError", "LdapError"}
"""Refusals from one part of the platform to another; no answer carries them. Why a study
or the reading of a directory failed is kept with it, and the pages have the words."""

PORTAL = Path(__file__).resolve().parents[3] / "portal"


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def raised_codes() -> Iterator[str]:
    """Yield every literal code that the portal raises or answers with."""
    for file in PORTAL.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and (code := _code_of(node)):
                yield code


def _code_of(call: ast.Call) -> str | None:
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    if name in INTERNAL:
        return None
    position = {"Problem": 1, "FieldFault": 0}.get(name, 0 if name.endswith("Error") else None)
    if position is None or len(call.args) <= position:
        return None
    argument = call.args[position]
    if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
        return None
    prefix = {"FieldFault": "field.", "NotFoundError": "what."}.get(name, "")
    is_code = re.fullmatch(r"[a-z][a-z_]+", argument.value)
    return f"{prefix}{argument.value}" if is_code else None


def test_languages_have_the_same_codes_and_parameters() -> None:
    english, chinese = (load_messages(language) for language in LANGUAGES)
    assert set(english) == set(chinese)
    for code, text in english.items():
        assert placeholders(text) == placeholders(chinese[code]), code


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_that_is_raised_has_a_sentence(language: str) -> None:
    codes = set(raised_codes())
    assert "not_authenticated" in load_messages(language)
    assert len(codes) > 20
    assert sorted(code for code in codes if not _is_worded(language, code)) == []


def _is_worded(language: str, code: str) -> bool:
    return bool({code, f"reason.{code}"} & load_messages(language).keys())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_is_worded_once(language: str) -> None:
    sentences = load_messages(language)
    reasons = {code.value for code in ReasonCode}

    assert {name for name in reasons if f"reason.{name}" not in sentences} == set()
    assert reasons & sentences.keys() == set()
    worded = {name.removeprefix("reason.") for name in sentences if name.startswith("reason.")}
    assert {
        name for name in worded if name.removesuffix("_never").removesuffix("_own") not in reasons
    } == set()


def test_parameters_that_are_codes_are_translated() -> None:
    assert translate("zh-CN", "not_found", {"what": "pool"}).startswith("资源池")
    assert translate("en", "too_many_requests", {}) == "Too many requests. Try again in {wait_s}."
    assert translate("en", "time_limit_too_long", {"max": 93_600}).endswith(
        "for at most 1 d 2 h here."
    )
    assert "4 分钟" in translate("zh-CN", "bound_below_grace", {"min": 240})
    assert translate("en", "no_such_code", {"a": 1}) == "no_such_code"


AMOUNT = re.compile(r"_(min|s|mib)$|(^|_)(minutes|seconds|bytes)$")
"""Names of parameters that count something of which people say it in larger units."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_say_what_their_amounts_are(language: str) -> None:
    bare = [
        f"{code}: {name}"
        for code, text in load_messages(language).items()
        for _, name, spec, _ in string.Formatter().parse(text)
        if name and AMOUNT.search(name) and not spec and not code.startswith("reason.")
    ]
    assert bare == []


@pytest.mark.parametrize(
    ("code", "params", "english", "chinese"),
    [
        ("storage_too_small", {"free_mib": 512}, "only 512 MiB left", "只剩 512 MiB"),
        ("storage_too_small", {"free_mib": 6144}, "only 6.0 GiB left", "只剩 6.0 GiB"),
        ("secret_size", {"max": 65_536}, "1 to 64 KiB long", "1 到 64 KiB"),
        ("range_not_there", {"size": 312}, "has 312 B;", "共 312 B"),
        ("range_not_there", {"size": 4608}, "has 4.5 KiB;", "共 4.5 KiB"),
        (
            "changed_by_another",
            {"who": "li.wei", "changed_at": 1_800_000_000_000},
            "by li.wei at 2027-01-15 08:00 UTC.",
            "li.wei 已于 2027-01-15 08:00 UTC 修改",
        ),
    ],
)
def test_amounts_are_written_in_units_that_fit(
    code: str, params: dict[str, object], english: str, chinese: str
) -> None:
    assert english in translate("en", code, params)
    assert chinese in translate("zh-CN", code, params)


BESIDE_HAN = re.compile(r"[\u4e00-\u9fff”）}][,;:!?](?=[\u4e00-\u9fff“{])|[\u4e00-\u9fff][,;!?]")
"""Punctuation of half a width beside a Han character."""


def test_chinese_sentences_have_chinese_punctuation() -> None:
    files = [*PORTAL.rglob("zh-CN.json"), *PORTAL.parent.glob("frontend/src/**/zh-CN.json")]
    wrong = [
        f"{file.parent.parent.name}: {line.strip()}"
        for file in files
        for line in file.read_text(encoding="utf-8").splitlines()
        if BESIDE_HAN.search(line)
    ]
    assert not wrong
