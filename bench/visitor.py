"""A user of the platform over HTTP: signs in, starts work, opens notebooks."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

import aiohttp
from yarl import URL

WAIT_S: Final = 120
NOTEBOOK: Final = {
    "group": "vision",
    "image": "jupyter-python",
    "slices": 1,
    "cpu_milli": 2000,
    "memory_mib": 4096,
}
JOB: Final = {
    "group": "vision",
    "image": "python",
    "gpus": 1,
    "replicas": 1,
    "cpu_milli": 1000,
    "memory_mib": 512,
}


class RefusedError(Exception):
    """The platform did not do what a measurement needs: method, path, status, body."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """A signed-in person with the cookies of a browser."""

    http: aiohttp.ClientSession
    url: str
    apps_url: str

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """Return the JSON of an answer that must be a success."""
        token = self.http.cookie_jar.filter_cookies(URL(self.url))["berth-csrf"].value
        headers = {"X-CSRFToken": token, "Origin": self.url}
        async with self.http.request(
            method, f"{self.url}{path}", json=body, headers=headers
        ) as answer:
            text = await answer.text()
            if not answer.ok:
                raise RefusedError(method, path, answer.status, text)
            return json.loads(text or "null")

    async def ready_notebook(self, name: str) -> str:
        """Submit a notebook and return its id once it answers through the gateway."""
        made = await self.call("POST", "/api/v1/environments", {**NOTEBOOK, "name": name})
        path = f"/api/v1/environments/{made['id']}"
        await self.call("GET", f"{path}/wait?timeout={WAIT_S}&state=running")
        ticket = await self.call("POST", f"{path}/tickets")
        async with self.http.get(ticket["url"], allow_redirects=False) as answer:
            answer.raise_for_status()
        async with self.http.get(f"{self.apps_url}/e/{made['id']}/api/status") as answer:
            answer.raise_for_status()
        return str(made["id"])

    async def remove_notebook(self, notebook: str) -> None:
        """End a notebook permanently and wait until its node has let go of it."""
        path = f"/api/v1/environments/{notebook}"
        await self.call("DELETE", path)
        await self.call("GET", f"{path}/wait?timeout={WAIT_S}&state=terminal")

    async def seconds_to_running_job(self, name: str) -> float:
        """Submit a job and return how long it took to run; it is cancelled afterwards."""
        started = monotonic()
        body = {**JOB, "name": name, "script": "sleep 60"}
        path = f"/api/v1/jobs/{(await self.call('POST', '/api/v1/jobs', body))['id']}"
        await self.call("GET", f"{path}/wait?timeout={WAIT_S}&state=running")
        seconds = monotonic() - started
        await self.call("POST", f"{path}/cancel")
        await self.call("GET", f"{path}/wait?timeout={WAIT_S}")
        return seconds


@asynccontextmanager
async def signed_in(demo: Any, number: int) -> AsyncIterator[Visitor]:
    """Sign in the developer of that number among the demo's logins."""
    person = [user for user in demo["users"] if user["role"] == "developer"][number]
    async with signed_in_as(demo, person) as visitor:
        yield visitor


@asynccontextmanager
async def signed_in_as(demo: Any, person: Any) -> AsyncIterator[Visitor]:
    """Sign in one of the demo's logins."""
    timeout = aiohttp.ClientTimeout(total=WAIT_S + 10)
    async with aiohttp.ClientSession(
        cookie_jar=aiohttp.CookieJar(unsafe=True), timeout=timeout
    ) as http:
        visitor = Visitor(http, demo["url"], demo["apps_url"])
        async with http.get(f"{visitor.url}/_allauth/browser/v1/auth/session") as answer:
            await answer.read()
        login = {"username": person["username"], "password": person["password"]}
        await visitor.call("POST", "/_allauth/browser/v1/auth/login", login)
        yield visitor


async def issue_token(demo: Any, number: int, name: str) -> str:
    """Return a token with which the developer of that number submits and follows work."""
    scopes = ["workload.submit", "workload.view", "workload.stop"]
    body = {"name": name, "scopes": scopes, "expires_in_days": 1}
    async with signed_in(demo, number) as developer:
        return str((await developer.call("POST", "/api/v1/tokens", body))["token"])
