"""Strict JSON: bodies that two parsers could read differently are refused."""

import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any, NoReturn

from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from typing_extensions import override

from portal.common.errors import DomainError
from portal.common.site_config import get_site_config

DEPTH_MAX = 32
"""Levels of nesting of a body."""
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
"""A JSON string, or an unterminated one up to the end: it always matches, so it is linear."""


class MalformedError(DomainError):
    """The body is not JSON as the platform accepts it; `code` names the fault."""

    status = 400


class TooLargeError(DomainError):
    """The body is larger than the limit of the API."""

    status = 413


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
        """Return the body as an object; raises `MalformedError` or `TooLargeError`."""
        _require_utf8(media_type or "")
        limit: int = get_site_config().request_body_max
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise TooLargeError("body_too_large", limit=limit)
        return parse_object(body)


def parse_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object in `body`; raise `MalformedError` for anything else."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedError("body_not_utf8") from error
    if _deepest(text) > DEPTH_MAX:
        raise MalformedError("body_too_deep", limit=DEPTH_MAX)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_without_duplicates,
            parse_constant=_refuse_constant,
            parse_float=_finite,
        )
    except ValueError as error:
        raise MalformedError("body_not_json") from error
    if not isinstance(value, dict):
        raise MalformedError("body_not_object")
    _require_storable_text(text, value)
    return value


def _require_utf8(media_type: str) -> None:
    _, _, parameters = media_type.partition(";")
    name, _, charset = parameters.strip().partition("=")
    if name.strip().lower() == "charset" and charset.strip(' "').lower() not in ("utf-8", "utf8"):
        raise UnsupportedMediaType(media_type)


def _deepest(text: str) -> int:
    """Return the nesting depth without recursion, so that depth cannot exhaust the stack."""
    brackets = _STRING.sub("", text)
    steps = (1 if char in "[{" else -1 for char in brackets if char in "[]{}")
    return max(itertools.accumulate(steps), default=0)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise MalformedError("body_duplicate_key")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedError("body_not_json", found=name)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise MalformedError("body_not_json", found=digits[:32])
    return value


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
            raise MalformedError("body_not_utf8") from error


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
