"""Strict JSON: bodies that two parsers could read differently are refused."""

import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import IO, Any, Final, NoReturn

from django.utils.http import parse_header_parameters
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from typing_extensions import override

from portal.common.errors import DomainError
from portal.common.site_config import get_site_config

DEPTH_MAX = 32
"""Levels of nesting of a body."""
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
"""A JSON string, or an unterminated one up to the end: it always matches, so it is linear."""
_TOKEN = re.compile(rf"{_STRING.pattern}|[{{}}\[\],:]", re.DOTALL)
_MARK: Final = "\ufeff"
_CHARSETS: Final = ("utf-8", "utf8", "us-ascii")
IDENTITY: Final = "identity"
"""The one `Content-Encoding` of a body: none."""
DIGITS_MAX = 300
"""Digits of a number: one with more could stand for nothing here."""


class MalformedError(DomainError):
    """The body is not JSON as the platform accepts it; `code` names the fault."""

    status = 400


class TooLargeError(DomainError):
    """The body is larger than the limit of the API."""

    status = 413


class UnsupportedEncodingError(DomainError):
    """The body is compressed, which nothing here undoes."""

    status = 415
    headers = (("Accept-Encoding", IDENTITY),)


class StrictJSONParser(BaseParser):
    """Parse UTF-8 JSON objects within size and depth limits."""

    media_type = "application/json"

    @override
    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the body as an object.

        Raises:
            MalformedError: it is not JSON as the platform accepts it.
            TooLargeError: it is larger than the limit.
            UnsupportedEncodingError: it is compressed.
        """
        return parse_object(read_body(stream, media_type, parser_context, request_body_max()))


def request_body_max() -> int:
    """Return the largest body that the API takes, in bytes."""
    return get_site_config().request_body_max


def read_body(
    stream: IO[Any],
    media_type: str | None,
    parser_context: Mapping[str, Any] | None,
    limit: int,
) -> bytes:
    """Return the bytes of a body that says nothing but UTF-8 of itself, within the limit."""
    _require_utf8(media_type or "")
    if parser_context:
        require_identity(parser_context["request"].META.get("HTTP_CONTENT_ENCODING", ""))
    body: bytes = stream.read(limit + 1)
    if len(body) > limit:
        raise TooLargeError("body_too_large", limit=limit)
    return body


def require_identity(encodings: str) -> None:
    """Refuse what a `Content-Encoding` names, unless it is nothing."""
    named = [each.strip() for each in encodings.split(",")]
    if any(each.lower() not in ("", IDENTITY) for each in named):
        raise UnsupportedEncodingError(
            "encoding_unsupported", encoding=", ".join(named)[:63], supported=IDENTITY
        )


def decode_body(body: bytes) -> str:
    """Return a body as text, without the byte order mark that some programs write before it."""
    encoding = json.detect_encoding(body)
    if not encoding.startswith("utf-8"):
        raise MalformedError("body_in_other_encoding", encoding=encoding.upper())
    try:
        return body.decode().removeprefix(_MARK)
    except UnicodeDecodeError as error:
        before = body[: error.start].decode()
        raise MalformedError("body_not_utf8", **place_of(before, len(before))) from error


def place_of(text: str, offset: int) -> dict[str, int]:
    """Return line and column of a character, as refusals name them."""
    return {"line": text.count("\n", 0, offset) + 1, "column": offset - text.rfind("\n", 0, offset)}


def parse_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object in `body`; raise `MalformedError` for anything else."""
    text = decode_body(body)
    if _deepest(text) > DEPTH_MAX:
        raise MalformedError("body_too_deep", limit=DEPTH_MAX)
    try:
        value = json.loads(
            text,
            object_pairs_hook=partial(_without_duplicates, text),
            parse_constant=partial(_refuse_number, text),
            parse_float=partial(_finite, text),
            parse_int=partial(_integer, text),
        )
    except json.JSONDecodeError as error:
        raise MalformedError("body_not_json", line=error.lineno, column=error.colno) from error
    if not isinstance(value, dict):
        raise MalformedError("body_not_object")
    _require_storable_text(text, value)
    return value


def _require_utf8(media_type: str) -> None:
    try:
        _, parameters = parse_header_parameters(media_type)
    except ValueError as error:
        raise UnsupportedMediaType(media_type) from error
    if parameters.get("charset", "utf-8").lower() not in _CHARSETS:
        raise UnsupportedMediaType(media_type)


def _deepest(text: str) -> int:
    """Return the nesting depth without recursion, so that depth cannot exhaust the stack."""
    brackets = _STRING.sub("", text)
    steps = (1 if char in "[{" else -1 for char in brackets if char in "[]{}")
    return max(itertools.accumulate(steps), default=0)


def _without_duplicates(text: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise MalformedError("body_duplicate_key", **_second_place(text))
    return found


def _second_place(text: str) -> dict[str, int]:
    """Return where the first name stands that its object has twice."""
    around: list[set[str] | None] = []
    before = ""
    for token in _TOKEN.finditer(text):
        said = token[0]
        if said in "{[":
            around.append(set() if said == "{" else None)
        elif said in "}]":
            around.pop()
        elif said[0] == '"' and before in "{," and (names := around[-1]) is not None:
            if (name := json.loads(said)) in names:
                return place_of(text, token.start())
            names.add(name)
        before = said
    return place_of(text, 0)


def _refuse_number(text: str, digits: str) -> NoReturn:
    """Refuse a number that not every reader takes for the same."""
    plain = _STRING.sub(lambda found: " " * len(found[0]), text)
    raise MalformedError("body_not_json", **place_of(text, plain.find(digits)))


def _finite(text: str, digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        _refuse_number(text, digits)
    return value


def _integer(text: str, digits: str) -> int:
    if len(digits) > DIGITS_MAX:
        _refuse_number(text, digits)
    return int(digits)


def _require_storable_text(text: str, value: dict[str, Any]) -> None:
    """Refuse NUL and lone surrogates, which only escapes can contain and PostgreSQL cannot store."""
    if "\\u" in text:
        require_storable_texts(value)


def require_storable_texts(value: dict[str, Any]) -> None:
    """Refuse NUL and lone surrogates anywhere in a body."""
    for found in _texts(value):
        if "\x00" in found:
            raise MalformedError("body_has_nul")
        try:
            found.encode("utf-8")
        except UnicodeEncodeError as error:
            raise MalformedError("body_has_surrogate") from error


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
