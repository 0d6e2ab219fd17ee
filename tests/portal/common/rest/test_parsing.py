"""Strict JSON."""

import gzip
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from portal.common.rest.manifests import ManifestParser
from portal.common.rest.parsing import (
    DEPTH_MAX,
    MalformedError,
    StrictJSONParser,
    TooLargeError,
    UnsupportedEncodingError,
    parse_object,
)
from portal.common.rest.problems import to_problem


def nested(depth: int) -> bytes:
    return b'{"a":' * (depth - 1) + b"{}" + b"}" * (depth - 1)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "body_not_json"),
        (b"null", "body_not_object"),
        (b"[]", "body_not_object"),
        (b'"text"', "body_not_object"),
        (b'{"a": 1,}', "body_not_json"),
        (b'\xef\xbb\xbf\xef\xbb\xbf{"a": 1}', "body_not_json"),
        ('{"a": "泊位"}'.encode("utf-16"), "body_in_other_encoding"),
        ('{"a": "泊位"}'.encode("utf-16-be"), "body_in_other_encoding"),
        ('{"a": "泊位"}'.encode("utf-32"), "body_in_other_encoding"),
        ('{"a": "泊位"}'.encode("gbk"), "body_not_utf8"),
        (b'{"a": 1} {}', "body_not_json"),
        (b'{"a": 1}\x00', "body_not_json"),
        (b"{'a': 1}", "body_not_json"),
        (b'{"a": 01}', "body_not_json"),
        (b'{"a": 1} // why', "body_not_json"),
        (b'{"a": "\t"}', "body_not_json"),
        (b'{"a": "\xff"}', "body_not_utf8"),
        (b'{"a": "\\ud800"}', "body_has_surrogate"),
        (b'{"a": "\\udc00\\ud83d"}', "body_has_surrogate"),
        (b'{"\\ud83d": 1}', "body_has_surrogate"),
        (b'{"a": "\\u0000"}', "body_has_nul"),
        (b'{"a": NaN}', "body_not_json"),
        (b'{"a": -Infinity}', "body_not_json"),
        (b'{"a": 1e400}', "body_not_json"),
        (b'{"a": ' + b"9" * 5000 + b"}", "body_not_json"),
        (b'{"a": 1, "a": 2}', "body_duplicate_key"),
        (b'{"b": {"a": 1, "a": 2}}', "body_duplicate_key"),
        (nested(DEPTH_MAX + 1), "body_too_deep"),
        (b"[" * 100_000, "body_too_deep"),
        (b'{"a": "' + b'\\"' * 50_000, "body_not_json"),
    ],
)
def test_doubtful_bodies_are_refused(body: bytes, code: str) -> None:
    with pytest.raises(MalformedError) as caught:
        parse_object(body)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("body", "line", "column"),
    [
        (b'{"a": 1,}', 1, 9),
        (b'\xef\xbb\xbf{"a": 1,}', 1, 9),
        (b'{\n  "a": 1\n  "b": 2\n}', 3, 3),
        ('{\r\n "泊": "位",\r\n "b": }'.encode(), 3, 7),
        (b'{"a": 1}\n{', 2, 1),
        (b"", 1, 1),
        (b'{"NaN": "NaN \\" NaN",\n "b": NaN}', 2, 7),
        (b'{"a": [1, -Infinity]}', 1, 11),
        (b'{"a": "1e999",\n "b": 1e999}', 2, 7),
        (b'{"a": ' + b"7" * 301 + b"}", 1, 7),
        (b'{"a": "x",\n "b": "\xff"}', 2, 8),
        (b'{"a": {"b": 1, "c": 2},\n "d": [{"b": 1, "\\u0062": 2}]}', 2, 17),
        (b'{"a": "b", "b": ["b", "b"], "c": {"b": 1}, "b": 2}', 1, 44),
        (b'{"": 1, "": 2, ', 1, 16),
    ],
)
def test_a_fault_has_its_place(body: bytes, line: int, column: int) -> None:
    with pytest.raises(MalformedError) as caught:
        parse_object(body)
    assert caught.value.params == {"line": line, "column": column}


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, VALUES), st.booleans())
def test_what_is_written_is_read_with_a_mark_and_without(
    body: dict[str, Any], ascii_: bool
) -> None:
    written = json.dumps(body, ensure_ascii=ascii_)
    assert parse_object(written.encode()) == parse_object(written.encode("utf-8-sig")) == body


