"""Requests to the API server of a Kubernetes cluster; each ends within a time-out."""

import json
import ssl
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol
from urllib.parse import urlencode

import urllib3

from portal.foreign.errors import RoundFailedError
from portal.kubernetes.access import ClusterAccess

CONNECT_S: Final = 10
"""Longest time until an API server takes a connection."""
READ_S: Final = 30
"""Longest time between two parts of an answer."""
ANSWER_MAX: Final = 256 * 1024 * 1024
"""Bytes of an answer."""
JSON: Final = "application/json"
MERGE: Final = "application/merge-patch+json"


@dataclass(frozen=True, slots=True)
class KubeRequest:
    """A request; `body` is sent as JSON."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    type: str = JSON


@dataclass(frozen=True, slots=True)
class KubeAnswer:
    """What was answered."""

    status: int
    data: bytes

    def json(self) -> dict[str, Any]:
        """Return the object of an answer; raises `KubeError`."""
        try:
            found = json.loads(self.data)
        except ValueError as error:
            raise KubeError("the answer is no object", self.status) from error
        if not isinstance(found, dict):
            raise KubeError("the answer is no object", self.status)
        return found


class KubeError(RoundFailedError):
    """The API server was not reached, or did not do what it was asked for; status 0: nothing was heard."""

    def __init__(self, text: str, status: int = 0) -> None:
        """`text` is shown to operators."""
        super().__init__(text[:2000])
        self.status = status


class Api(Protocol):
    """Sends requests to an API server; a port."""

    def send(self, request: KubeRequest) -> KubeAnswer:
        """Return the answer, whatever its status; raises `KubeError` when there is none."""


class HttpApi:
    """An API server over https."""

    def __init__(self, access: ClusterAccess) -> None:
        """Open nothing yet."""
        if not access.verifies:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        self._server = access.server
        self._headers = {"Accept": JSON, "User-Agent": "berth"}
        if access.token:
            self._headers["Authorization"] = f"Bearer {access.token}"
        self._pool = urllib3.PoolManager(
            ssl_context=_context(access),
            assert_hostname=None if access.verifies else False,
            timeout=urllib3.Timeout(connect=CONNECT_S, read=READ_S),
            retries=False,
        )

    def send(self, request: KubeRequest) -> KubeAnswer:
        """Return the answer, whatever its status; raises `KubeError` when there is none."""
        query = f"?{urlencode(request.query)}" if request.query else ""
        body = None if request.body is None else json.dumps(request.body).encode()
        try:
            answer = self._pool.request(
                request.method,
                f"{self._server}{request.path}{query}",
                headers={**self._headers, "Content-Type": request.type},
                body=body,
            )
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise KubeError(f"{self._server}: {error}") from error
        return KubeAnswer(answer.status, answer.data[:ANSWER_MAX])


def _context(access: ClusterAccess) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=access.authority or None)
    if not access.verifies:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if access.certificate:
        # The standard library reads a client's certificate from files only.
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(f"{access.certificate}\n{access.key}\n")
            file.flush()
            context.load_cert_chain(file.name)
    return context
