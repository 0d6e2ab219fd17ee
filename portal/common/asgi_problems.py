"""Problem documents from applications that are not Django views."""

import json
from typing import Final

from django.utils.translation.trans_real import parse_accept_lang_header

from portal.common.asgi import Scope, Send, answer, header, path
from portal.common.ids import new_id
from portal.common.problems import MEDIA_TYPE, Problem, problem_document

_TAGS: Final = {"en": "en", "zh": "zh-CN"}


async def answer_problem(scope: Scope, send: Send, problem: Problem) -> None:
    """Answer with a problem document in the reader's language; no cache may keep it."""
    language, request_id = preferred_language(scope), str(new_id())
    document = problem_document(problem, language, path(scope), request_id)
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-language", language.encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-request-id", request_id.encode()),
        *((name.lower().encode(), value.encode()) for name, value in problem.headers),
    ]
    await answer(scope, send, problem.status, headers, json.dumps(document).encode())


def preferred_language(scope: Scope) -> str:
    """Return the catalogue language that `Accept-Language` ranks first; English by default."""
    for tag, _ in parse_accept_lang_header(header(scope, b"accept-language")):
        if language := _TAGS.get(tag.partition("-")[0]):
            return language
    return "en"
