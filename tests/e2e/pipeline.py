"""A pipeline's view of the platform: REST with a robot's token and nothing else."""

import json
from dataclasses import dataclass
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

WAIT_S: Final = 120


@dataclass(frozen=True, slots=True)
class Answer:
    """What the platform said."""

    status: int
    body: Any


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A caller with a bearer token."""

    url: str
    token: str

    def get(self, path: str) -> Any:
        """Return the JSON of a page that must exist."""
        answer = self.call("GET", path)
        assert answer.status == 200, answer
        return answer.body

    def submit(self, key: str = "", **job: Any) -> Answer:
        """Submit a job of one card unless told otherwise."""
        image = {"group": "vision", "image": "python", "cpu_milli": 1000, "memory_mib": 512}
        return self.call("POST", "/jobs", {**image, "gpus": 1, "replicas": 1, **job}, key)

    def started(self, name: str, script: str, **job: Any) -> str:
        """Submit a job that must be accepted; return its id."""
        answer = self.submit(name=name, script=script, **job)
        assert answer.status == 202, answer
        return str(answer.body["id"])

    def wait(self, job: str, state: str = "terminal") -> Any:
        """Return the job once it is in that state, as a pipeline would: one long request."""
        return self.get(f"/jobs/{job}/wait?timeout={WAIT_S}&state={state}")

    def cancel(self, job: str) -> Answer:
        """Ask for the end of a job."""
        return self.call("POST", f"/jobs/{job}/cancel", {})

    def text(self, path: str) -> str:
        """Return a stream of text to its end."""
        with urlopen(self._request("GET", path), timeout=WAIT_S) as answer:
            content: bytes = answer.read()
        return content.decode()

    def call(self, method: str, path: str, body: Any = None, key: str = "") -> Answer:
        """Return status and JSON, whatever they are."""
        request = self._request(method, path)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        if key:
            request.add_header("Idempotency-Key", key)
        try:
            with urlopen(request, timeout=WAIT_S + 10) as answer:
                return Answer(answer.status, json.loads(answer.read() or b"null"))
        except HTTPError as refused:
            with refused:
                return Answer(refused.code, json.loads(refused.read()))

    def _request(self, method: str, path: str) -> Request:
        headers = {"Authorization": f"Bearer {self.token}"}
        return Request(f"{self.url}/api/v1{path}", method=method, headers=headers)


def submit_array(robot: Pipeline, indexes: str, script: str, **job: Any) -> Any:
    """Submit an array that must be accepted; return it."""
    body = {
        "group": "vision",
        "image": "python",
        "cpu_milli": 500,
        "memory_mib": 256,
        "gpus": 0,
        "name": "sweep",
        "array": indexes,
        "script": script,
        **job,
    }
    answer = robot.call("POST", "/job-arrays", body)
    assert answer.status == 202, answer
    return answer.body