@given(st.lists(st.sampled_from(["a", "b", '"', "\\u0061", "{"]), max_size=6), VALUES)
def test_a_name_that_comes_again_is_found_wherever_it_stands(names: list[str], value: Any) -> None:
    pairs = ", ".join(f"{json.dumps(name)}:\n{json.dumps(value)}" for name in names)
    body = f'{{"x": [{{}}, {{{pairs}}}]}}'.encode()
    if len(set(names)) == len(names):
        assert parse_object(body)
        return
    with pytest.raises(MalformedError) as caught:
        parse_object(body)
    again = next(at for at, name in enumerate(names) if name in names[:at])
    assert (caught.value.code, caught.value.params["line"]) == ("body_duplicate_key", again + 1)


@pytest.mark.parametrize(
    "encodings", ["gzip", "GZIP", "deflate", "br, identity", "identity, zstd", "x"]
)
@pytest.mark.parametrize("parser", [StrictJSONParser(), ManifestParser()])
def test_encoded_bodies_are_refused_by_what_they_say(parser: BaseParser, encodings: str) -> None:
    context = {
        "request": Request(APIRequestFactory().post("/", headers={"Content-Encoding": encodings}))
    }
    with pytest.raises(UnsupportedEncodingError) as caught:
        parser.parse(io.BytesIO(gzip.compress(b"{}")), parser.media_type, context)
    problem = to_problem(caught.value)
    assert problem
    assert (problem.status, problem.headers) == (415, (("Accept-Encoding", "identity"),))
    assert problem.params == {"encoding": encodings, "supported": "identity"}


@pytest.mark.parametrize(
    "media_type",
    [
        "application/json",
        "APPLICATION/JSON; Charset=UTF-8",
        'application/json;charset="utf8"',
        "application/json; version=1; charset=us-ascii",
    ],
)
def test_media_types_of_utf8_are_taken(media_type: str) -> None:
    context = {"request": Request(APIRequestFactory().post("/", headers={"Content-Encoding": ""}))}
    assert StrictJSONParser().parse(io.BytesIO(b'{"a": 1}'), media_type, context) == {"a": 1}


@pytest.mark.parametrize("parser", [StrictJSONParser(), ManifestParser()])
@pytest.mark.parametrize("charset", ["utf-16", "gbk", "x; y=1", "latin-1"])
def test_other_charsets_are_refused_wherever_they_stand(parser: BaseParser, charset: str) -> None:
    with pytest.raises(UnsupportedMediaType):
        parser.parse(io.BytesIO(b"{}"), f"{parser.media_type}; v=1; charset={charset}")


def test_ordinary_bodies_pass_unchanged() -> None:
    body = {
        "a": [1, -2, 2**53 + 1, 1.5, True, None],
        "b": {"泊位": "号\u00e9\U0001f600"},
        "c": "[{",
    }
    assert parse_object(json.dumps(body).encode()) == body
    assert parse_object(json.dumps(body, ensure_ascii=False).encode()) == body
    assert parse_object(nested(DEPTH_MAX))
    assert parse_object(b'{"a": "\\\\u0000"}') == {"a": "\\u0000"}


def test_limit_is_exact_and_other_charsets_are_refused() -> None:
    limit = 256 * 1024
    parser = StrictJSONParser()
    exact = b'{"a":"' + b"x" * (limit - 8) + b'"}'
    assert parser.parse(io.BytesIO(exact), "application/json; charset=UTF-8")
    with pytest.raises(TooLargeError):
        parser.parse(io.BytesIO(exact + b" "), "application/json")
    with pytest.raises(UnsupportedMediaType):
        parser.parse(io.BytesIO(b"{}"), "application/json; charset=utf-16")
