"""Every own service is replaced, one after the other, under load: no request fails, no submission is lost."""

import json
import ssl
import threading
from collections.abc import Iterator
from itertools import count
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from typing_extensions import override

from tests.deploy.stack.stack import UP_S, Stack

pytestmark = [pytest.mark.docker, pytest.mark.long, pytest.mark.timeout(3600)]

REQUEST_S: Final = 60
READ_EVERY_S: Final = 0.2
SUBMIT_EVERY_S: Final = 5.0
READERS: Final = 4
READ: Final = ("/livez", "/api/v1/me", "/api/v1/workloads?kind=batch", "/api/v1/nodes")
JOB: Final = {
    "group": "vision",
    "image": "python",
    "cpu_milli": 100,
    "memory_mib": 64,
    "gpus": 0,
    "replicas": 1,
    "script": "true",
}


class Caller(threading.Thread):
    """Sends one request after the other, and notes each that failed."""

    def __init__(self, stack: Stack, *, submits: bool = False) -> None:
        super().__init__(daemon=True)
        self.sent = 0
        self.failed: list[str] = []
        self.accepted: set[str] = set()
        self.ending = threading.Event()
        self._stack = stack
        self._submits = submits
        self._tls = ssl.create_default_context()
        # Caddy signs for itself; that its certificate is the right one is tested apart.
        self._tls.check_hostname, self._tls.verify_mode = False, ssl.CERT_NONE

    @override
    def run(self) -> None:
        for number in count():
            if self.ending.wait(SUBMIT_EVERY_S if self._submits else READ_EVERY_S):
                return
            self.sent += 1
            request = self._submission(number) if self._submits else self._read(number)
            try:
                with urlopen(request, timeout=REQUEST_S, context=self._tls) as answer:
                    body = answer.read()
            except HTTPError as refused:
                with refused:
                    self.failed.append(f"{request.full_url}: {refused.code} {refused.read()!r}")
            except OSError as error:
                self.failed.append(f"{request.full_url}: {error!r}")
            else:
                if self._submits:
                    self.accepted.add(json.loads(body)["id"])

    def _read(self, number: int) -> Request:
        return self._request(READ[number % len(READ)])

    def _submission(self, number: int) -> Request:
        request = self._request("/api/v1/jobs")
        request.data = json.dumps({**JOB, "name": f"restart {number}"}).encode()
        request.add_header("Content-Type", "application/json")
        request.add_header("Idempotency-Key", f"restart-{number}")
        return request

    def _request(self, path: str) -> Request:
        token = {"Authorization": f"Bearer {self._stack.demo['robot_token']}"}
        return Request(f"{self._stack.url}{path}", headers=token)


@pytest.fixture
def callers(stack: Stack) -> Iterator[list[Caller]]:
    stack.wait_well()
    made = [Caller(stack, submits=number == 0) for number in range(1 + READERS)]
    for each in made:
        each.start()
    yield made
    for each in made:
        each.ending.set()
        each.join(REQUEST_S)


def test_a_restart_of_each_in_turn_loses_no_request(stack: Stack, callers: list[Caller]) -> None:
    before = {name: each.id for name, each in stack.services().items()}
    said = stack.berth_server("restart", within_s=UP_S)
    for each in callers:
        each.ending.set()
        each.join(REQUEST_S)
    assert said.split() == [
        *("web-2", "web", "live-2", "live", "scheduler", "worker", "beat", "inference")
    ]
    after = {name: each.id for name, each in stack.services().items()}
    assert sum(after[name] != before[name] for name in after) == len(said.split())
    assert [fault for each in callers for fault in each.failed] == []
    assert min(each.sent for each in callers) > 0
    accepted = callers[0].accepted
    assert {job for job in accepted if not _is_known(stack, job, callers[0])} == set()
    assert len(accepted) == callers[0].sent


def _is_known(stack: Stack, job: str, caller: Caller) -> Any:
    with urlopen(caller._request(f"/api/v1/jobs/{job}"), context=caller._tls) as answer:
        return json.loads(answer.read())["id"] == job
