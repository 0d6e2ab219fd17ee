"""The same `Idempotency-Key` never acts twice: the first response is stored and repeated.

Key, effect and response commit in one transaction. A second request with the key waits for the
first on the unique index, so that a double click, a retry and a race all end the same way.
"""

import functools
import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Concatenate, Final, ParamSpec, TypeVar
from uuid import UUID

from django.db import connection, transaction
from django.http import HttpResponse
from rest_framework.response import Response

from portal.common.clock import now
from portal.common.errors import DomainError, InvalidError
from portal.common.models import IdempotencyRecord
from portal.common.rest.rendering import OrjsonRenderer
from portal.common.rest.views import ApiRequest

HEADER = "Idempotency-Key"
KEY_LENGTH_MAX = 200
"""Characters of an `Idempotency-Key`."""
RETENTION = timedelta(hours=24)
"""How long an answer is repeated to the same `Idempotency-Key`."""
_BEGIN: Final = """
INSERT INTO common_idempotencyrecord (user_id, key, request_hash, status, body, created_at)
VALUES (%s, %s, %s, 0, '{}', %s) ON CONFLICT (user_id, key) DO NOTHING RETURNING id
"""
_FINISH: Final = "UPDATE common_idempotencyrecord SET status = %s, body = %s WHERE id = %s"
_KEPT_HEADERS = ("Location",)

P = ParamSpec("P")
V = TypeVar("V")
View = Callable[Concatenate[V, ApiRequest, P], Response]
OnceView = Callable[Concatenate[V, ApiRequest, P], HttpResponse]


class BadIdempotencyKeyError(DomainError):
    """The key is empty, too long or not printable ASCII."""

    status = 400


def idempotent(view: View[V, P]) -> OnceView[V, P]:
    """Decorate a view method that creates something to honour the `Idempotency-Key` header."""

    @functools.wraps(view)
    def once(self: V, request: ApiRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        key = request.headers.get(HEADER)
        if key is None or request.actor.user_id is None:
            return view(self, request, *args, **kwargs)
        return _once(
            _valid(key),
            request.actor.user_id,
            _digest(request),
            lambda: view(self, request, *args, **kwargs),
        )

    return once


def delete_expired_responses() -> int:
    """Delete responses older than a day and return how many there were."""
    deleted, _ = IdempotencyRecord.objects.filter(created_at__lt=now() - RETENTION).delete()
    return deleted


@transaction.atomic
def _once(key: str, user_id: UUID, digest: str, act: Callable[[], Response]) -> HttpResponse:
    with connection.cursor() as cursor:
        # Waits here while another request with the same key has not yet committed.
        cursor.execute(_BEGIN, [user_id, key, digest, now()])
        begun = cursor.fetchone()
        if begun is None:
            return _repeated(IdempotencyRecord.objects.get(user_id=user_id, key=key), digest)
        response = act()
        data = OrjsonRenderer().render(response.data)
        headers = {name: response[name] for name in _KEPT_HEADERS if name in response}
        body = f'{{"data": {data.decode() or "null"}, "headers": {json.dumps(headers)}}}'
        cursor.execute(_FINISH, [response.status_code, body, *begun])
    return _rendered(response, data)


def _rendered(response: Response, data: bytes) -> HttpResponse:
    """Return the response with its JSON, so that it is not written a second time."""
    headers = {name: value for name, value in response.items() if name != "Content-Type"}
    if data:
        headers["Content-Type"] = OrjsonRenderer.media_type
    return HttpResponse(data, status=response.status_code, headers=headers)


def _valid(key: str) -> str:
    if not 1 <= len(key) <= KEY_LENGTH_MAX or not (key.isascii() and key.isprintable()):
        raise BadIdempotencyKeyError("bad_idempotency_key", limit=KEY_LENGTH_MAX)
    return key


def _digest(request: ApiRequest) -> str:
    """Return a hash of method, path and body, whatever the order of its fields."""
    body: Any = request.data
    asked = [request.method, request.path, body]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def _repeated(record: IdempotencyRecord, digest: str) -> Response:
    if record.request_hash != digest:
        raise InvalidError("idempotency_mismatch")
    headers = {**record.body["headers"], "Idempotent-Replayed": "true"}
    return Response(record.body["data"], status=record.status, headers=headers)
