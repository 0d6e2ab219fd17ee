"""Problem documents from applications that are not Django views."""

import json
from typing import Final

from django.utils.translation.trans_real import parse_accept_lang_header

from portal.common.asgi.types import Header, Scope, Send, get_header, raw_path, send_response
from portal.common.ids import new_id
from portal.common.rest.problems import MEDIA_TYPE, Problem, describe

SEALED: Final[Header] = (
    b"content-security-policy",
    b"sandbox; default-src 'none'; frame-ancestors 'none'",
)
"""Of a document without scripts: the page that frames one of its origin could act through it, past its own policy."""
_TAGS: Final = {"en": "en", "zh": "zh-CN"}


async def send_problem(scope: Scope, send: Send, problem: Problem) -> None:
    """Send a problem document in the client's language; caches must not store it."""
    headers, body = encode_problem(problem, scope)
    await send_response(scope, send, problem.status, headers, body)


def encode_problem(problem: Problem, scope: Scope) -> tuple[list[Header], bytes]:
    """Return headers and body of a problem document; of the scope only headers and path count."""
    language, request_id = preferred_language(scope), str(new_id())
    document = describe(problem, language, raw_path(scope), request_id)
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-language", language.encode()),
        (b"cache-control", b"no-store"),
        SEALED,
        (b"x-content-type-options", b"nosniff"),
        (b"x-request-id", request_id.encode()),
        *((name.lower().encode(), value.encode()) for name, value in problem.headers),
    ]
    return headers, json.dumps(document).encode()


def preferred_language(scope: Scope) -> str:
    """Return the catalogue language that `Accept-Language` ranks first; English by default."""
    for tag, _ in parse_accept_lang_header(get_header(scope, b"accept-language")):
        if language := _TAGS.get(tag.partition("-")[0]):
            return language
    return "en"
