"""Tags of answers: nobody is sent again what they have, or writes over what they have not read.

The tag of a resource is weak, `W/"<version>-<digest>"`, or without a version `W/"<digest>"`: answers are compressed
on the way. A write compares only the version, so it is refused for changes of the settings and for nothing else.
"""

import re
from collections.abc import Mapping
from functools import partial
from hashlib import blake2b
from typing import Any, ClassVar, Final

from django.http import HttpResponse, HttpResponseBase
from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.response import Response

from portal.common.errors import DomainError

TAGGED_BYTES_MAX: Final = 64 * 1024
"""Bytes of an answer that gets a tag; larger ones are charts and long lists."""
CACHED: Final = "private, no-cache"
"""Kept by the browser of one person, and asked for again each time."""
IF_MATCH: Final = "If-Match"
IF_NONE_MATCH: Final = "If-None-Match"
_DIGEST_BYTES: Final = 12
_VERSION: Final = re.compile(r'(?:W/)?"([0-9]{1,16})(?:-[0-9a-f]+)?"')


class PreconditionError(DomainError):
    """What the request is conditional on does not hold."""

    status: ClassVar[int] = 412


def tag_of(content: bytes, version: int | None) -> str:
    """Return the tag of an answer with this content, of a resource with this version."""
    digest = blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()
    return f'W/"{digest}"' if version is None else f'W/"{version}-{digest}"'


def matches(given: str, tag: str) -> bool:
    """Return whether a list of tags, or `*`, has a tag; weak and strong ones count as equal (RFC 9110, 8.8.3.2)."""
    tags = parse_etags(given)
    return tags == ["*"] or any(_plain(each) == _plain(tag) for each in tags)


def tag_answer(request: Request, response: Response) -> None:
    """Have an answer to `GET` tagged once it is written, and replaced by 304 if the client has it."""
    data = response.data
    is_resource = isinstance(data, Mapping) and "results" not in data
    if request.method in ("GET", "HEAD") and response.status_code == 200 and is_resource:
        version = data.get("version")
        known = version if type(version) is int else None
        response.add_post_render_callback(partial(_tag, request, known))


def read_if_match(request: Request) -> int | None:
    """Return the version that a write is conditional on; None if it is on none, or on any.

    Raises:
        PreconditionError: it is no tag of one version.
    """
    given = request.headers.get(IF_MATCH, "*").strip()
    if given == "*":
        return None
    found = _VERSION.fullmatch(given)
    if found is None:
        raise PreconditionError("if_match_unknown")
    return int(found[1])


def _tag(request: Request, version: int | None, response: Any) -> HttpResponseBase | None:
    if len(response.content) > TAGGED_BYTES_MAX:
        return None
    tag = tag_of(response.content, version)
    headers = {"ETag": tag}
    if version is not None:
        headers["Cache-Control"] = CACHED
    if not matches(request.headers.get(IF_NONE_MATCH, ""), tag):
        for name, value in headers.items():
            response[name] = value
        return None
    unchanged = HttpResponse(status=304, headers=headers)
    del unchanged["Content-Type"]
    return unchanged


def _plain(tag: str) -> str:
    return tag.removeprefix("W/")
