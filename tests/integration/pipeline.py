"""What a CI pipeline is to the platform: plain HTTP with a bearer token."""

import http.client
import json
from dataclasses import dataclass
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from tests.waiting import wait_until

SLOWLY_S: Final = 0.3
ENDED: Final = frozenset({"succeeded", "failed", "cancelled", "expired"})


class AwayError(Exception):
    """The portal did not answer; whether it acted is unknown."""


class RefusedError(Exception):
    """The portal said no; `code` says why."""

    def __init__(self, problem: Any) -> None:
        super().__init__(problem)
        self.code = str(problem["code"])


@dataclass(frozen=True, slots=True)
class Pipeline:
    """One robot and its token."""

    url: str
    token: str
    group: str = "vision"

    def get(self, path: str) -> Any:
        """Read a resource."""
        return self._call("GET", path)

    def post(self, path: str, body: object = None, key: str = "") -> Any:
        """Create or act; the key makes a repetition harmless."""
        return self._call("POST", path, body if body is not None else {}, key)

    def delete(self, path: str) -> Any:
        """End something for good."""
        return self._call("DELETE", path)

    def answers(self) -> bool:
        """Tell whether the portal is there."""
        try:
            self.get("/pools")
        except AwayError:
            return False
        return True

    def submit(self, script: str, key: str = "", **asked: object) -> str:
        """Submit a job of one card and return its id."""
        body = {
            "name": "fault test",
            "group": self.group,
            "pool": "training",
            "image": "python",
            "script": script,
            "gpus": 1,
            "replicas": 1,
            "cpu_milli": 500,
            "memory_mib": 256,
            **asked,
        }
        return str(self.post("/jobs", body, key)["id"])

    def job(self, job_id: str) -> Any:
        """Read one job."""
        return self.get(f"/jobs/{job_id}")

    def cancel(self, job_id: str) -> None:
        """Ask for the end of a job; one that has just ended by itself is as good."""
        try:
            self.post(f"/jobs/{job_id}/cancel")
        except RefusedError as refusal:
            if refusal.code != "already_ended":
                raise

    def wait_for(self, job_id: str, *states: str, within_s: float = 120) -> Any:
        """Wait until a job is in one of the states; return it."""
        wait_until(lambda: self.job(job_id)["state"] in states, within_s=within_s, every_s=SLOWLY_S)
        return self.job(job_id)

    def clear(self, job_ids: list[str]) -> None:
        """Cancel jobs and wait until nothing of them is left."""
        for job_id in job_ids:
            if self.job(job_id)["state"] not in ENDED:
                self.cancel(job_id)
        for job_id in job_ids:
            self.wait_for(job_id, *ENDED)

    def _call(self, method: str, path: str, body: object = None, key: str = "") -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.url}/api/v1{path}", data, headers, method=method)
        try:
            with urlopen(request, timeout=120) as answer:
                return json.load(answer)
        except HTTPError as refusal:
            if refusal.code >= 500:
                raise AwayError(refusal.code) from refusal
            raise RefusedError(json.load(refusal)) from refusal
        except (URLError, OSError, http.client.HTTPException) as away:
            raise AwayError(path) from away
