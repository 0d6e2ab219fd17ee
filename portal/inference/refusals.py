"""what clients are answered when a request is not answered by a replica, in the shape that they read."""

import math
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from portal.common.asgi.problems import encode_problem, preferred_language
from portal.common.asgi.types import Header, Scope
from portal.common.rest.problems import Problem
from portal.common.translations import translate
from portal.serving_usage.routes import Protocol

_TYPES: Final = {429: "rate_limit_error"}
"""Types of OpenAI's errors by status; others are named by the hundred."""
_SERVER_ERRORS: Final = 500


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer of the gateway itself; its code has a sentence in `locales`."""

    status: int
    code: str
    params: dict[str, Any] = field(default_factory=dict)
    retry_after_s: float | None = None


def encode_refusal(
    refusal: Refusal, protocol: Protocol, scope: Scope
) -> tuple[list[Header], bytes]:
    """Return headers and body: an error as OpenAI words it, else a problem document."""
    retry = refusal.retry_after_s
    extra = [] if retry is None else [("Retry-After", str(max(1, math.ceil(retry))))]
    if refusal.status == 401:
        extra.append(("WWW-Authenticate", "Bearer"))
    problem = Problem(refusal.status, refusal.code, refusal.params, headers=tuple(extra))
    headers, document = encode_problem(problem, scope)
    if protocol is Protocol.OPENAI:
        kept = [each for each in headers if each[0] != b"content-type"]
        headers = [(b"content-type", b"application/json"), *kept]
        document = orjson.dumps(_openai_error(refusal, scope))
    return [*headers, (b"content-length", str(len(document)).encode())], document


def encode_error_event(refusal: Refusal, protocol: Protocol, scope: Scope) -> bytes:
    """Return the event that ends a stream which began and cannot continue."""
    if protocol is Protocol.OPENAI:
        data = orjson.dumps(_openai_error(refusal, scope))
    else:
        _, data = encode_problem(Problem(refusal.status, refusal.code, refusal.params), scope)
    return b"event: error\ndata: " + data + b"\n\n"


def _openai_error(refusal: Refusal, scope: Scope) -> dict[str, Any]:
    kind = "server_error" if refusal.status >= _SERVER_ERRORS else "invalid_request_error"
    message = translate(preferred_language(scope), refusal.code, refusal.params)
    return {
        "error": {
            "message": message,
            "type": _TYPES.get(refusal.status, kind),
            "param": None,
            "code": refusal.code,
        }
    }
