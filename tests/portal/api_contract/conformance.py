"""Requests that are made from the OpenAPI document, whose answers are held to it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks

from portal.common.redis_client import get_redis_client
from portal.common.rest.live_schema import path_of
from portal.config.live_routes import LIVE_ENDPOINTS

LIVE_PATHS: Final = frozenset(map(path_of, LIVE_ENDPOINTS))
"""What the live process answers; the web process does all others."""
_CHECKS_OF_ANY: Final = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
_CHECKS: Final = [*_CHECKS_OF_ANY, checks.negative_data_rejection]
_REFUSED_AS_A_WHOLE: Final = {
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    HTTPStatus.REQUEST_URI_TOO_LONG,
    HTTPStatus.PRECONDITION_FAILED,
    HTTPStatus.METHOD_NOT_ALLOWED,
}
"""What is too large, or of another protocol, is refused before anything in it is looked at."""
schemathesis.serializer.alias(
    ["application/x-tar", "application/offset+octet-stream"], "application/octet-stream"
)
_THE_SAME_EVERY_TIME: Final = settings(
    max_examples=2,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@dataclass
class Requests:
    """Sends some requests to each operation of a document; `answers` counts their statuses."""

    document: Mapping[str, Any]
    known: Mapping[str, str]
    """What stands for names in paths and bodies; `token` is the caller's."""
    app: Any = None
    """WSGI application that answers; None is a server at `url`."""
    url: str | None = None
    answers: Counter[int] = field(default_factory=Counter)

    def send(self, *, are_live: bool) -> None:
        """Send to every operation of the live process, or of the web process."""
        schema = schemathesis.openapi.from_dict(dict(self.document))
        schema.app = self.app
        for result in schema.get_all_operations():
            assert isinstance(result, Ok), result
            operation = result.ok()
            if (operation.path in LIVE_PATHS) != are_live:
                continue
            self._send_some(operation, GenerationMode.POSITIVE)
            if operation.query or operation.body:
                self._send_some(operation, GenerationMode.NEGATIVE)

    def _send_some(self, operation: Any, mode: GenerationMode) -> None:
        """Send a few requests of one kind to one operation, and hold each answer to the document."""
        own = self._known_in(operation.path)

        @given(case=operation.as_strategy(generation_mode=mode, path_parameters=own or None))
        @_THE_SAME_EVERY_TIME
        def send(case: Any) -> None:
            get_redis_client().flushdb()
            for part in (case.body, case.query):
                if mode is GenerationMode.POSITIVE and isinstance(part, dict):
                    part.update({name: self.known[name] for name in part if name in self.known})
            # This transport reads no compressed answers.
            headers = {
                "Authorization": f"Bearer {self.known['token']}",
                "Accept-Encoding": "identity",
            }
            answer = case.call(headers=headers, **({"base_url": self.url} if self.url else {}))
            self.answers[answer.status_code] += 1
            is_read = answer.status_code not in _REFUSED_AS_A_WHOLE
            case.validate_response(answer, checks=_CHECKS if is_read else _CHECKS_OF_ANY)

        send()

    def _known_in(self, path: str) -> dict[str, str]:
        """Return what stands for the names in a path; what only some paths have is known with their first word."""
        steps = path.split("/")
        names = [step[1:-1] for step in steps if step.startswith("{")]
        found = {
            name: self.known.get(f"{steps[3]} {name}") or self.known.get(name) for name in names
        }
        return {name: value for name, value in found.items() if value}
