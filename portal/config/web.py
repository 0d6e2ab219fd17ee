"""Configuration of gunicorn, the server of the web process: `-c python:portal.config.web`.

Only the live process connects to it. Heads may be larger than those that the live process lets
through, so that its refusals are the only ones. Idle connections are closed by the live process:
if the server did it, it could close one that has just got a request. For the same reason a body that
an answer left unread is read to its end: gunicorn closes behind more than 64 KiB of it.
"""

from contextlib import suppress
from typing import Any, Final

UNREAD_MAX: Final = 1024 * 1024
"""Bytes of a body that are read after its answer; the live process passes no larger ones on."""
_PIECE: Final = 64 * 1024

wsgi_app = "portal.config.wsgi:application"
preload_app = True
worker_class = "gthread"
workers = 2
threads = 8
keepalive = 75
limit_request_line = 8190
limit_request_fields = 300
limit_request_field_size = 72 * 1024
control_socket_disable = True


def post_request(_worker: Any, request: Any) -> None:
    """Read what is left of a body: the next request on the connection begins behind it."""
    with suppress(OSError):  # the connection has ended
        for _ in range(UNREAD_MAX // _PIECE + 1):
            if not request.body.read(_PIECE):
                break
