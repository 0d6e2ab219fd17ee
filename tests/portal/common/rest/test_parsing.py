"""Strict JSON."""

import io
import json

import pytest
from rest_framework.exceptions import UnsupportedMediaType

from portal.common.rest.parsing import (
    DEPTH_MAX,
    MalformedError,
    StrictJSONParser,
    TooLargeError,
    parse_object,
)


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
        (b'\xef\xbb\xbf{"a": 1}', "body_not_json"),
        (b'{"a": "\xff"}', "body_not_utf8"),
        (b'{"a": "\\ud800"}', "body_not_utf8"),
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
